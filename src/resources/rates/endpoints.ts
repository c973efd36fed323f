import type { Endpoint } from '../../core/http/index.ts';
import type { ConversionRate } from '../amounts/model.ts';
import { reading } from '../rows.ts';
import { TickerSchema } from './schemas.ts';

/** @source seed */
export const list: Endpoint<{}, void, readonly ConversionRate[]> = reading(
  '/v1/rates/ticker',
  'partner.rates.ticker',
  TickerSchema,
  { bucket: 'rates' },
);
