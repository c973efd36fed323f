import type { PaystateError } from '../core/errors/index.ts';
import { isLoginOver } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { LAG_MS } from '../resources/service-facts.ts';
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
 * A resource that was handed in and says that it is younger may be missing from a copy of the data:
 * `LAG` and two minutes by which clocks differ, milliseconds.
 */
const YOUNG_MS = 150_000;

/** When a credential that has worked is tried again after it was refused first, milliseconds. */
const RETRY_REFUSED_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** A credential that was refused for so long is no good any more, milliseconds. */
const REFUSED_FOR_GOOD_MS = 600_000;

/** When to try again after so long a time of refusals; milliseconds since the first of them. */
function nextRefusedRetry(refusedFor: number): number {
  return RETRY_REFUSED_MS.find((at) => at > refusedFor) ?? refusedFor + REFUSED_FOR_GOOD_MS;
}

/** A scope that has worked: it is asked for again at the times of `nextRefusedRetry`. */
const SLOW: FailurePolicy = [1, 0, REFUSED_FOR_GOOD_MS];

/**
 * Takes a failed read in that was sent at `sentAt`: whether it ends the watch, as only a few
 * responses do, and when to read again to confirm it; `isSlow`: not before. `worked`: when what is
 * refused was accepted last.
 */
export function applyFailure(
  entry: AnyEntry,
  error: PaystateError,
  sentAt: number,
  clock: Clock,
  worked: number | undefined,
): { readonly ends: boolean; readonly confirmAt: number; readonly isSlow?: boolean } {
  const now = clock.monotonic();
  const policy = policyFor(error, entry, sentAt, clock.now(), worked);
  const [times, apart, over] = policy;
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
  if (policy === SLOW) {
    // the first read is confirmed at once: others may be read, and only this one is refused
    const isFirst = !entry.held && entry.failures.counted === 1;
    const confirmAt = isFirst ? now + FIRST_READ[1] : firstAt + nextRefusedRetry(now - firstAt);
    return { ends, confirmAt, isSlow: true };
  }
  const isExpected = over === 0;
  return { ends, confirmAt: isExpected ? entry.failures.countedAt + apart : Infinity };
}

function policyFor(
  error: PaystateError,
  { failures, held, type, bornAt, created = -Infinity, youngUntil = -Infinity }: AnyEntry,
  sentAt: number,
  now: number,
  worked: number | undefined,
): FailurePolicy {
  const { code, kind, status } = error;
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) {
    if (worked !== undefined) return ENDLESS; // it ends all watches together, in `Results`
    return held ? [2, 10_000, 0] : FIRST_READ;
  }
  if (kind !== 'refused') return ENDLESS;
  if (status === 403) {
    if (worked === undefined) return held ? [3, 30_000, 0] : FIRST_READ;
    return held || !failures || worked < failures.firstAt ? SLOW : FIRST_READ;
  }
  if (status !== 404 || (held && !type.watch.isDeletable)) return ENDLESS;
  const isPatient = sentAt - bornAt < LAG_MS;
  if (held) return isPatient ? ENDLESS : [1, 0, LAG_MS];
  // one that was just made: within the lag a replica may not have it yet
  const mayBeYoung = !(now - created * 1_000 > YOUNG_MS);
  return sentAt < youngUntil || (isPatient && mayBeYoung) ? ENDLESS : FIRST_READ;
}

/** Longest time between two probes, milliseconds. */
const LONGEST_PROBE_MS = 20_000;

/**
 * Whether the service can be reached. After a failure that would meet every request, only one probe
 * at a time is sent, until one succeeds.
 */
export class Outage {
  /** When the next probe is sent, monotonic; long ago while there is no outage. */
  probeAt: number = -Infinity;
  /** Failures in a row, those of requests sent together counted once. */
  failures: number = 0;
  /** Since when the credential is refused, monotonic. */
  #refusedAt: number | undefined;
  /** Milliseconds until the next probe; random, so that not all pages come back at once. */
  readonly #pauseAfter: (failures: number) => number;

  /** `base`: the first pause at most, milliseconds. */
  constructor(base: number, random: () => number) {
    this.#pauseAfter = (failures) =>
      (Math.min(LONGEST_PROBE_MS, base * 2 ** (failures - 1)) * (1 + random())) / 2;
  }

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Takes a failure in; `retryIn`: what the service or the rate limit asks for. */
  begin(now: number, retryIn: number): void {
    if (now >= this.probeAt) {
      this.failures++;
      this.probeAt = now + this.#pauseAfter(this.failures);
    }
    this.probeAt = Math.max(this.probeAt, now + retryIn);
  }

  /**
   * Takes in that a credential was refused that has worked. It is asked once more soon, and then
   * slowly. Returns whether it was refused for too long.
   */
  refuse(now: number): boolean {
    const refusedAt = (this.#refusedAt ??= now);
    if (now >= this.probeAt) {
      this.failures++;
      const isFirst = this.failures === 1;
      this.probeAt = isFirst
        ? now + this.#pauseAfter(1)
        : refusedAt + nextRefusedRetry(now - refusedAt);
    }
    return now - refusedAt >= REFUSED_FOR_GOOD_MS;
  }

  end(): void {
    this.failures = 0;
    this.#refusedAt = undefined;
  }
}

/** The failure would meet any other request as well. */
export function isOutage(error: PaystateError): boolean {
  const { kind, code } = error;
  return (
    kind === 'unreachable' ||
    kind === 'limited' ||
    code === 'RESPONSE_NOT_JSON' ||
    (kind === 'authentication' && !isLoginOver(error))
  );
}
