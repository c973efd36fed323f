import { type Connection, internals, sentOf } from '../core/http/index.ts';

/** Codes are renewed without a touch of the payer up to this part of the rate limit. */
const SHARE = 0.7;

/** One more quote would take what is left for codes that a payer asks for. */
export function isCrowded(client: Connection): boolean {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const { limit } = rateLimits['invoice-quotes'];
  return sentOf(client, 'invoice-quotes').length + 1 > SHARE * rateLimitShare * limit;
}
