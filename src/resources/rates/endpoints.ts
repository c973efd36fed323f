import type { Endpoint } from '../../core/http/index.ts';
import type { QuotedRate } from '../amounts/model.ts';
import { RatesSchema } from './schemas.ts';

/** GET /v1/rates/ticker @source documented */
export const list: Endpoint<{}, void, readonly QuotedRate[]> = {
  operation: 'rates.list',
  method: 'GET',
  path: '/v1/rates/ticker',
  scope: 'partner.rates.ticker',
  bucket: 'rates',
  idempotency: 'safe',
  statuses: [200],
  output: RatesSchema,
};
