import { isPaystateError } from '../../core/errors/index.ts';
import {
  beginRead,
  type CallOptions,
  type Connection,
  internals,
  quietly,
  countSent,
  workedAt,
} from '../../core/http/index.ts';
import { Alarm, onAbort } from '../../core/time.ts';
import { frozenCopy, type Observer, sameContent, type Work } from '../../core/watch.ts';
import { get, type InvoiceId, resource as invoices } from '../../resources/invoices.ts';
import { idKey } from '../../resources/resource.ts';
import { currentPage, type CurrentPage } from '../../state/device.ts';
import type { watchInvoice } from '../../state/index.ts';
import { tellChange, tellRead } from '../../state/watch-one.ts';
import { CodeSource } from './code-source.ts';
import { type ClockReading, isWorthShowing, readClocks, sleptSince, TICK_MS } from './quote.ts';
import { asWatched, listCompleted, SettledInvoice } from './settled.ts';
import {
  type CheckoutOptions,
  type CheckoutState,
  type CheckoutView,
  judgeFailure,
  hasMoved,
  isIdle,
  isOver,
  NEW_CHECKOUT,
  stepDue,
  viewDue,
  makeView,
  withSnapshot,
} from './view.ts';

/** The number of recent quotes used to determine how early a code is renewed. */
const MAX_QUOTE_TIMES = 20;

export type Runs = Map<string, CheckoutRun>;

/** Runs all checkouts for one invoice. */
export class CheckoutRun {
  #state: CheckoutState = NEW_CHECKOUT;
  #failures: number = 0;
  #returns: number = 0;
  /** When the next once-a-second check was scheduled. Absent if none is scheduled. */
  #tickedAt: ClockReading | undefined;
  /** Functions that unsubscribe this run. Empty until the first subscriber joins. */
  readonly #stops: (() => void)[] = [];
  readonly #codes: CodeSource;
  readonly settled: SettledInvoice = new SettledInvoice({
    read: (reason) => this.#read(reason),
    hasPayments: () => this.#state.seen?.value?.transactions !== undefined,
    now: () => this.#now.monotonic,
    onTold: () => this.#finish(),
  });
  readonly #subscribers: Subscribers = new Subscribers();
  readonly #alarm: Alarm;
  readonly #life: AbortController = new AbortController();
  readonly #page: CurrentPage = currentPage();
  readonly #client: Connection;
  readonly #invoiceId: InvoiceId;
  readonly #runs: Runs;

  constructor(client: Connection, invoiceId: InvoiceId, runs: Runs) {
    this.#client = client;
    this.#invoiceId = invoiceId;
    this.#runs = runs;
    this.#codes = new CodeSource(client, invoiceId);
    this.#alarm = new Alarm(client[internals].clock, () => this.#change({}));
  }

  get #now(): ClockReading {
    return readClocks(this.#client);
  }

