import { isPaystateError } from '../core/errors/index.ts';
import type { DurableStorage } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import type { InboxStore, SqlTransaction } from '../stores/index.ts';
import type { Inbox, InboxProblem, ReconcileResult } from '../webhooks/index.ts';
import type { AccountStore } from './account-store.ts';
import type { FollowedInvoices } from './followed.ts';
import type { OrderStore } from './order-store.ts';
import type { Outbox } from './outbox.ts';
import { armBy } from './platform.ts';

const MINUTE = 60_000;
const RECONCILE = 300_000;
/** An alarm works for this long at most, and rings again after this at least, milliseconds. */
const SLICE = 20_000;
const SOON = 1_000;
const MEMORY = 2_592_000_000;
const NOTE = 'reconciled';

/** When the feed was read for the inbox. */
interface Reconciled {
  readonly at: number;
  /** When that began which has read it to its end. */
  readonly completeAt?: number | undefined;
}

/** What an account object's alarm works on. */
interface AccountParts {
  readonly storage: DurableStorage;
  readonly clock: Clock;
  readonly store: AccountStore;
  readonly orders: OrderStore;
  readonly outbox: Outbox;
  readonly followed: FollowedInvoices;
  readonly inboxStore: InboxStore<SqlTransaction>;
  readonly inbox: Inbox | undefined;
  readonly report: (problem: InboxProblem) => void;
}

/** What an account object does beside responding. One alarm carries all of it. */
export class AccountWork {
  readonly #parts: AccountParts;
  #reconciling: Promise<ReconcileResult | undefined> | undefined;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  /** An alarm rings within a minute, or by then, whatever becomes of this object. */
  arm(at: number = this.#now + MINUTE): Promise<void> {
    return armBy(this.#parts.storage, at, this.#now);
  }

  /** The work of one alarm; the next is set before anything else. */
  async run(wake: () => void): Promise<void> {
    const { storage, followed, inbox, inboxStore } = this.#parts;
    await storage.setAlarm(this.#now + MINUTE);
    wake();
    followed.resume();
    await this.#waitForSlice(Promise.all([this.push(), this.process(), followed.look()]));
    const { oldest = Infinity, nextDue = Infinity } = await inboxStore.counts();
    this.#clean(oldest);
    const dueAt = inbox ? nextDue : Infinity;
    await storage.setAlarm(Math.max(this.#now + SOON, Math.min(this.#nextAt, dueAt)));
  }

  get #nextAt(): number {
    const { outbox, followed } = this.#parts;
    return Math.min(followed.nextAt, this.#reconcileAt, this.#now + outbox.retryDelay);
  }

  /**
   * Sends rooms what they do not have; those that could not be reached are sent it by the alarm.
   * Never rejects.
   */
  async push(): Promise<void> {
    const { outbox, storage, report } = this.#parts;
    try {
      await outbox.push();
      const { retryDelay } = outbox;
      if (retryDelay < Infinity) await armBy(storage, this.#now + retryDelay, this.#now);
    } catch (error) {
      // what was not confirmed is sent again by the alarm
      report({ kind: 'store-failed', error });
    }
  }

  /** Processes what waits, and every few minutes what no webhook brought. Never rejects. */
  async process(): Promise<void> {
    const { inbox, report } = this.#parts;
    try {
      if (this.#now >= this.#reconcileAt) await this.reconcile();
      const due = await inbox?.drain();
      if (due !== undefined) await this.arm(due);
    } catch (error) {
      // the inbox has kept what it has; a feed that cannot be read is reported as `feed-late`
      if (!isPaystateError(error)) report({ kind: 'store-failed', error });
    }
  }

  /** Kept, so that an object that has slept does not read the feed whenever it wakes. */
  get #reconcileAt(): number {
    const { at } = this.#parts.store.note<Reconciled>(NOTE) ?? { at: -Infinity };
    return Math.min(at, this.#now) + RECONCILE;
  }

  /** When the feed was last read to its end; long ago where it never was. */
  get reconciledAt(): number {
    return this.#parts.store.note<Reconciled>(NOTE)?.completeAt ?? -Infinity;
  }

  /** Reads the feed, and works on what it brings; once for all who ask meanwhile. */
  reconcile(): Promise<ReconcileResult | undefined> {
    this.#reconciling ??= this.#reconcileOnce().finally(() => (this.#reconciling = undefined));
    return this.#reconciling;
  }

  async #reconcileOnce(): Promise<ReconcileResult | undefined> {
    const { inbox, store } = this.#parts;
    const startedAt = this.#now;
    const { completeAt } = store.note<Reconciled>(NOTE) ?? {};
    const note = (reconciled: Reconciled) => store.setNote(NOTE, reconciled);
    note({ at: startedAt - RECONCILE + MINUTE, completeAt }); // where it fails, or the object ends
    const result = await inbox?.reconcile();
    note({ at: this.#now, completeAt: result?.complete ? startedAt : completeAt });
    return result;
  }

  /** Forgets nothing that an event may still ask for which waits here; the oldest is of then. */
  #clean(oldest: number): void {
    const { store, orders } = this.#parts;
    const before = Math.min(this.#now, oldest) - MEMORY;
    store.clean(before);
    orders.clean(before, this.#now);
  }

  /** Waits for the work as long as an alarm should take; the rest goes on by itself. */
  async #waitForSlice(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([work, this.#parts.clock.wait(SLICE, over.signal)]);
    over.abort();
  }
}
