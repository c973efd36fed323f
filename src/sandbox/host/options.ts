import type { Clock } from '../../core/time/index.ts';
import { productionRateLimits, type RateLimits, testRateLimits } from '../../core/http/index.ts';
import { badInput } from '../../core/errors/index.ts';
import { type Courier, courierTo, networkCourier, noCourier } from '../webhooks/transport.ts';
import type { FilterLimit } from '../query/lists.ts';
import type { RetryAfter } from '../service/service.ts';
import type { SandboxOptions } from './model.ts';
import type { FirstCheck, QuoteValidity } from '../world/world.ts';

const START = 1_767_603_600_000; // 2026-01-05T09:00:00Z

export function startOf({ start = START }: SandboxOptions): number {
  if (Number.isSafeInteger(start) && start >= 0) return start;
  throw badInput('start', 'must be whole milliseconds since 1970');
}

export function limitsOf({ limits = 'production' }: SandboxOptions): RateLimits {
  if (limits === 'production') return productionRateLimits;
  if (limits === 'test') return testRateLimits;
  if (typeof limits === 'object') return limits;
  throw badInput('limits', 'must be "production", "test" or a table of one\'s own');
}

export function retryAfterOf({ retryAfter = 'seconds' }: SandboxOptions): RetryAfter {
  if (retryAfter === 'seconds' || retryAfter === 'date') return retryAfter;
  throw badInput('retryAfter', 'must be "seconds" or "date"');
}

export function filterLimitOf({ filterLimit }: SandboxOptions): FilterLimit {
  return { comparisons: 16, requestLine: 8_192, ...filterLimit };
}

export function quoteValidityOf({ quoteValidity }: SandboxOptions): QuoteValidity {
  const validity = { converted: 30, plain: 3_600, payment: 60, ...quoteValidity };
  for (const seconds of Object.values(validity))
    if (!Number.isSafeInteger(seconds) || seconds < 1)
      throw badInput('quoteValidity', 'must be whole seconds, 1 or more');
  return validity;
}

export function firstCheckOf({ firstCheck = 'processed' }: SandboxOptions): FirstCheck {
  if (['processed', 'expired', 'balance'].includes(firstCheck)) return firstCheck;
  throw badInput('firstCheck', 'must be "processed", "expired" or "balance"');
}

/** Whether time goes by itself. */
export function isReal({ clock = 'virtual' }: SandboxOptions): boolean {
  if (clock === 'virtual' || clock === 'real') return clock === 'real';
  throw badInput('clock', 'must be "virtual" or "real"');
}

/** How webhooks get to their receivers. */
export function courierOf({ deliver, allowHosts = [] }: SandboxOptions, clock: Clock): Courier {
  if (deliver === undefined) return noCourier;
  if (deliver === 'network') return networkCourier(allowHosts, clock);
  if (typeof deliver === 'function') return courierTo(deliver, clock);
  throw badInput('deliver', 'must be a function from Request to Response, or "network"');
}
