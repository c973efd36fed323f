import * as v from 'valibot';
import { ConversionRateSchema } from './amounts.schemas.ts';
import type { QuotedRate } from './amounts.ts';
import { type ListSchema } from './wire.ts';

/** Validates the list of rates. */
export const RatesSchema: ListSchema<QuotedRate> = v.array(ConversionRateSchema);
