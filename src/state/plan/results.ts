import { blockedFor, isLoginOver } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import { each } from '../../core/watch/index.ts';
import { confirm } from '../entries/announced.ts';
import { applyValue } from '../entries/apply-value.ts';
import type { Backlog } from './backlog.ts';
import type { WatchContext } from './context.ts';
import { ageOut, doubt, freshnessOf, listUncovered, vouch } from './coverage.ts';
import { type AnyEntry, emit, emitApplied } from '../entries/entry.ts';
import { hasEntry, moveToEnd } from '../entries/entries.ts';
import { applyFailure } from '../entries/failure-policy.ts';
import { isOutage } from '../reads/outage.ts';
import type { ReadResult } from '../reads/reader.ts';
import { isLeftToPlan, nextReadAt } from './schedule.ts';

/** Takes the results of requests in: what they say of values, and of the service being there. */
export class Results {
  readonly #context: WatchContext;
  readonly #backlog: Backlog;
  /** Values are not live although their last read succeeded. */
  #isInDoubt: boolean | undefined;

  constructor(context: WatchContext, backlog: Backlog) {
    this.#context = context;
    this.#backlog = backlog;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  apply(entry: AnyEntry, { value, error }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#context.entries, entry)) return;
    if (error) this.#applyFailure(entry, error, sentAt);
    else if (value === undefined) this.#readAlone(entry);
    else this.applyValue(entry, value, sentAt);
    if (!error || !isOutage(error)) this.#endOutage(); // a refusal is a response too
  }

  /** Takes a value in that was read at `sentAt`, here or elsewhere. */
  applyValue(entry: AnyEntry, value: unknown, sentAt: number): void {
    const applied = applyValue(entry, value, sentAt, this.#context.clock);
    const againAt = Math.min(applied.confirmAt ?? Infinity, confirm(entry, sentAt));
    entry.lookedAt = Math.max(entry.lookedAt, sentAt);
    entry.isConfirming = againAt < Infinity;
    moveToEnd(this.#context.entries, entry);
    this.#backlog.setDue(entry, Math.min(againAt, nextReadAt(entry, this.#context)));
    emitApplied(entry, applied);
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    if (isOutage(error)) this.#beginOutage(error);
    if (isLoginOver(error))
      for (const other of [...this.#context.entries.values()]) this.#fail(other, error, sentAt);
    else this.#fail(entry, error, sentAt);
  }

  #fail(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const { ends, confirmAt } = applyFailure(entry, error, sentAt, this.#context.clock);
    const next = Math.min(confirmAt, nextReadAt(entry, this.#context));
    const at = Math.max(next, this.#now + this.#retryIn(error));
    this.#backlog.setDue(entry, at);
    if (!ends) return emit(entry, freshnessOf(error, this.#context), error);
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

  /** A poll succeeded: it vouches for what its source covers. */
  applyPoll(): void {
    this.#endOutage();
    if (this.#isInDoubt) vouch(this.#context);
    this.#isInDoubt = false;
  }

  /** The source was not live before a poll: what it covers now needs no read, all else does. */
  settleFirstPoll(): void {
    const { entries } = this.#context;
    vouch(this.#context);
    for (const entry of entries.values())
      if (isLeftToPlan(entry, this.#context)) this.#backlog.queue.dismiss(entry);
      else if (entry.nextReadAt === Infinity && !entry.isReading)
        this.#backlog.setDue(entry, nextReadAt(entry, this.#context));
  }

  /** A poll failed: nothing vouches for what its source covers. */
  failPoll(error: PaystateError): void {
    if (isOutage(error)) this.#beginOutage(error);
    this.#isInDoubt = true;
    doubt(this.#context, error, (entry) => isLeftToPlan(entry, this.#context));
  }

  /** Nothing was asked for a while. */
  ageOut(): void {
    if (ageOut(this.#context)) this.#isInDoubt = true;
  }

  /** Nothing is known to be as it was last read. */
  doubtAll(error: PaystateError): void {
    this.#isInDoubt = true;
    doubt(this.#context, error);
  }

  #beginOutage(error: PaystateError): void {
    const { base, outage } = this.#context;
    const { failures } = outage;
    const retryIn = this.#retryIn(error);
    outage.begin(this.#now, retryIn);
    // one failure may be the only one, unless nothing can be asked for a while
    const isKnown = failures > 0 ? outage.failures > failures : retryIn > base;
    if (isKnown) this.doubtAll(error);
  }

  /** One request has succeeded: all that failed or waited go on. */
  #endOutage(): void {
    const { outage, plan } = this.#context;
    const { failures } = outage;
    outage.end();
    if (failures < 2) return; // nothing was in doubt but that request
    plan.source?.wake();
    for (const entry of listUncovered(this.#context)) this.#backlog.look(entry, 'after an outage');
  }
}