  get #isEnded(): boolean {
    return this.#life.signal.aborted;
  }

  get held(): CheckoutState['held'] {
    return this.#state.held;
  }

  /**
   * When this checkout started to delay its next code request because the rate limit was nearly
   * used up.
   */
  get putOffSince(): number {
    return this.#state.putOffSince ?? Infinity;
  }

  /** Adds a subscriber. The first one starts the run. */
  join(
    to: Observer<CheckoutView>,
    options: CheckoutOptions,
    watch: ReturnType<typeof watchInvoice>,
  ): Work {
    const leave = this.#subscribers.add(to, options);
    const abort = () => to.complete();
    const unlisten = onAbort(options.signal, abort);
    if (options.signal?.aborted) abort();
    if (this.#stops.length === 0) this.#begin(watch);
    else this.touch();
    if (this.settled.isTold && isOver(this.#state.seen?.value)) this.#subscribers.complete();
    const stop = () => {
      unlisten();
      leave();
      if (this.#subscribers.size === 0) this.#halt();
      else this.#change({ pauseAfter: this.#subscribers.pauseAfter });
    };
    const refresh = async () => void (await watch.refresh());
    return { stop, retry: () => this.#retryUnsafe(), refresh };
  }

  #begin(watch: ReturnType<typeof watchInvoice>): void {
    this.#set({ ...this.#presence, hidden: this.#page.isHidden() });
    this.#stops.push(this.#page.listen(() => this.#pageChanged()));
    this.#stops.push(
      watch.subscribe({
        next: (seen) => this.#change(withSnapshot(this.#state, seen, this.#now.monotonic)),
        error: (reason) => this.#end(reason),
      }),
    );
    if (this.#isEnded) this.#halt();
  }

  get #presence(): Pick<CheckoutState, 'touchedAt' | 'pauseAfter'> {
    return { touchedAt: this.#now.monotonic, pauseAfter: this.#subscribers.pauseAfter };
  }

  #halt(): void {
    this.#leave();
    this.#life.abort();
    this.#alarm.stop();
    for (const stop of this.#stops) stop();
  }

  /** Removes this run from the shared map, so later subscribers start a new one. */
  #leave(): void {
    const key = idKey(this.#invoiceId);
    if (this.#runs.get(key) === this) this.#runs.delete(key);
  }

  #end(reason: unknown): void {
    this.#leave();
    if (isPaystateError(reason)) this.#change({ failure: reason, held: undefined });
    this.#subscribers.fail(reason);
  }

  touch(): void {
    const at = this.#now;
    if (this.#isEnded) return;
    if (isIdle(this.#state, at)) return this.#return();
    const isDemanded = this.#state.isDemanded || this.#state.putOffSince !== undefined;
    this.#change({ ...this.#presence, isDemanded });
  }

  #pageChanged(): void {
    const hidden = this.#page.isHidden();
    if (this.#state.hidden && !hidden) this.#return();
    else this.#change({ hidden });
  }

  /**
   * Continues after a pause or after the machine slept. Reads the invoice first, because it may
   * have changed.
   */
  #return(): void {
    const { held } = this.#state;
    const at = this.#now;
    this.#returns++;
    this.#change({
      ...this.#presence,
      hidden: this.#page.isHidden(),
      readFirst: true,
      isDemanded: true,
      held: held && isWorthShowing(held, at) ? held : undefined,
    });
  }

  /** Discards the unsafe code, reads the invoice and requests another code. */
  #retryUnsafe(): void {
    if (this.#isEnded || !this.#subscribers.phases.has('unsafe')) return;
    this.#set({ problem: undefined, held: undefined });
    this.#return();
  }

  #set(change: Partial<CheckoutState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Applies a change, emits the view and schedules the next step. */
  #change(change: Partial<CheckoutState>): void {
    const ticked = this.#tickedAt;
    this.#set(change);
    this.#tickedAt = undefined;
    if (ticked && sleptSince(ticked, this.#now)) return this.#return();
    this.#subscribers.show((includeOnchain) => makeView(this.#state, this.#now, includeOnchain));
    if (this.#subscribers.phases.has('awaiting'))
      this.#set({ shownUntil: this.#state.held?.expiration });
    if (!this.#isEnded) this.#settle();
    if (!this.#isEnded) this.#schedule();
  }

  #schedule(): void {
    const at = this.#now;
    const { phases } = this.#subscribers;
    // the code is unsafe for all subscribers
    const isUnsafe = phases.size === 1 && phases.has('unsafe');
    const due = isUnsafe ? undefined : stepDue(this.#state, at);
    if (due === undefined) this.#set({ putOffSince: undefined });
    else if (due <= at.monotonic) {
      if (this.#mayAsk(at)) return void this.#step();
      if (this.#state.putOffSince === undefined) return this.#change({ putOffSince: at.monotonic });
    }
    this.settled.readIfDue();
    const isWaiting = phases.has('renewing') || this.#state.putOffSince !== undefined;
    const isOften = isWaiting || phases.has('awaiting');
    this.#tickedAt = isOften ? at : undefined;
    const tick = isOften ? at.monotonic + TICK_MS : Infinity;
    const next = due !== undefined && due > at.monotonic ? due : Infinity;
    this.#alarm.set(Math.min(tick, next, this.settled.dueAt, viewDue(this.#state, at)));
  }

  /**
   * Returns whether a code can be requested now. The first code and codes that the payer is waiting
   * for are always allowed. Other codes are requested only if enough of the rate limit is left.
   */
  #mayAsk({ monotonic }: ClockReading): boolean {
    const { readFirst, isDemanded, putOffSince = monotonic } = this.#state;
    if (readFirst || isDemanded || !this.#codes.hasFirst) return true;
    const isFirst = [...this.#runs.values()].every((run) => run.putOffSince >= putOffSince);
    return isFirst && !isCrowded(this.#client);
  }

  async #step(): Promise<void> {
    const { readFirst } = this.#state;
    this.#change({ isBusy: true, putOffSince: undefined });
    try {
      if (readFirst) await this.#readAgain();
      else await this.#renew();
    } catch (thrown) {
      if (!this.#isEnded) this.#fail(thrown, readFirst);
    }
  }

  #options(reason: string): CallOptions & { signal: AbortSignal } {
    // don't retry within the call, because the next step makes the next attempt
    const maxAttempts = this.#failures > 0 ? 1 : undefined;
    return { signal: this.#life.signal, reason, maxAttempts };
  }

  async #readAgain(): Promise<void> {
    const returns = this.#returns;
    await this.#read('back after a pause');
    if (this.#isEnded) return;
    this.#failures = 0;
    this.#change({ isBusy: false, error: undefined, readFirst: returns !== this.#returns });
  }

  /** Reads the invoice with its payments and passes it to all watches of the invoice. */
  async #read(reason: string): Promise<void> {
    const asOf = this.#now.wall;
    const options = { ...this.#options(reason), includeTransactions: true };
    const reading = beginRead(quietly(this.#client));
    const read = await get(reading.connection, this.#invoiceId, options);
    if (this.#isEnded) return;
    this.#set({ completed: listCompleted(read) ?? this.#state.completed });
    tellRead(
      this.#client,
      invoices,
      this.#invoiceId,
      asWatched(this.#client, read),
      asOf - reading.age,
    );
    this.#change({});
  }

  async #renew(): Promise<void> {
    const reason = this.#state.held ? 'the code is about to expire' : 'get a code to show';
    const { took, ...code } = await this.#codes.next(
      this.#state.seen!.value!,
      this.#options(reason),
    );
    if (this.#isEnded) return;
    this.#failures = 0;
    this.#change({
      isBusy: false,
      isDemanded: false,
      isClaimed: false,
      error: undefined,
      ...(took !== undefined && { took: [...this.#state.took, took].slice(-MAX_QUOTE_TIMES) }),
      ...code,
    });
  }

  /**
   * Schedules the next attempt with an increasing delay. Reads the invoice again if its state has
   * changed.
   */
  #fail(thrown: unknown, isRead: boolean): void {
    if (!isPaystateError(thrown)) return this.#end(thrown);
    if (hasMoved(thrown)) tellChange(this.#client, 'invoice', this.#invoiceId);
    const hasWorked = workedAt(this.#client, thrown) !== undefined;
    this.#change(judgeFailure(this.#state, thrown, this.#failures++, this.#now, isRead, hasWorked));
  }

  /** Completes most subscribers once the invoice is settled. A stale read doesn't count. */
  #settle(): void {
    const { value, freshness } = this.#state.seen ?? {};
    if (value && freshness === 'live' && isOver(value)) void this.settled.settle(value.state);
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#subscribers.complete();
    if (!this.#isEnded) this.#schedule();
  }
}

/** The fraction of the rate limit that can be used to renew codes while the user is inactive. */
const MAX_USED_SHARE = 0.7;

/**
 * Returns whether one more quote request would use the part of the rate limit that is reserved for
 * codes that a payer is waiting for.
 */
function isCrowded(client: Connection): boolean {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const { limit } = rateLimits['invoice-quotes'];
  return countSent(client, 'invoice-quotes').length + 1 > MAX_USED_SHARE * rateLimitShare * limit;
}

const PAUSE_AFTER_MS = 600_000;

interface Subscriber {
  readonly to: Observer<CheckoutView>;
  readonly options: CheckoutOptions;
  shown?: CheckoutView;
}

export class Subscribers {
  readonly #all: Set<Subscriber> = new Set();

  get size(): number {
    return this.#all.size;
  }

  get pauseAfter(): number {
    return Math.max(...[...this.#all].map(({ options }) => options.pauseAfter ?? PAUSE_AFTER_MS));
  }

  add(to: Observer<CheckoutView>, options: CheckoutOptions): () => void {
    const subscriber: Subscriber = { to, options };
    this.#all.add(subscriber);
    return () => void this.#all.delete(subscriber);
  }

  /**
   * Emits the view to each subscriber whose view changed. Views are created one by one, because a
   * subscriber's callback may change the state.
   */
  show(viewFor: (includeOnchain: boolean) => CheckoutView): void {
    for (const subscriber of [...this.#all]) {
      const view = frozenCopy(viewFor(subscriber.options.includeOnchain === true));
      if (sameContent(view, subscriber.shown)) continue;
      subscriber.shown = view;
      subscriber.to.next(view);
    }
  }

  get phases(): ReadonlySet<CheckoutView['phase'] | undefined> {
    return new Set([...this.#all].map(({ shown }) => shown?.phase));
  }

  fail(reason: unknown): void {
    for (const { to } of [...this.#all]) to.error(reason);
  }

  complete(): void {
    for (const { to, options } of [...this.#all]) if (options.until !== 'never') to.complete();
  }
}
