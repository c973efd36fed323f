import { isLoginOver } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import { nextRefusedRetry, REFUSED_FOR_GOOD_MS } from '../entries/failure-policy.ts';

/** Longest time between two probes, milliseconds. */
const LONGEST = 20_000;

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
      (Math.min(LONGEST, base * 2 ** (failures - 1)) * (1 + random())) / 2;
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
