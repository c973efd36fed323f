import { blockedFor, isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { confirm } from './announced.ts';
import { applyValue } from './apply-value.ts';
import type { Backlog } from './backlog.ts';
import type { WatchContext } from './context.ts';
import { doubt, freshnessOf, vouch } from './coverage.ts';
import { type AnyEntry, emit, emitApplied, isFinal } from './entry.ts';
import { type Entries, hasEntry, moveToEnd } from './entries.ts';
import { applyFailure } from './failure-policy.ts';
import { isOutage, Outage } from './outage.ts';
import { NO_PLAN, type WatchPlan } from './planner.ts';
import type { ReadResult } from './reader.ts';
import { coverOf, nextReadAt } from './schedule.ts';

/** Takes the results of requests in: what they say of values, and of the service being there. */
export class Results {
  readonly outage: Outage;
  plan: WatchPlan = NO_PLAN;
  readonly #context: WatchContext;
  readonly #entries: Entries;
  readonly #backlog: Backlog;
  /** Values are not live although their last read succeeded. */
  #isInDoubt: boolean = false;

  constructor(context: WatchContext, entries: Entries, backlog: Backlog) {
    this.outage = new Outage(context.base);
    this.#context = context;
    this.#entries = entries;
    this.#backlog = backlog;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  apply(entry: AnyEntry, { value, error }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#entries, entry)) return;
    if (error) this.#applyFailure(entry, error, sentAt);
    else if (value === undefined) this.#readAlone(entry);
    else this.applyValue(entry, value, sentAt);
    if (!error || !isOutage(error)) this.#endOutage(); // a refusal is a response too
  }

  /** Takes a value in that was read at `sentAt`, here or elsewhere. */
  applyValue(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { lookedAt = -Infinity } = entry;
    const applied = applyValue(entry, value, sentAt, this.#context.clock);
    const againAt = Math.min(applied.confirmAt ?? Infinity, confirm(entry, sentAt));
    entry.lookedAt = Math.max(lookedAt, sentAt);
    entry.isConfirming = againAt < Infinity;
    moveToEnd(this.#entries, entry);
    this.#backlog.setDue(entry, Math.min(againAt, this.nextReadAt(entry)));
    emitApplied(entry, applied);
  }

  nextReadAt(entry: AnyEntry): number {
    return nextReadAt(entry, this.plan, this.#context);
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    if (isOutage(error)) this.#beginOutage(error);
    if (isLoginOver(error))
      for (const other of [...this.#entries.values()]) this.#fail(other, error, sentAt);
    else this.#fail(entry, error, sentAt);
  }

  #fail(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const { ends, confirmAt } = applyFailure(entry, error, sentAt, this.#context.clock);
    const next = Math.min(confirmAt, this.nextReadAt(entry));
    const at = Math.max(next, this.#now + this.#retryIn(error));
    this.#backlog.setDue(entry, at);
    if (!ends) return emit(entry, freshnessOf(error, this.#context), error);
    this.#backlog.remove(entry); // who subscribes again on hearing the error begins anew
    emit(entry, 'failed', error);
    for (const observer of [...entry.observers]) observer.error(error);
  }

  /** Milliseconds for which a failure asks for patience. */
  #retryIn({ retryAt = 0 }: PaystateError): number {
    const { client, clock } = this.#context;
    return Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #readAlone(entry: AnyEntry): void {
    entry.isReadAlone = true;
    entry.trigger = 'missing from a list';
    this.#backlog.queue.add(entry, false);
  }

  /** A poll of the feed succeeded: it vouches for what the feed covers. */
  applyPoll(): void {
    this.#endOutage();
    if (this.#isInDoubt) vouch(this.#entries, this.#context);
    this.#isInDoubt = false;
  }

  /** A poll of the feed failed: nothing vouches for what it covers. */
  failPoll(error: PaystateError): void {
    const { feed } = this.#context;
    if (isOutage(error)) this.#beginOutage(error);
    this.#isInDoubt = true;
    doubt(this.#entries, error, this.#context, (entry) => coverOf(entry, this.#context) === feed);
  }

  /** Nothing is known to be as it was last read. */
  doubtAll(error: PaystateError): void {
    this.#isInDoubt = true;
    doubt(this.#entries, error, this.#context);
  }

  #beginOutage(error: PaystateError): void {
    const { failures } = this.outage;
    const retryIn = this.#retryIn(error);
    this.outage.begin(this.#now, retryIn);
    // one failure may be the only one, unless nothing can be asked for a while
    const isKnown = failures > 0 ? this.outage.failures > failures : retryIn > this.#context.base;
    if (isKnown) this.doubtAll(error);
  }

  /** One request has succeeded: all that failed or waited go on. */
  #endOutage(): void {
    const { failures } = this.outage;
    const { feed } = this.#context;
    this.outage.end();
    if (failures < 2) return; // nothing was in doubt but that request
    feed.wake();
    for (const entry of this.#entries.values())
      if (!isFinal(entry) && coverOf(entry, this.#context) !== feed)
        this.#backlog.look(entry, 'after an outage');
  }
}
