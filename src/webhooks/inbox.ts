import {
  badInput,
  checkArgument,
  checkOptions,
  didYouMean,
  type Expected,
} from '../core/errors/index.ts';
import { type Connection, internals, checkClient } from '../core/http/index.ts';
import { type Clock, within } from '../core/time.ts';
import type { DeadLetter, InboxStore } from '../stores/inbox-store.ts';
import { checkLasting } from '../stores/store.ts';
import { processSubject } from './process-subject.ts';
import { allHandlerNames, PLACE_WAIT, RESOURCES } from './reads.ts';
import {
  type FeedProgress,
  feedReadAt,
  FeedReader,
  receive,
  type Receiving,
  reportFaults,
  type ReconcileResult,
} from './receive.ts';
import {
  type Handler,
  type HandlerContext,
  type Handlers,
  type InboxProblem,
  type ResourceReads,
  type Setup,
  makeSetup,
  type UnhandledEvent,
} from './setup.ts';
import { Slots, shareNext } from './slots.ts';
import { makeRedelivery } from './subject-state.ts';
import { checkVerifyOptions, listKeys } from './verify.ts';

/** Options for an inbox. */
export interface InboxOptions<Tx> {
  /** The client that reads resources and the event feed. */
  readonly client: Connection;
  /**
   * The secrets that deliveries may be signed with, newest first. Keep an old secret for ten days.
   * If you have several accounts, each needs its own route and inbox.
   */
  readonly secrets: string | readonly string[];
  /**
   * The store that keeps events until they're handled. It must be durable, except with a sandbox or
   * with `memoryInboxStore({ mayForget: true })`.
   */
  readonly store: InboxStore<Tx>;
  /**
   * Handlers by state, such as `invoicePaid`, and by event type under `event`. The inbox only reads
   * resources that have a handler, `otherwise` or `read`.
   */
  readonly on: Handlers<Tx>;
  /** Handles events and states without a handler in `on`. */
  readonly otherwise?: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /**
   * Called with problems that no caller is waiting for. These include failed handlers, dead
   * letters, gaps, delays, and server misconfigurations that make deliveries unreadable.
   */
  readonly onProblem?: ((problem: InboxProblem) => void) | undefined;
  /**
   * Custom read functions, by resource. A resource with a custom read is read after each of its
   * events.
   */
  readonly read?: ResourceReads | undefined;
  /** The name of the signature header. Defaults to `X-Webhook-Signature`. */
  readonly signatureHeader?: string | undefined;
  /** The maximum size of a body in bytes. Defaults to 65,536. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long `handle` keeps working after its response, in milliseconds. Defaults to 25,000. With
   * 0, it does a single pass and leaves the rest to your next `drain` call.
   */
  readonly drainTimeout?: number | undefined;
  /**
   * How long a handler may run, in milliseconds. Defaults to 300,000. A longer run counts as
   * failed, so the handler may run again.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * How long a handler may run before it counts as slow, in milliseconds. Defaults to 30,000. A
   * slow handler no longer blocks other work, and `onProblem` receives `handler-slow`. It may still
   * finish within `leaseDuration`, and doesn't run again before that.
   */
  readonly handlerTimeout?: number | undefined;
}

/** The progress of an inbox. Times are in milliseconds since 1970. */
export interface InboxStatus {
  /** All events created before this time are in the store. Absent until the feed has been read. */
  readonly recordedTo?: number | undefined;
  /** All events created before this time have been handled or became dead letters. */
  readonly handledTo?: number | undefined;
  /** The number of events that haven't been handled yet. */
  readonly open: number;
  /**
   * The number of dead letters, which are handler runs that failed for good. Each of them needs
   * manual attention. See `deadLetters` and `redeliver`.
   */
  readonly deadLetters: number;
  /** When to call `drain` next. Absent if nothing is waiting. */
  readonly nextDue?: number | undefined;
}

