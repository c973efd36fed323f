import { ConversionRateSchema } from './amounts.schemas.ts';
import type { QuotedRate } from './amounts.ts';
import { array, type SchemaOf } from './shape.ts';

/** The service lists rates without pages. */
export const RatesSchema: SchemaOf<readonly QuotedRate[]> = array(ConversionRateSchema);
