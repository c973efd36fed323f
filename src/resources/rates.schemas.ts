import * as v from 'valibot';
import { ConversionRateSchema } from './amounts.schemas.ts';
import type { QuotedRate } from './amounts.ts';
import { type ListSchema } from './wire.ts';

/** The service lists rates without pages. */
export const RatesSchema: ListSchema<QuotedRate> = v.array(ConversionRateSchema);