/** A queue for webhook deliveries and events from the feed. Each event is handled at least once. */
export interface Inbox {
  /**
   * Responds to a delivery once it's stored. Then processes it in the background, for as long as
   * `waitUntil` allows. Never rejects.
   */
  handle(
    request: Request,
    context?: { waitUntil?(work: Promise<unknown>): void },
  ): Promise<Response>;
  /**
   * Does all the work that is due. Call it from an alarm. Resolves to the time when more work is
   * due, or to `undefined` if there's none.
   */
  drain(): Promise<number | undefined>;
  /**
   * Reads events from the feed that no webhook has delivered, and processes them. Call it at
   * startup and every few minutes.
   */
  reconcile(): Promise<ReconcileResult>;
  /**
   * Calls `reconcile` every five minutes and `drain` when work is due, until the signal aborts. Use
   * it in long-running processes.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Runs a dead letter's handler again, with the same number of attempts as before. Resolves to
   * false if there's no dead letter with this key.
   */
  redeliver(key: string): Promise<boolean>;
  /**
   * The number of handlers in this process that have exceeded `handlerTimeout` and are still
   * running.
   */
  readonly stuck: number;
  /** Returns the dead letters, the handler runs that failed for good. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Returns the progress of the inbox from its store, without sending a request. */
  status(): Promise<InboxStatus>;
}

const SLOTS = 20;
/**
 * The interval at which a long-running process checks for other work while handlers run, in
 * milliseconds.
 */
const LOOK_AGAIN = 1_000;
/**
 * How much longer a subject's first lease lasts than a read can take, in milliseconds. When a
 * handler starts, it extends the lease to `leaseDuration`, if the lease is still valid. If a
 * process crashes before that, the work is only delayed by the first lease. A handler never runs
 * twice at the same time.
 */
const MARGIN = 5_000;
/**
 * The delay between the response and the start of work, in milliseconds. Events that arrive in the
 * meantime are read together.
 */
const GATHER = 50;
const RETRY = 5_000;
/** How long platforms allow work after a response, minus a safety margin, in milliseconds. */
const DRAIN_TIMEOUT = 25_000;
const LEASE_DURATION = 300_000;
const HANDLER_TIMEOUT = 30_000;
const RECONCILE = 300_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const LATE = 25;

/**
 * Creates an inbox. It verifies and stores webhook deliveries, responds, and then processes them
 * together with events from the feed. Stored events survive a crash. A handler runs at least once
 * per state, always with the same key. Creating an inbox doesn't send a request.
 *
 * `invoicePaid` runs for any paid invoice in the account. Anyone can create an invoice for a cent
 * with the `correlationId` of an expensive order. Before you ship, compare its id, amount,
 * currency, `correlationId` and receiver with what you stored when you created the order's invoice.
 * The `orderPaid` handler of `AccountObject` in `paystate/relay` does this check for you.
 *
 * @throws WebhookError `SECRET_INVALID` if a secret is unusable. InputError if another option is
 * invalid, or a handler has an unknown name
 *
 * @example
 * const inbox = createInbox({
 *   client, secrets: env.WEBHOOK_SECRET, store: sqlInboxStore(driver),
 *   on: {
 *     invoicePaid(invoice, { key }) {
 *       // the invoice as it was when you made it, by the order's id
 *       const made = orders.get(invoice.correlationId ?? '');
 *       const isOurs =
 *         made?.invoiceId === invoice.invoiceId &&
 *         made.receiverId === invoice.receiverId &&
 *         isSameMoney(made.amount, invoice.amount);
 *       return isOurs ? ship(invoice.correlationId, key) : undefined;
 *     },
 *   },
 * });
 * return inbox.handle(request, ctx);
 */
export function createInbox<Tx>(options: InboxOptions<Tx>): Inbox {
  checkInboxOptions(options);
  const { client, store, on, otherwise, onProblem, read } = options;
  const { signatureHeader, maxBodyBytes, drainTimeout = DRAIN_TIMEOUT } = options;
  const { leaseDuration = LEASE_DURATION, handlerTimeout = HANDLER_TIMEOUT } = options;
  const keys = listKeys(options.secrets);
  const times = { leaseDuration, handlerTimeout };
  const setup = makeSetup({ client, store, on, otherwise, onProblem, read, ...times });
  const receiving = {
    keys,
    fault: reportFaults(setup.report),
    drift: client[internals].settings.drift,
    store,
    options: { clock: client[internals].clock, signatureHeader, maxBodyBytes },
  };
  return new StoredInbox(setup, receiving, drainTimeout);
}

