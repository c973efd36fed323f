import type { PaystateError } from '../core/errors/index.ts';
import { blockedFor, isLoginOver, workedAt } from '../core/http/index.ts';
import { each } from '../core/watch.ts';
import { applyFailure, applyProvided, applyValue, confirm, isOutage } from './apply.ts';
import { type AnyEntry, emit, emitApplied, isSettled, noteChecked } from './entry.ts';
import { hasEntry, moveToEnd } from './known.ts';
import { LIVE_MS, type WatchContext } from './plan/planner.ts';
import type { Backlog } from './plan/queue.ts';
import {
  ageOut,
  confirmByFeed,
  freshnessOf,
  isConfirmed,
  listUncovered,
  liveFor,
  markAllStale,
  nextReadAt,
} from './plan/schedule.ts';
import type { ReadResult } from './reader.ts';

/** In a round of more pages than this, what a page misses can wait for the next one. */
const MANY_PAGES = 4;

/** Takes the results of requests in: what they say of values, and of the service being there. */
export class Results {
  readonly #context: WatchContext;
  readonly #backlog: Backlog;
  /** When a value may be too old to be live, monotonic. */
  ageAt: number = Infinity;
  /** Values are not live although the feed may confirm them. */
  #isInDoubt: boolean = false;

  constructor(context: WatchContext, backlog: Backlog) {
    this.#context = context;
    this.#backlog = backlog;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  apply(entry: AnyEntry, { value, error, isMissing }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#context.entries, entry)) return;
    if (error) this.#applyFailure(entry, error, sentAt);
    else if (isMissing) this.#readMissing(entry);
    else if (value === undefined) this.#readAlone(entry);
    else this.applyValue(entry, value, sentAt);
    const isAway = error && (isOutage(error) || this.#isHeldBack(error));
    if (!isAway) this.#endOutage(); // a refusal is a response too
  }

  /** The service has responded to a call of the client: it is there, and takes the credential. */
  respond(): void {
    this.#endOutage();
  }

  /** It is about a credential that has worked: all wait for it, and none ends soon. */
  #isHeldBack(error: PaystateError): boolean {
    return isLoginOver(error) && workedAt(this.#context.client, error) !== undefined;
  }

  /** Takes a value in that was read at `sentAt`, here or elsewhere. */
  applyValue(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { lists } = this.#context;
    if (lists) lists.apply(entry, value, sentAt, (...read) => this.#applyOne(...read));
    else this.#applyOne(entry, value, sentAt);
  }

  #applyOne(entry: AnyEntry, value: unknown, sentAt: number, listAgainAt: number = Infinity): void {
    const wasSettled = isSettled(entry);
    if (entry.readAt === undefined) this.#backlog.queue.dismiss(entry); // this is its first read
    const { readAt, held } = entry;
    const applied = applyValue(entry, value, sentAt, this.#context.clock);
    if (readAt !== undefined && applied.held.state !== held?.state) this.#context.feed.noteMove();
    const againAt = Math.min(applied.confirmAt ?? Infinity, confirm(entry, sentAt), listAgainAt);
    entry.readSentAt = Math.max(entry.readSentAt, sentAt);
    entry.isConfirming = againAt < Infinity;
    moveToEnd(this.#context.entries, entry);
    this.#backlog.setDue(entry, Math.min(againAt, nextReadAt(entry, this.#context)));
    this.ageAt = Math.min(this.ageAt, entry.readSentAt + LIVE_MS);
    // the end of a watch is as good as the read that shows it
    const isNews = isSettled(entry) && !wasSettled;
    const isLive = isNews || isConfirmed(entry, this.#context);
    emitApplied(entry, applied, isLive ? 'live' : 'stale');
  }

  /** Our own relay has read what is held once more, at `at`: that counts as a read of ours. */
  applyConfirmation(entry: AnyEntry, at: number): void {
    const { clock } = this.#context;
    if (entry.readAt === undefined || entry.failures) return;
    const isNews = at > entry.readSentAt;
    if (isNews) {
      entry.readSentAt = at;
      entry.readAt = clock.now() - (this.#now - at);
      noteChecked(entry, entry.readAt);
    }
    if (!entry.isConfirming) this.#backlog.setDue(entry, nextReadAt(entry, this.#context));
    if (!isNews) return;
    this.ageAt = Math.min(this.ageAt, at + LIVE_MS);
    const isOpen = entry.announced !== undefined || entry.held!.contradiction !== undefined;
    const isYoung = this.#now - at < liveFor(entry, this.#context);
    const isLive = isYoung && isConfirmed(entry, this.#context);
    if (!isOpen && isLive) emit(entry, 'live');
  }

  /** Takes a value in that was handed in as of then: it is shown, and read soon. */
  applyProvided(entry: AnyEntry, value: unknown, asOf: number): void {
    if (applyProvided(entry, value, asOf, this.#context.clock))
      this.#backlog.readSoon(entry, 'provided');
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    if (isOutage(error)) this.#beginOutage(error);
    if (this.#isHeldBack(error)) this.#holdBack(error);
    else if (isLoginOver(error))
      for (const other of [...this.#context.entries.values()]) this.#fail(other, error, sentAt);
    if (hasEntry(this.#context.entries, entry)) this.#fail(entry, error, sentAt);
  }

  /** One refusal may be the only one; after two all are in doubt, and after long all end. */
  #holdBack(error: PaystateError): void {
    const { entries, outage } = this.#context;
    const { failures } = outage;
    const isForGood = outage.refuse(this.#now);
    if (isForGood) for (const entry of [...entries.values()]) this.#end(entry, error);
    else if (failures > 0 && outage.failures > failures) this.markAllStale(error);
  }

  #fail(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const { client, clock } = this.#context;
    const worked = workedAt(client, error);
    const { ends, confirmAt, isSlow } = applyFailure(entry, error, sentAt, clock, worked);
    const next = isSlow ? confirmAt : Math.min(confirmAt, nextReadAt(entry, this.#context));
    const at = Math.max(next, this.#now + this.#retryIn(error));
    this.#backlog.setDue(entry, at);
    if (error.status === 404) entry.isReadAlone = false; // a list may show it before it does
    if (ends) this.#end(entry, error);
    else emit(entry, freshnessOf(error, this.#context), error);
  }

  #end(entry: AnyEntry, error: PaystateError): void {
    this.#backlog.remove(entry); // who subscribes again on hearing the error begins anew
    emit(entry, 'failed', error);
    for (const observer of each(entry.observers)) observer.error(error);
  }

  /** Milliseconds for which a failure asks for patience. */
  #retryIn({ retryAt = -Infinity }: PaystateError): number {
    const { client, clock } = this.#context;
    return Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #readAlone(entry: AnyEntry): void {
    entry.isReadAlone = true;
    entry.trigger = 'missing from a list';
    this.#backlog.queue.add(entry, false);
  }

  /**
   * A list of those that are not settled does not hold it: it may have changed. Where a round has
   * many pages, the next one asks for it too.
   */
  #readMissing(entry: AnyEntry): void {
    const { plan, reader } = this.#context;
    const { every, round } = plan.turns.list;
    entry.trigger = 'missing from a page';
    if (round > MANY_PAGES * every && reader.canDefer(entry)) reader.defer(entry);
    else this.#backlog.enqueue(entry, entry.trigger, 0, true);
  }

  /** A poll of the feed has brought all there was: it confirms what it covers. */
  applyPoll(): void {
    this.#endOutage();
    if (this.#context.plan.isMany && this.#isInDoubt) confirmByFeed(this.#context);
    this.#isInDoubt = false;
  }

  /** A poll of the feed has failed: what it confirms ages. */
  failPoll(error: PaystateError): void {
    this.#isInDoubt = true;
    if (isOutage(error)) this.#beginOutage(error);
    if (this.#isHeldBack(error)) this.#holdBack(error);
  }

  /** What was not read for too long is not live. */
  ageOut(): void {
    const [next, isAny] = ageOut(this.#context);
    this.#isInDoubt ||= isAny;
    this.ageAt = next;
  }

  /** Nothing is known to be as it was last read. */
  markAllStale(error: PaystateError): void {
    this.#isInDoubt = true;
    markAllStale(this.#context, error);
  }

  #beginOutage(error: PaystateError): void {
    const { base, outage } = this.#context;
    const { failures } = outage;
    const retryIn = this.#retryIn(error);
    outage.begin(this.#now, retryIn);
    // one failure may be the only one, unless nothing can be asked for a while
    const isKnown = failures > 0 ? outage.failures > failures : retryIn > base;
    if (isKnown) this.markAllStale(error);
  }

  /** One request has succeeded: all that failed or waited go on. */
  #endOutage(): void {
    const { outage, plan } = this.#context;
    const { failures } = outage;
    outage.end();
    if (failures < 2) return; // nothing was in doubt but that request
    plan.source?.wake();
    for (const entry of listUncovered(this.#context))
      this.#backlog.enqueue(entry, 'after an outage');
  }
}
