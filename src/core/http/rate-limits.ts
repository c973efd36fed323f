import type { RateLimit, RateLimits } from './connection.ts';

const MINUTE = 60_000;

function table(perMinute: number, perTenMinutes: number): RateLimits {
  const minute: RateLimit = { limit: perMinute, window: MINUTE, block: MINUTE };
  return {
    invoices: minute,
    'invoice-quotes': minute,
    rates: minute,
    'payment-quotes': minute,
    execute: minute,
    others: { limit: perTenMinutes, window: 10 * MINUTE, block: 60 * MINUTE },
  };
}

/** The published limits of the service itself (public). */
export const productionRateLimits: RateLimits = table(250, 1_000);

/** The published limits of the service's own test environment (public). */
export const testRateLimits: RateLimits = table(90, 350);
