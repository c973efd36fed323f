import { isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { LAG } from '../resources/service-facts.ts';
import type { AnyEntry } from './entry.ts';

/**
 * How often a response must come, how far apart, and over what time, before it ends a watch.
 * Milliseconds.
 */
type FailurePolicy = readonly [times: number, apart: number, over: number];

const ENDLESS: FailurePolicy = [Infinity, 0, 0];

/**
 * Takes a failed read in that was sent at `sentAt`. Returns whether it ends the watch: only a few
 * responses do.
 */
export function applyFailure(
  entry: AnyEntry,
  error: PaystateError,
  sentAt: number,
  now: number,
): boolean {
  const [times, apart, over] = policyFor(error, entry, sentAt);
  const code = `${error.status} ${error.code}`;
  const before = entry.failures;
  const { firstAt, countedAt, counted } =
    before?.code === code ? before : { firstAt: now, countedAt: -Infinity, counted: 0 };
  const counts = now - countedAt >= apart;
  entry.failures = {
    code,
    firstAt,
    countedAt: counts ? now : countedAt,
    counted: counts ? counted + 1 : counted,
    inARow: (before?.inARow ?? 0) + 1,
  };
  entry.noGapSince = undefined;
  entry.trigger = `again after ${error.code}`;
  return entry.failures.counted >= times && now - firstAt >= over;
}

function policyFor(
  error: PaystateError,
  { held, type, bornAt }: AnyEntry,
  sentAt: number,
): FailurePolicy {
  const { code, kind, status } = error;
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) return [2, 10_000, 0];
  if (kind !== 'refused') return ENDLESS;
  if (status === 403) return held ? [3, 30_000, 0] : [1, 0, 0];
  // within the lag a replica may not have it yet
  const isGone =
    status === 404 && sentAt - bornAt >= LAG && (!held || type.watch.isDeletable === true);
  return isGone ? [1, 0, held ? LAG : 0] : ENDLESS;
}
