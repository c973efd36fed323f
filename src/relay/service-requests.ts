import { isPaystateError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  internals,
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

const NOTE = 'outage';
/**
 * After a request that got no answer pages wait this long, then longer and longer, milliseconds.
 */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** The note of an outage. */
interface OutageNotes {
  note<T>(name: string): T | undefined;
  setNote(name: string, value: object): void;
}

/** Failures in a row, and until when nothing is asked for pages. */
interface Outage {
  readonly failures: number;
  readonly until: number;
}

/** Number of attempts of a request: one where it finds out if the service is back. */
type Tries = Pick<CallOptions, 'maxAttempts'>;

/**
 * While the service is away, one request finds out whether it is back, and not each page of each
 * room. It is kept, so that an object that slept does not begin again.
 */
export class ServiceOutage {
  readonly #store: OutageNotes;
  readonly #clock: Clock;
  readonly #isBack: () => void;
  #isTrying: boolean = false;

  /** @param isBack is called when the service is there again */
  constructor(store: OutageNotes, clock: Clock, isBack: () => void) {
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

/** Webhooks come where one has come within this time, milliseconds. */
const LATELY = 600_000;
/** They come now: the service is there, and its way to us is open. */
const NOW = 60_000;
/** Time for which the subject of one is remembered, milliseconds. */
const MEMORY = 60_000;

/** The state of webhooks: if they come, and what they have told lately. Lost with the object. */
export class WebhookHealth {
  readonly #clock: Clock;
  /** When each subject was told of last, the oldest first. */
  readonly #toldAt: Map<string, number> = new Map();
  #latest: number = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A delivery that was signed has come. */
  note(subject: string): void {
    const now = (this.#latest = this.#clock.now());
    this.#toldAt.delete(subject);
    this.#toldAt.set(subject, now);
    for (const [old, at] of this.#toldAt) {
      if (at > now - MEMORY) break;
      this.#toldAt.delete(old);
    }
  }

  /** One has come then, to another process. */
  noteAt(at: number): void {
    this.#latest = Math.max(this.#latest, Math.min(at, this.#clock.now()));
  }

  /** They come: what was not told has not happened, but for what looks find. */
  get isGood(): boolean {
    return this.#latest > this.#clock.now() - LATELY;
  }

  /** One has come a moment ago. */
  get isComing(): boolean {
    return this.#latest > this.#clock.now() - NOW;
  }

  /** One has told of this subject within the last minute. */
  hasTold(subject: string): boolean {
    return (this.#toldAt.get(subject) ?? -Infinity) > this.#clock.now() - MEMORY;
  }
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

/** Reads single invoices; who asks for the same while it is under way can share it. */
export class InvoiceReads {
  readonly #client: Connection;
  readonly #taken: (read: Invoice, extent: Extent, sentAt: number) => void;
  readonly #underWay: Map<string, Promise<Invoice>> = new Map();

  /** @param taken is given each response before whoever has asked */
  constructor(client: Connection, taken: (read: Invoice, extent: Extent, sentAt: number) => void) {
    this.#client = client;
    this.#taken = taken;
  }

  isUnderWay(invoiceId: string, extent: Extent): boolean {
    return this.#underWay.has(readKey(invoiceId, extent));
  }

  /** The read that is under way, or a new one. */
  share(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    const key = readKey(invoiceId, asked.extent);
    return this.#underWay.get(key) ?? this.#begin(invoiceId, asked, key);
  }

  /** A read that is sent after this call. */
  begin(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    return this.#begin(invoiceId, asked, readKey(invoiceId, undefined));
  }

  #begin(invoiceId: string, asked: InvoiceRead, key: string): Promise<Invoice> {
    const end = () => void (this.#underWay.get(key) === read && this.#underWay.delete(key));
    const read = this.#read(invoiceId, asked).finally(end);
    this.#underWay.set(key, read);
    return read;
  }

  async #read(invoiceId: string, asked: InvoiceRead): Promise<Invoice> {
    const sentAt = this.#client[internals].clock.now();
    const read = await readInvoice(this.#client, invoiceId, asked);
    this.#taken(read, asked.extent, sentAt);
    return withoutPayments(read);
  }
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
