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

/** Delay for pages after an unanswered request, in milliseconds. It doubles up to the longest. */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** Number of failures in a row, and until when pages send nothing to the service. */
export interface OutageNote {
  readonly failures: number;
  readonly until: number;
}

/** Number of attempts. It's one for a request that tests whether the service is back. */
type Tries = Pick<CallOptions, 'maxAttempts'>;

/**
 * Lets a single request test whether the service is back, instead of one for each page of each
 * invoice. Decides in memory, because requests may start between two operations on rows.
 */
export class ServiceOutage {
  readonly #clock: Clock;
  readonly #changed: (outage: OutageNote) => void;
  #outage: OutageNote = { failures: 0, until: 0 };
  #isTrying: boolean = false;

  /** @param changed called when the service goes down, and with 0 failures when it's back */
  constructor(clock: Clock, changed: (outage: OutageNote) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Continues from the note of another process, or of the same object before it slept. */
  resume(outage: OutageNote): void {
    this.#outage = outage;
  }

  /** Sends a request for a page. Throws `Refused` if the service was down a moment ago. */
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
      // concurrent failures count once
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

/** Returns whether the service didn't respond, or responded that it can't. */
function isAway(thrown: unknown): boolean {
  if (!isPaystateError(thrown)) return false;
  const { kind, status } = thrown;
  return kind === 'unreachable' || (status !== undefined && status >= 500);
}

/**
 * Calls `named` if a sandbox responds from a different world, where ids start again. Called before
 * the response is used. The real service has one world, and sends no name.
 *
 * @param known the world of the last response, if there was one
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

/** Reads an invoice with its payments, or without them if they're refused. */
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

/** Returns a key that counts reads with payments separately. */
export function readKey(invoiceId: string, extent: Extent): string {
  return extent ? `${invoiceId} with payments` : invoiceId;
}

export function withoutPayments(read: Invoice): Invoice {
  const { transactions: _, ...invoice } = read;
  return invoice;
}
