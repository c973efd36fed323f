// A rate table that nobody reaches, for proofs that are not about limits.
import { productionRateLimits, type RateLimits } from 'paystate';

const NEVER_REACHED = { limit: 1e9, window: 60_000, block: 60_000 };

export const NO_LIMITS = Object.fromEntries(
  Object.keys(productionRateLimits).map((bucket) => [bucket, NEVER_REACHED]),
) as RateLimits;
