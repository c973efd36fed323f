import { isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';

/** Longest time between two probes, milliseconds. */
const LONGEST = 32_000;

/**
 * Whether the service can be reached. After a failure that would meet every request, only one probe
 * at a time is sent, until one succeeds.
 */
export class Outage {
  /** When the next probe is sent, monotonic. */
  probeAt: number = -Infinity;
  /** Failures in a row, those of requests sent together counted once. */
  failures: number = 0;
  readonly #base: number;

  constructor(base: number) {
    this.#base = base;
  }

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Takes a failure in; `retryIn`: what the service or the rate limit asks for. */
  begin(now: number, retryIn: number): void {
    if (!this.isOn || now >= this.probeAt) {
      this.failures++;
      this.probeAt = now + Math.min(LONGEST, this.#base * 2 ** (this.failures - 1));
    }
    this.probeAt = Math.max(this.probeAt, now + retryIn);
  }

  end(): void {
    this.failures = 0;
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
