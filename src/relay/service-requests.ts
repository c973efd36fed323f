import { isPaystateError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  type Priority,
  slotState,
  type Tap,
  TAPS,
  withPriority,
} from '../core/http/index.ts';
import { SANDBOX_WORLD_HEADER } from '../core/protocol.ts';
import type { Clock } from '../core/time.ts';
import { get, type Invoice } from '../resources/invoices.ts';
import { refusalBy, Refused, type WithTransactions } from './calls.ts';
import { PLACE_WAIT } from './tokens.ts';

/**
 * How long pages must wait after a request got no response, in milliseconds. It doubles with each
 * failure, up to `LONGEST_WAIT`.
 */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/**
 * The number of consecutive failures, and the time until which pages don't send requests to the
 * service.
 */
export interface OutageNote {
  readonly failures: number;
  readonly until: number;
}

/**
 * Limits the number of attempts. A request that tests whether the service is available again gets
 * only one attempt.
 */
type Tries = Pick<CallOptions, 'maxAttempts'>;

/**
 * Tracks whether the service is unavailable. During an outage, a single request at a time tests
 * whether the service is back, instead of one for each page. The state is kept in memory, because
 * requests can start between two database operations.
 */
export class ServiceOutage {
  readonly #clock: Clock;
  readonly #changed: (outage: OutageNote) => void;
  #outage: OutageNote = { failures: 0, until: 0 };
  #isTrying: boolean = false;

  /**
   * @param changed called when the service becomes unavailable, and with 0 failures when it's
   * available again
   */
  constructor(clock: Clock, changed: (outage: OutageNote) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Restores the state recorded by another process, or by the same object before it hibernated. */
  resume(outage: OutageNote): void {
    this.#outage = outage;
  }

  /** Sends a request for a page. Throws `Refused` if the service was unavailable a moment ago. */
  async ask<T>(request: (tries: Tries) => PromiseLike<T>): Promise<T> {
    const { failures, until } = this.#outage;
    const left = Math.min(until - this.#clock.now(), LONGEST_WAIT);
    const wait = this.#isTrying ? Math.max(left, FIRST_WAIT) : left;
    if (wait > 0) throw new Refused(refusalBy('SERVICE_UNAVAILABLE', wait));
    this.#isTrying = failures > 0;
    try {
      const answer = await request(failures > 0 ? { maxAttempts: 1 } : {});
      if (failures > 0) this.#note(0, 0);
      return answer;
    } catch (thrown) {
      // concurrent failures count as one
      if (isAway(thrown) && this.#outage.failures === failures)
        this.#note(failures + 1, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures));
      else if (failures > 0 && isPaystateError(thrown) && thrown.kind === 'refused')
        this.#note(0, 0);
      throw thrown;
    } finally {
      this.#isTrying = false;
    }
  }

  #note(failures: number, wait: number): void {
    this.#outage = { failures, until: this.#clock.now() + wait };
    this.#changed(this.#outage);
  }
}

/** Returns whether the service didn't respond, or responded with a 5xx status. */
function isAway(thrown: unknown): boolean {
  if (!isPaystateError(thrown)) return false;
  const { kind, status } = thrown;
  return kind === 'unreachable' || (status !== undefined && status >= 500);
}

/**
 * Calls `named` if the response comes from a different sandbox than before, because ids start over
 * there. It's called before the response is used. The real service doesn't send a sandbox name.
 *
 * @param known the sandbox that the last response came from, if any
 */
export function onWorld(
  client: Connection,
  known: string | undefined,
  named: (id: string, isOther: boolean) => void,
): void {
  let current = known;
  const attempt: Tap['attempt'] = (_view, _request, sent) =>
    void sent.then((result) => {
      const id = result.reason === undefined ? result.headers.get(SANDBOX_WORLD_HEADER) : undefined;
      if (!id || id === current) return;
      const isOther = current !== undefined;
      current = id;
      named(id, isOther);
    });
  slotState(client, TAPS).add({ attempt, decide() {} });
}

type Extent = WithTransactions['includeTransactions'];

interface InvoiceRead extends Pick<CallOptions, 'maxAttempts'> {
  readonly reason: string;
  readonly extent: Extent;
  readonly priority: Priority;
}

/**
 * Reads an invoice with its payments. If the service refuses to return the payments, reads it
 * without them.
 */
export async function readInvoice(
  connection: Connection,
  invoiceId: string,
  { reason, extent, priority, maxAttempts }: InvoiceRead,
): Promise<Invoice> {
  const client = withPriority(connection, priority);
  const options = { reason, queueTimeout: PLACE_WAIT, maxAttempts };
  try {
    return await get(client, invoiceId, { ...options, includeTransactions: extent });
  } catch (error) {
    if (!extent || !isPaystateError(error) || error.kind !== 'refused') throw error;
    return get(client, invoiceId, options);
  }
}

/** Returns a key for sharing reads. Reads with and without payments have different keys. */
export function readKey(invoiceId: string, extent: Extent): string {
  return extent ? `${invoiceId} with payments` : invoiceId;
}

export function withoutPayments(read: Invoice): Invoice {
  const { transactions: _, ...invoice } = read;
  return invoice;
}
