import * as v from 'valibot';
import { ConversionRateSchema } from './amounts.schemas.ts';
import type { QuotedRate } from './amounts.ts';
import { type ListSchema } from './wire.ts';

/** Validates the list of exchange rates in responses. */
export const RatesSchema: ListSchema<QuotedRate> = v.array(ConversionRateSchema);
