import type { Clock } from '../../core/time/index.ts';
import { isLoginOver } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import { CLOCK_SKEW, LAG } from '../../resources/service-facts.ts';
import type { AnyEntry } from './entry.ts';

/**
 * How often a response must come, how far apart, and over what time, before it ends a watch.
 * Milliseconds.
 */
type FailurePolicy = readonly [times: number, apart: number, over: number];

const ENDLESS: FailurePolicy = [Infinity, Infinity, Infinity];
/** What the first read is refused is asked once more. */
const FIRST_READ: FailurePolicy = [2, 1_500, 0];

/**
 * Takes a failed read in that was sent at `sentAt`: whether it ends the watch, as only a few
 * responses do, and when to read again to confirm it.
 */
export function applyFailure(
  entry: AnyEntry,
  error: PaystateError,
  sentAt: number,
  clock: Clock,
): { readonly ends: boolean; readonly confirmAt: number } {
  const now = clock.monotonic();
  const [times, apart, over] = policyFor(error, entry, sentAt, clock.now());
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
  const ends = entry.failures.counted >= times && now - firstAt >= over;
  const isExpected = over === 0;
  return { ends, confirmAt: isExpected ? entry.failures.countedAt + apart : Infinity };
}

function policyFor(
  error: PaystateError,
  { held, type, bornAt, created = Infinity }: AnyEntry,
  sentAt: number,
  now: number,
): FailurePolicy {
  const { code, kind, status } = error;
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) return held ? [2, 10_000, 0] : FIRST_READ;
  if (kind !== 'refused') return ENDLESS;
  if (status === 403) return held ? [3, 30_000, 0] : FIRST_READ;
  if (status !== 404 || (held && !type.watch.isDeletable)) return ENDLESS;
  if (!held && now - created * 1_000 > CLOCK_SKEW + LAG) return FIRST_READ;
  // one that may be new: within the lag a replica may not have it yet
  return sentAt - bornAt >= LAG ? [1, 0, held ? LAG : 0] : ENDLESS;
}
