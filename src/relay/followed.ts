import type { Clock } from '../core/time.ts';
import { type Invoice, invoiceStates } from '../resources/invoices.ts';
import type { ReconcileResult } from '../webhooks/index.ts';
import type { AccountStore } from './account-store.ts';
import type { Confirmations } from './invoice-keeper.ts';
import { type InvoiceReader, isOpen } from './invoice-reader.ts';
import type { WebhookHealth } from './service-requests.ts';

/** The parts that following works with. */
interface FollowingParts {
  readonly store: AccountStore;
  readonly reader: InvoiceReader;
  readonly clock: Clock;
  readonly confirmations: Confirmations;
  /** Absent where none are awaited: then all are watched. */
  readonly webhooks: WebhookHealth | undefined;
  /** Checks one, with others by the same list. */
  readonly look: (invoiceId: string) => Promise<Invoice>;
  /** Number of invoices that one list reads. */
  readonly width: () => number;
  /** Reads the event feed to its end; to nothing where it could not be read. */
  readonly reconcile: () => Promise<ReconcileResult | undefined>;
  /** True if the feed may be read. */
  readonly mayReadFeed: () => boolean;
  /** When the feed was last read to its end. */
  readonly reconciledAt: () => number;
  /** The alarm has to ring then. */
  readonly planned: (at: number) => void;
}

const MINUTE = 60_000;
/**
 * If no webhook has come lately, or few invoices are followed, all are watched for this time after
 * a page came, milliseconds: most pay at once, or soon.
 */
const STIRRED = MINUTE;
/**
 * Up to this number of unsettled invoices are watched for a third of the limit, and are seen to be
 * paid without a webhook.
 */
const FEW = 10;
/** It is not written down for less, milliseconds. */
const WORTH_WRITING = 5_000;
/** The same after a change that a look has found: webhooks are late, or do not come. */
const UNTOLD = 600_000;
/** Time for a webhook to announce a change that a check has found, milliseconds. */
const TELL_WITHIN = 2_000;
/** Interval between checks of all invoices at rest; longer after a check that failed. */
const LOOK_EVERY = 25_000;
const LOOK_AGAIN = 50_000;
/** An invoice that was read within this time is not checked, milliseconds. */
const JUST_READ = 20_000;
/**
 * Lists of one look: 240 in ten minutes. Of more invoices the event feed tells, and a few are read.
 */
const MOST_LISTS = 10;
const LISTS_BESIDE_FEED = 2;
/** The feed was read this lately, so that what it did not tell has not happened; milliseconds. */
const TOLD_BY_FEED = 600_000;
const NOTE = 'followed';

/** The state that outlives the object's sleep. */
interface Rest {
  /** Until then all are watched. */
  readonly until: number;
  /** The same, unless webhooks come. */
  readonly stirredUntil: number;
  /** All were as they are kept. */
  readonly trueAt: number;
  readonly nextLookAt: number;
}

/**
 * The invoices that pages follow. Where webhooks come nothing is watched: what they tell is read
 * once, and the object sleeps. Its alarm checks all of them by lists, or by the event feed where
 * there are many, in case a webhook was lost. Where none come, or few of them are not settled,
 * those are watched, which keeps the object awake.
 */
export class FollowedInvoices {
  readonly #parts: FollowingParts;
  #rest: Rest;
  #looking: Promise<void> | undefined;
  /** Invoices of which nothing is known, and whose first read is under way. */
  readonly #opening: Set<string> = new Set();
  /** Changes that looks have found, and no webhook has told of. */
  readonly #untold: Set<string> = new Set();

