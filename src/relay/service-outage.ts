import { isPaystateError } from '../core/errors/index.ts';
import type { CallOptions } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import type { AccountStore } from './account-store.ts';
import { Refused } from './calls.ts';
import { refusalBy } from './responses.ts';

const NOTE = 'outage';
/** After a request that got no answer pages wait this long, then longer and longer, milliseconds. */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** Failures in a row, and until when nothing is asked for pages. */
interface Outage {
  readonly failures: number;
  readonly until: number;
}

/** How often a request may be sent: once where it finds out whether the service is back. */
type Tries = Pick<CallOptions, 'maxAttempts'>;

/**
 * While the service is away, one request finds out whether it is back, and not each page of each
 * room. Kept, so that an object that slept does not begin anew.
 */
export class ServiceOutage {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #isBack: () => void;
  #isTrying: boolean = false;

  /** @param isBack is called when the service is there again */
  constructor(store: AccountStore, clock: Clock, isBack: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#isBack = isBack;
  }

  /** Asks for a page; throws `Refused` where the service was away a moment ago. */
  async ask<T>(request: (tries: Tries) => PromiseLike<T>): Promise<T> {
    const { failures, until } = this.#store.note<Outage>(NOTE) ?? { failures: 0, until: 0 };
    const left = Math.min(until - this.#clock.now(), LONGEST_WAIT);
    const wait = this.#isTrying ? Math.max(left, FIRST_WAIT) : left;
    if (wait > 0) throw new Refused(refusalBy('SERVICE_UNAVAILABLE', wait));
    this.#isTrying = failures > 0;
    try {
      const answer = await request(failures > 0 ? { maxAttempts: 1 } : {});
      if (failures > 0) this.#end();
      return answer;
    } catch (thrown) {
      if (isAway(thrown))
        this.#note(failures + 1, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures));
      else if (failures > 0 && isPaystateError(thrown) && thrown.kind === 'refused') this.#end();
      throw thrown;
    } finally {
      this.#isTrying = false;
    }
  }

  #end(): void {
    this.#note(0, 0);
    this.#isBack();
  }

  #note(failures: number, wait: number): void {
    const until = this.#clock.now() + wait;
    this.#store.setNote(NOTE, { failures, until } satisfies Outage);
  }
}

/** It did not answer, or said that it cannot. */
function isAway(thrown: unknown): boolean {
  if (!isPaystateError(thrown)) return false;
  const { kind, status } = thrown;
  return kind === 'unreachable' || (status !== undefined && status >= 500);
}
