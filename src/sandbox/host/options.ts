import type { Clock } from '../../core/time.ts';
import { productionRateLimits, type RateLimits, testRateLimits } from '../../core/http/index.ts';
import { badInput } from '../../core/errors/index.ts';
import {
  type DeliveryTransport,
  functionTransport,
  networkTransport,
  noTransport,
} from '../webhooks/transport.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { RetryAfterFormat } from '../service/service.ts';
import { LATEST_TIME } from '../time/clock.ts';
import type { SandboxOptions } from './model.ts';
import type { FirstCheck, QuoteLifetimes } from '../world/world.ts';

const START = 1_767_603_600_000; // 2026-01-05T09:00:00Z

export function startTimeOf({ startAt = START }: SandboxOptions): number {
  if (Number.isSafeInteger(startAt) && startAt >= 0 && startAt <= LATEST_TIME) return startAt;
  throw badInput('startAt', 'must be whole milliseconds since 1970, before the year 3000');
}

export function rateLimitsOf({ rateLimits = 'production' }: SandboxOptions): RateLimits {
  if (rateLimits === 'production') return productionRateLimits;
  if (rateLimits === 'test') return testRateLimits;
  if (typeof rateLimits === 'object') return rateLimits;
  throw badInput('rateLimits', 'must be "production", "test" or a table of one\'s own');
}

export function retryAfterFormatOf({
  retryAfterFormat = 'seconds',
}: SandboxOptions): RetryAfterFormat {
  if (retryAfterFormat === 'seconds' || retryAfterFormat === 'date') return retryAfterFormat;
  throw badInput('retryAfterFormat', 'must be "seconds" or "date"');
}

export function filterLimitsOf({ filterLimits }: SandboxOptions): FilterLimits {
  return { comparisons: 16, requestLineBytes: 8_192, ...filterLimits };
}

/** Whole seconds each, as a BOLT11 text and `expirationInSec` know no others. */
export function quoteLifetimesOf({ quoteLifetimes }: SandboxOptions): QuoteLifetimes {
  const lifetimes = { converted: 30_000, plain: 3_600_000, payment: 60_000, ...quoteLifetimes };
  for (const lifetime of Object.values(lifetimes))
    if (!Number.isSafeInteger(lifetime) || lifetime < 1_000 || lifetime % 1_000 !== 0)
      throw badInput('quoteLifetimes', 'must be whole seconds in milliseconds');
  return lifetimes;
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
export function transportOf(
  { deliver, allowHosts = [] }: SandboxOptions,
  clock: Clock,
): DeliveryTransport {
  if (deliver === undefined) return noTransport;
  if (deliver === 'network') return networkTransport(allowHosts, clock);
  if (typeof deliver === 'function') return functionTransport(deliver, clock);
  throw badInput('deliver', 'must be a function from Request to Response, or "network"');
}