  constructor(parts: FollowingParts) {
    this.#parts = parts;
    const blank = { until: 0, stirredUntil: 0, trueAt: 0, nextLookAt: 0 };
    this.#rest = { ...blank, ...parts.store.note<Rest>(NOTE) };
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  /**
   * Pages show this one, for this time at least. `isNew`: something happens, if nothing says
   * otherwise.
   */
  follow(invoiceId: string, ms: number, isActive: boolean = !this.#isFollowed(invoiceId)): void {
    const { store, reader } = this.#parts;
    const wasWatching = this.isWatching;
    store.follow(invoiceId, this.#now + ms, this.#now);
    if (isActive && this.#isWorthWatching) this.#stir('stirredUntil', STIRRED);
    const { isWatching } = this;
    if (wasWatching && !isWatching) this.#watchNothing(); // they have become too many
    if (isWatching && this.#watchableIds().includes(invoiceId)) reader.watch(invoiceId);
    else this.#rely(invoiceId);
  }

  /** No webhook may tell of what happens, or watching costs little. */
  get #isWorthWatching(): boolean {
    return !this.#parts.webhooks?.isGood || this.#watchableIds().length <= FEW;
  }

  /**
   * Lists the invoices to watch. Settled ones are left to webhooks; without webhooks, every invoice
   * is watched.
   */
  #watchableIds(): readonly string[] {
    const { webhooks, store } = this.#parts;
    return webhooks
      ? store.followedIds(this.#now, (state) => !invoiceStates.isSettled(state))
      : this.#ids();
  }

  /** It is checked by alarm; at once where nothing is known of it. */
  #rely(invoiceId: string): void {
    const { store, planned } = this.#parts;
    if (!store.version(invoiceId)) void this.#readFirst(invoiceId);
    if (this.#looking || this.#rest.nextLookAt > this.#now) return;
    const isFirst = this.#ids().length === 1;
    // of many pages one speaks at any time: a look that is due is not put off for it
    if (isFirst) this.#note({ nextLookAt: this.#now + LOOK_EVERY });
    planned(this.#rest.nextLookAt);
  }

  /** One read for all pages that open meanwhile; where it fails, the next look reads it. */
  async #readFirst(invoiceId: string): Promise<void> {
    if (this.#opening.has(invoiceId)) return;
    this.#opening.add(invoiceId);
    await this.#parts.look(invoiceId).catch(() => {});
    this.#opening.delete(invoiceId);
  }

  /** They are watched now; otherwise an alarm checks them. */
  get isWatching(): boolean {
    const { webhooks, mayReadFeed } = this.#parts;
    if (!webhooks || this.#now < this.#rest.until) return true;
    if (this.#now < this.#rest.stirredUntil && this.#isWorthWatching) return true;
    return !mayReadFeed() && this.#ids().length > this.#most;
  }

  /** Number of invoices that lists can read. */
  get #most(): number {
    return MOST_LISTS * this.#parts.width();
  }

  /** When the alarm has to look, or to see what is still followed; never where nothing is. */
  get nextAt(): number {
    const now = this.#now;
    if (this.#ids().length === 0) return Infinity;
    if (!this.isWatching) return this.#rest.nextLookAt;
    const end = Math.max(this.#rest.until, this.#rest.stirredUntil);
    return Math.min(this.#parts.webhooks && end > now ? end : Infinity, now + MINUTE);
  }

  /** Watches what is to be watched, after an eviction or when time has passed. */
  resume(): void {
    this.#parts.reader.watchOnly(this.isWatching ? this.#watchableIds() : []);
  }

  /** A webhook has told of this subject: where all are told, nothing is watched any more. */
  hear(subject: string): void {
    const { until, stirredUntil } = this.#rest;
    const isLastUntold = this.#untold.delete(subject) && this.#untold.size === 0;
    if (Math.max(until, stirredUntil) <= this.#now || (until > this.#now && !isLastUntold)) return;
    this.#watchNothing();
  }

  /** From now on alarms check them. */
  #watchNothing(): void {
    const nextLookAt = this.#now + LOOK_EVERY;
    this.#note({ until: 0, stirredUntil: 0, nextLookAt });
    this.resume();
    this.#parts.planned(nextLookAt);
  }

  /** Age of the last confirmation, milliseconds. */
  confirmedFor(invoiceId: string): number | undefined {
    const { reader, confirmations } = this.#parts;
    if (reader.isWatched(invoiceId)) return reader.isLive(invoiceId) ? 0 : undefined;
    const at = confirmations.of(invoiceId, this.#rest.trueAt);
    return at === undefined ? undefined : this.#now - at;
  }

  /**
   * A page that opens need not read it: nothing has happened since it was read, as far as is told.
   */
  isKnown(invoiceId: string): boolean {
    const { reader, webhooks, reconciledAt, store } = this.#parts;
    if (reader.isWatched(invoiceId)) {
      const { value } = store.version(invoiceId) ?? {};
      return value !== undefined && isOpen(value) && reader.isLive(invoiceId);
    }
    const age = this.confirmedFor(invoiceId);
    if (age === undefined || !webhooks) return false;
    if (age < LOOK_EVERY + JUST_READ) return true;
    return webhooks.isComing && Math.min(age, this.#now - reconciledAt()) < TOLD_BY_FEED;
  }

  /** Looks at all of them where it is time. Never rejects. */
  look(): Promise<void> {
    if (this.isWatching || this.#now < this.#rest.nextLookAt) return Promise.resolve();
    return this.lookNow();
  }

  /** Looks at all of them unless they are watched: the service is there again. Never rejects. */
  lookNow(): Promise<void> {
    if (this.isWatching || this.#ids().length === 0) return Promise.resolve();
    this.#looking ??= this.#lookOnce()
      .catch(() => {}) // it could not be kept: the next alarm looks
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const startedAt = this.#now;
    const ids = this.#ids();
    const isMany = ids.filter((id) => this.#isOpen(id)).length > this.#most;
    const { complete = !isMany, gaps = [] } = (isMany && (await this.#parts.reconcile())) || {};
    const isRead = complete && (await this.#lookAt(this.#oldest(ids, isMany), startedAt));
    const isTrue = isRead && gaps.length === 0;
    this.#note({
      nextLookAt: startedAt + (isRead ? LOOK_EVERY : LOOK_AGAIN),
      ...(isTrue && { trueAt: startedAt }),
    });
  }

  /** Returns the invoices read longest ago, as many as one check reads; settled ones come last. */
  #oldest(ids: readonly string[], isMany: boolean): readonly string[] {
    const { store, confirmations, width } = this.#parts;
    const due = ids.flatMap((id) => {
      const at = confirmations.of(id, 0) ?? 0;
      return at > this.#now - JUST_READ ? [] : [{ id, at: this.#isOpen(id) ? at : at + MINUTE }];
    });
    const unknown = due.filter(({ id }) => !store.version(id)).length; // of them no event tells
    const most = isMany
      ? Math.max(LISTS_BESIDE_FEED * width(), Math.min(unknown, this.#most))
      : this.#most;
    return due
      .sort((one, other) => one.at - other.at)
      .slice(0, most)
      .map(({ id }) => id);
  }

  /**
   * True if all could be read, and are kept as they were read. After a failure, one finds out
   * first.
   */
  async #lookAt(ids: readonly string[], startedAt: number): Promise<boolean> {
    const { store, look } = this.#parts;
    const stateOf = (id: string) => store.version(id)?.value.state;
    const news: string[] = [];
    const lookAt = async (id: string): Promise<boolean> => {
      const before = stateOf(id);
      const { state } = await look(id);
      if (before !== undefined && state !== before) news.push(id);
      return state === stateOf(id);
    };
    const hasFailed = this.#rest.trueAt < startedAt - LOOK_AGAIN;
    const probes = hasFailed ? ids.slice(0, 1) : [];
    const ends = await Promise.allSettled(probes.map(lookAt));
    if (ends.every(({ status }) => status === 'fulfilled'))
      ends.push(...(await Promise.allSettled(ids.slice(probes.length).map(lookAt))));
    if (news.length > 0) await this.#waitForWebhooks(news);
    const seen = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    return seen.length === ids.length && seen.every((isKept) => isKept);
  }

  /**
   * If a read came before the webhook, the webhook still comes; else all are watched from now on.
   */
  async #waitForWebhooks(news: readonly string[]): Promise<void> {
    const { clock, webhooks } = this.#parts;
    await clock.wait(TELL_WITHIN);
    for (const subject of news.map((id) => `invoice:${id}`))
      if (!webhooks?.hasTold(subject)) this.#untold.add(subject);
    if (this.#untold.size > 0) this.#stir('until', UNTOLD);
  }

  /** Watches all invoices for this time, because something happens. */
  #stir(what: 'until' | 'stirredUntil', ms: number): void {
    const wasWatching = this.isWatching;
    const until = Math.max(this.#rest[what], this.#now + ms);
    if (wasWatching && until < this.#rest[what] + WORTH_WRITING) return;
    this.#note({ [what]: until, nextLookAt: until, trueAt: 0 });
    if (!wasWatching) this.resume();
  }

  /** It may be paid yet, or is not known. */
  #isOpen(invoiceId: string): boolean {
    const version = this.#parts.store.version(invoiceId);
    return !version || isOpen(version.value);
  }

  #note(change: Partial<Rest>): void {
    this.#rest = { ...this.#rest, ...change };
    this.#parts.store.setNote(NOTE, this.#rest);
  }

  #ids(): readonly string[] {
    return this.#parts.store.followedIds(this.#now);
  }

  #isFollowed(invoiceId: string): boolean {
    return this.#parts.store.isFollowed(invoiceId, this.#now);
  }
}
