import type { PaystateError } from '../core/errors/index.ts';
import { blockedFor, isLoginOver, workedAt } from '../core/http/index.ts';
import { each } from '../core/watch.ts';
import { applyFailure, applyProvided, applyValue, confirm, isOutage } from './apply.ts';
import {
  type AnyEntry,
  emit,
  emitApplied,
  isAtRest,
  isSettled,
  noteChecked,
  ReadWaits,
} from './entry.ts';
import { hasEntry, moveToEnd } from './known.ts';
import type { AskedReads } from './asked.ts';
import { LIVE_MS, type WatchContext } from './plan.ts';
import {
  ageOut,
  confirmByFeed,
  chooseFreshness,
  isConfirmed,
  listUncovered,
  liveFor,
  markAllStale,
  nextReadAt,
} from './freshness.ts';
import type { ReadResult } from './reads.ts';

/** Applies the results of requests to the watched values, and tracks whether the service is up. */
export class Results {
  /** Callers that are waiting for a requested read. */
  readonly waits: ReadWaits = new ReadWaits();
  readonly #context: WatchContext;
  readonly #asked: AskedReads;
  /** When the next value might become too old to be live, on the monotonic clock. */
  ageAt: number = Infinity;
  /** Whether any values became stale that the next successful poll might confirm. */
  #hasStale: boolean = false;

