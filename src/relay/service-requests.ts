import { isPaystateError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  type Priority,
  stateOf,
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
 * After a request that got no answer pages wait this long, then longer and longer, milliseconds.
 */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** Failures in a row, and until when nothing is asked for pages. */
export interface OutageNote {
  readonly failures: number;
  readonly until: number;
}

/** Number of attempts of a request: one where it finds out if the service is back. */
type Tries = Pick<CallOptions, 'maxAttempts'>;

/**
 * While the service is away, one request finds out whether it is back, and not each page of each
 * invoice. It is decided in memory, for requests may come between two operations on rows.
 */
export class ServiceOutage {
  readonly #clock: Clock;
  readonly #changed: (outage: OutageNote) => void;
  #outage: OutageNote = { failures: 0, until: 0 };
  #isTrying: boolean = false;

  /** @param changed is told when the service was found to be away, or back: then nothing failed */
  constructor(clock: Clock, changed: (outage: OutageNote) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Goes on where another process, or the same object before its sleep, has been. */
  resume(outage: OutageNote): void {
    this.#outage = outage;
  }

  /** Asks for a page; throws `Refused` where the service was away a moment ago. */
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
      // several that were under way are one failure
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

/** It did not answer, or said that it cannot. */
function isAway(thrown: unknown): boolean {
  if (!isPaystateError(thrown)) return false;
  const { kind, status } = thrown;
  return kind === 'unreachable' || (status !== undefined && status >= 500);
}

/**
 * Calls `named` where a sandbox answers from another world than before: ids begin again there. It
 * is called before the response is used. The real service has one world, and does not say so.
 *
 * @param known the world that was served last, if one was
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
  stateOf(client, TAPS).add({ attempt, decide() {} });
}

/** True if the payments are read too. */
type Extent = WithTransactions['includeTransactions'];

/** One read of an invoice. */
interface InvoiceRead extends Pick<CallOptions, 'maxAttempts'> {
  readonly reason: string;
  readonly extent: Extent;
  readonly priority: Priority;
}

/** Reads one, whole; where payments are refused, the invoice alone. */
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

/** Reads with payments are counted apart from those without. */
export function readKey(invoiceId: string, extent: Extent): string {
  return extent ? `${invoiceId} with payments` : invoiceId;
}

/** As lists and watches have it. */
export function withoutPayments(read: Invoice): Invoice {
  const { transactions: _, ...invoice } = read;
  return invoice;
}