interface Begun {
  readonly work: readonly Promise<void>[];
  readonly isFull: boolean;
}

class StoredInbox<Tx> implements Inbox {
  readonly #setup: Setup<Tx>;
  readonly #clock: Clock;
  readonly #receiving: Receiving;
  readonly #drainTimeout: number;
  readonly #feed: FeedReader<Tx>;
  readonly #slots: Slots = new Slots();
  readonly #begin: () => Promise<Begun>;
  /**
   * The number of deliveries so far. `#waiting` is the number of the latest delivery that is
   * waiting for work to become due.
   */
  #turns: number = 0;
  #waiting: number = 0;

  constructor(setup: Setup<Tx>, receiving: Receiving, drainTimeout: number) {
    this.#setup = setup;
    this.#clock = setup.client[internals].clock;
    this.#receiving = receiving;
    this.#drainTimeout = drainTimeout;
    this.#feed = new FeedReader(setup);
    this.#begin = shareNext(() => this.#lease());
  }

  get stuck(): number {
    return this.#slots.stuck;
  }

  async handle(
    request: Request,
    context?: { waitUntil?(work: Promise<unknown>): void },
  ): Promise<Response> {
    const response = await receive(this.#receiving, request);
    if (response.status !== 200) return response;
    const work = this.#drainAfterResponse();
    context?.waitUntil?.(work);
    return response;
  }

  async #drainAfterResponse(): Promise<void> {
    const end = this.#clock.now() + this.#drainTimeout;
    const turn = ++this.#turns;
    try {
      await this.#clock.wait(GATHER);
      for (let due = await this.drain(); due !== undefined && due < end; due = await this.drain())
        if (!(await this.#isNewestUntil(due, turn))) return;
    } catch (error) {
      this.#setup.report({ kind: 'store-failed', error });
    }
  }

  /**
   * Waits until work is due. Resolves to false if a later delivery is waiting too, because that one
   * also does this delivery's work.
   */
  async #isNewestUntil(due: number, turn: number): Promise<boolean> {
    this.#waiting = Math.max(this.#waiting, turn);
    if (this.#waiting === turn) await this.#clock.wait(due - this.#clock.now());
    return this.#waiting === turn;
  }

  async drain(): Promise<number | undefined> {
    const own: Promise<void>[] = [];
    for (;;) {
      const { work, isFull } = await this.#begin();
      own.push(...work);
      if (isFull) await this.#slots.waitForSlot();
      else if (own.length > 0) await Promise.all(own.splice(0));
      else return (await this.#setup.store.counts()).nextDue;
    }
  }

  async #lease(): Promise<Begun> {
    const { store, report, leaseDuration, client } = this.#setup;
    const { callTimeout } = client[internals].settings;
    const duration = Math.min(leaseDuration, callTimeout + PLACE_WAIT + MARGIN);
    const free = SLOTS - this.#slots.taken;
    if (free <= 0) return { work: [], isFull: true };
    const leases = await store.lease(this.#clock.now(), duration, free);
    const failed = (error: unknown): void => report({ kind: 'store-failed', error });
    const work = leases.map((lease) =>
      this.#slots.run((leave) => processSubject(this.#setup, lease, leave), failed),
    );
    return { work, isFull: leases.length >= free };
  }

  async reconcile(): Promise<ReconcileResult> {
    try {
      const result = await this.#feed.read();
      await this.drain();
      return result;
    } finally {
      await this.#reportDelays();
    }
  }

  async #reportDelays(): Promise<void> {
    const { store, report } = this.#setup;
    const now = this.#clock.now();
    const readAt = await feedReadAt(this.#setup);
    const { oldest = Infinity } = await store.counts();
    if (readAt < now - HOUR) report({ kind: 'feed-late', since: readAt });
    if (oldest < now - LATE * DAY) report({ kind: 'backlog-late', since: oldest });
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let next = this.#clock.now(); !signal.aborted; ) {
      try {
        const isFeedDue = next <= this.#clock.now();
        if (isFeedDue) next = this.#clock.now() + RECONCILE;
        await this.#workAWhile(isFeedDue ? this.reconcile() : this.drain());
        const { nextDue = Infinity } = await this.#setup.store.counts();
        await this.#clock.wait(Math.min(nextDue, next) - this.#clock.now(), signal);
      } catch (error) {
        this.#setup.report({ kind: 'store-failed', error });
        await this.#clock.wait(RETRY, signal);
      }
    }
  }

  /**
   * Waits a short time for the work to end. Rejects if it fails during that time. Longer work
   * continues in the background.
   */
  async #workAWhile(work: Promise<unknown>): Promise<void> {
    const ended = await within(
      this.#clock,
      LOOK_AGAIN,
      work.then(() => true),
    );
    if (!ended) work.catch((error: unknown) => this.#setup.report({ kind: 'store-failed', error }));
  }

  async redeliver(key: string): Promise<boolean> {
    const letter = (await this.deadLetters()).find((one) => one.key === key);
    if (letter === undefined) return false;
    const isBack = await this.#setup.store.requeue(key, makeRedelivery(letter, this.#clock.now()));
    if (isBack) void this.#drainAfterResponse();
    return isBack;
  }

  deadLetters(): Promise<readonly DeadLetter[]> {
    return this.#setup.store.deadLetters();
  }

  async status(): Promise<InboxStatus> {
    const { store } = this.#setup;
    const progress = (await store.cursor()) as FeedProgress | undefined;
    const { oldest, ...counts } = await store.counts();
    if (progress?.recordedTo === undefined) return counts;
    const recordedTo = progress.recordedTo * 1_000;
    return { ...counts, recordedTo, handledTo: Math.min(recordedTo, oldest ?? Infinity) };
  }
}

const INBOX_OPTIONS: Expected<InboxOptions<unknown>> = {
  client: 'any',
  secrets: 'any',
  store: 'any',
  on: 'any',
  otherwise: 'function',
  onProblem: 'function',
  read: 'object',
  signatureHeader: 'string',
  maxBodyBytes: 'number',
  drainTimeout: 'number',
  leaseDuration: 'number',
  handlerTimeout: 'number',
};

/** Throws for invalid options right away. Otherwise every delivery would fail later. */
function checkInboxOptions<Tx>(options: InboxOptions<Tx>): void {
  checkOptions(options ?? null, INBOX_OPTIONS);
  const { client, store, on, read = {} } = options;
  checkClient(client);
  if (typeof store?.lease !== 'function')
    throw badInput('store', 'must be an inbox store, such as sqlInboxStore(driver)');
  const url = client[internals].baseUrl();
  checkLasting(
    store,
    url,
    'store',
    'a crash would lose events that the service counts as delivered',
  );
  checkHandlers(on);
  checkNames('read.', read, Object.keys(RESOURCES), 'is not a resource');
  checkVerifyOptions(options);
  const { drainTimeout = 0, leaseDuration = 1, handlerTimeout = 1 } = options;
  if (!(Number.isFinite(drainTimeout) && drainTimeout >= 0))
    throw badInput('drainTimeout', 'must be a number of milliseconds, 0 or more');
  if (!(Number.isFinite(leaseDuration) && leaseDuration > 0))
    throw badInput('leaseDuration', 'must be a number of milliseconds above 0');
  if (!(Number.isFinite(handlerTimeout) && handlerTimeout > 0))
    throw badInput('handlerTimeout', 'must be a number of milliseconds above 0');
}

/** Throws for a handler with an unknown name, because it would never be called. */
function checkHandlers(on: object): void {
  if (typeof on !== 'object' || on === null || Array.isArray(on))
    throw badInput('on', 'must be an object with handlers, or {} for none');
  const { event = {}, ...states } = on as { readonly event?: object };
  const advice = 'is not the name of a handler: use a resource and a state, such as invoicePaid';
  checkNames('on.', states, allHandlerNames(), advice);
  checkArgument('on.event', event, 'object');
  for (const [name, value] of Object.entries(event))
    checkArgument(`on.event.${name}`, value, 'function');
}

function checkNames(path: string, given: object, names: readonly string[], advice: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) throw badInput(path + name, advice + didYouMean(name, names));
    checkArgument(path + name, value, 'function');
  }
}