  constructor(context: WatchContext, asked: AskedReads) {
    this.#context = context;
    this.#asked = asked;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Applies the result of a read. Emits the new snapshot and schedules the next read. */
  apply(entry: AnyEntry, { value, error, isMissing, age = 0 }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#context.entries, entry)) return;
    if (error) this.#applyFailure(entry, error, sentAt);
    else if (value !== undefined) {
      this.applyValue(entry, value, sentAt - age);
      // the entry counts as read, even if the response was old
      entry.readSentAt = Math.max(entry.readSentAt, sentAt);
    } else if (isMissing) this.#asked.ask(entry, 'missing from a page', 'missing');
    else if (entry.observers) {
      // if a list of ids doesn't include an entry, its state is still unknown
      entry.isReadAlone = true;
      this.#asked.ask(entry, 'missing from a list', 'again', 0, true);
    }
    const isAway = error && (isOutage(error) || this.#isHeldBack(error));
    if (!isAway) this.endOutage(); // a refusal also shows that the service is up
  }

  /**
   * Returns whether the service refused a credential that used to work. In that case, watches don't
   * end immediately.
   */
  #isHeldBack(error: PaystateError): boolean {
    return isLoginOver(error) && workedAt(this.#context.client, error) !== undefined;
  }

  /** Applies a value from a read sent at `sentAt`, either by this client or by our relay. */
  applyValue(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { lists } = this.#context;
    if (lists) lists.apply(entry, value, sentAt);
    else this.applyOne(entry, value, sentAt);
  }

  /**
   * Applies the value of one entry, which may be a list. `listAgainAt` is when to reread the list.
   */
  applyOne(entry: AnyEntry, value: unknown, sentAt: number, listAgainAt: number = Infinity): void {
    const wasSettled = isSettled(entry);
    this.#asked.answer(entry, sentAt);
    const applied = applyValue(entry, value, sentAt, this.#context.clock);
    const againAt = Math.min(applied.confirmAt ?? Infinity, confirm(entry, sentAt), listAgainAt);
    entry.readSentAt = Math.max(entry.readSentAt, sentAt);
    entry.trueAt = Math.max(entry.trueAt, sentAt);
    entry.isConfirming = againAt < Infinity;
    moveToEnd(this.#context.entries, entry);
    this.#asked.setDue(entry, Math.min(againAt, nextReadAt(entry, this.#context)));
    this.ageAt = Math.min(this.ageAt, entry.trueAt + LIVE_MS);
    // a value that has just settled is always live, because its watch ends with it
    const isSettledNow = isSettled(entry) && !wasSettled;
    const isYoung = this.#now - entry.trueAt <= liveFor(entry, this.#context);
    const isLive = isSettledNow || (isYoung && isConfirmed(entry, this.#context));
    emitApplied(entry, applied, isLive ? 'live' : 'stale');
  }

  /**
   * Applies a confirmation from our own relay. The relay's read at `at` counts as one of this
   * client's own.
   */
  applyConfirmation(entry: AnyEntry, at: number): void {
    const { clock } = this.#context;
    if (entry.readAt === undefined || entry.failures) return;
    const isNewer = at > entry.readSentAt;
    if (isNewer) {
      entry.readSentAt = entry.trueAt = at;
      entry.readAt = clock.now() - (this.#now - at);
      noteChecked(entry, entry.readAt);
    }
    if (!entry.isConfirming) this.#asked.setDue(entry, nextReadAt(entry, this.#context));
    if (!isNewer) return;
    this.ageAt = Math.min(this.ageAt, at + LIVE_MS);
    const isOpen = entry.announced !== undefined || entry.held!.contradiction !== undefined;
    const isYoung = this.#now - at < liveFor(entry, this.#context);
    const isLive = isYoung && isConfirmed(entry, this.#context);
    if (!isOpen && isLive) emit(entry, 'live');
  }

  /** Applies a value that the caller provided as of `asOf`, and reads the resource soon. */
  applyProvided(entry: AnyEntry, value: unknown, asOf: number): void {
    if (applyProvided(entry, value, asOf, this.#context.clock) && entry.observers)
      this.#asked.readSoon(entry, 'provided');
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    if (isOutage(error)) this.#beginOutage(error);
    if (this.#isHeldBack(error)) this.#holdBack(error);
    else if (isLoginOver(error))
      for (const other of [...this.#context.entries.values()]) this.#fail(other, error, sentAt);
    if (hasEntry(this.#context.entries, entry) && entry.observers) this.#fail(entry, error, sentAt);
  }

  /**
   * Counts a refusal of the credential. The second one makes all values stale. If the refusals go
   * on for too long, all watches end.
   */
  #holdBack(error: PaystateError): void {
    const { entries, outage } = this.#context;
    const { failures } = outage;
    const isForGood = outage.refuse(this.#now);
    if (isForGood) for (const entry of [...entries.values()]) this.#end(entry, error);
    else if (failures > 0 && outage.failures > failures) this.#showOutage(error);
  }

  #fail(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const { client } = this.#context;
    this.#asked.answer(entry, sentAt);
    const { ends, confirmAt, isSlow } = applyFailure(entry, error, sentAt, this.#now, client);
    const next = isSlow ? confirmAt : Math.min(confirmAt, nextReadAt(entry, this.#context));
    const at = Math.max(next, this.#now + this.#retryIn(error));
    this.#asked.setDue(entry, at);
    // a list may include the resource before a single read does
    if (error.status === 404) entry.isReadAlone = false;
    if (ends) this.#end(entry, error);
    else emit(entry, chooseFreshness(error, this.#context), error);
  }

  #end(entry: AnyEntry, error: PaystateError): void {
    // remove it first, so that an observer that resubscribes in `error` gets a new entry
    this.#asked.remove(entry);
    emit(entry, 'failed', error);
    for (const observer of each(entry.observers)) observer.error(error);
  }

  /** Returns how long to wait after an error before the next read, in milliseconds. */
  #retryIn({ retryAt = -Infinity }: PaystateError): number {
    const { client, clock } = this.#context;
    return Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0);
  }

  /** Applies a successful poll, which confirms the values that the feed covers. */
  applyPoll(): void {
    this.endOutage();
    if (this.#context.plan.isMany && this.#hasStale) confirmByFeed(this.#context);
    this.#hasStale = false;
  }

  /** Applies a failed poll. The values that it would have confirmed keep aging. */
  failPoll(error: PaystateError): void {
    this.#hasStale = true;
    if (isOutage(error)) this.#beginOutage(error);
    if (this.#isHeldBack(error)) this.#holdBack(error);
    // after a single failure, the requested read can still be the next request
    if (this.#context.outage.failures > 1) this.waits.endAll();
  }

  ageOut(): void {
    const [next, isAny] = ageOut(this.#context);
    this.#hasStale ||= isAny;
    this.ageAt = next;
  }

  markAllStale(error: PaystateError): void {
    this.#hasStale = true;
    markAllStale(this.#context, error);
  }

  /** Reads all values that aren't live, because list requests succeed again. */
  readStale(): void {
    for (const entry of this.#context.entries.values()) {
      const isLive = entry.snapshot.freshness === 'live';
      if (!isLive && !isAtRest(entry) && isConfirmed(entry, this.#context))
        this.#asked.ask(entry, 'after an outage', 'again');
    }
  }

  #showOutage(error: PaystateError): void {
    this.#context.outage.isShown = true;
    this.markAllStale(error);
  }

  #beginOutage(error: PaystateError): void {
    const { base, outage } = this.#context;
    const { failures } = outage;
    const retryIn = this.#retryIn(error);
    outage.begin(this.#now, retryIn);
    // a single failure has no effect, unless it prevents requests for a while
    const isKnown = failures > 0 ? outage.failures > failures : retryIn > base;
    if (isKnown) this.#showOutage(error);
  }

  /**
   * Ends an outage after a successful request, and reads the entries that the feed doesn't confirm.
   */
  endOutage(): void {
    const { outage, plan } = this.#context;
    const { isShown } = outage;
    outage.end();
    if (!isShown) return; // no value became stale, because only one request had failed
    plan.source?.wake();
    for (const entry of listUncovered(this.#context)) {
      const hasChanged = (entry.announced?.changes ?? 0) > 0;
      this.#asked.ask(entry, 'after an outage', hasChanged ? 'changed' : 'again');
    }
  }
}
