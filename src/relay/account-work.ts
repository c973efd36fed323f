import { isPaystateError } from '../core/errors/index.ts';
import type { DurableStorage } from '../core/platform.ts';
import { type Clock, within } from '../core/time.ts';
import type { InboxStore, ReceivedEvent, SqlTransaction } from '../stores/index.ts';
import type { Inbox, InboxProblem, ReconcileResult } from '../webhooks/index.ts';
import type { AccountStore, OrderStore } from './account-store.ts';
import type { Caller, InvoiceVersion, RoomContract } from './calls.ts';
import type { FollowedInvoices } from './followed.ts';
import { armBy } from './platform.ts';

/**
 * A room that could not be reached is asked again after this, then later and later, milliseconds.
 */
const RETRY = 1_000;
const SLOWEST = 60_000;

/**
 * Sends rooms what they do not have yet. A version stays in the store until its room has confirmed
 * it.
 */
export class Outbox {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #roomOf: (invoiceId: string) => Caller<RoomContract>;
  /** Rooms that are being told, by invoice. */
  readonly #telling: Map<string, Promise<boolean>> = new Map();
  /** Times in a row that a room did not confirm. */
  #misses: number = 0;

  constructor(
    store: AccountStore,
    clock: Clock,
    roomOf: (invoiceId: string) => Caller<RoomContract>,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#roomOf = roomOf;
  }

  /** When to push again, if a room has not confirmed; milliseconds from now. */
  get retryDelay(): number {
    return this.#misses === 0 ? Infinity : Math.min(SLOWEST, RETRY * 2 ** this.#misses);
  }

  /** Sends all that is unconfirmed. No room waits for another. */
  async push(): Promise<void> {
    const ids = this.#store.unconfirmedIds(this.#clock.now());
    const told = ids.map((id) => this.#telling.get(id) ?? this.#begin(id));
    this.#misses = (await Promise.all(told)).includes(false) ? this.#misses + 1 : 0;
  }

  #begin(invoiceId: string): Promise<boolean> {
    const telling = Promise.resolve().then(() => this.#tell(invoiceId));
    this.#telling.set(invoiceId, telling);
    return telling;
  }

  /**
   * Sends a room the newest, and again while there is something newer; returns whether it has it.
   */
  async #tell(invoiceId: string): Promise<boolean> {
    try {
      for (let told: number | undefined; ; ) {
        const version = this.#store.version(invoiceId);
        if (!version || version.number === told) return true;
        if (!(await this.#send(invoiceId, version))) return false;
        told = version.number;
      }
    } finally {
      this.#telling.delete(invoiceId); // at once: a change from here on is told again
    }
  }

  async #send(invoiceId: string, version: InvoiceVersion): Promise<boolean> {
    try {
      await this.#roomOf(invoiceId)('update', { invoiceId, version });
    } catch {
      return false;
    }
    this.#store.confirm(invoiceId, version.number);
    return true;
  }
}

/** Hears of events before they are kept. */
export interface EventListener {
  /** Resolves when an alarm for them is set: within a minute, or by then. */
  arm(by?: number): Promise<void>;
  /** True if anything is to be done for it; else it is not kept. */
  isWanted(event: ReceivedEvent): boolean;
  /** A webhook has brought it, and not the feed. */
  delivered(event: ReceivedEvent): void;
  /** It was not there before, and is kept. */
  kept(event: ReceivedEvent): void;
}

/**
 * Work is kept after the alarm for it is set, so that no crash leaves it behind:
 * neither an event, nor a handler that runs again later, or after the lease of one that never ends.
 */
export function armedBy(
  store: InboxStore<SqlTransaction>,
  { arm, isWanted, delivered, kept }: EventListener,
): InboxStore<SqlTransaction> {
  const [add, requeue] = [store.add.bind(store), store.requeue.bind(store)];
  const commit = store.commit.bind(store);
  return Object.assign(store, {
    async add(...[events, cursor]: Parameters<typeof add>) {
      await arm();
      const wanted = events.filter(isWanted);
      const added = await add(wanted, cursor);
      const results = new Map(wanted.map((event, at) => [event, added[at]!]));
      for (const [event, result] of results) if (result === 'new') kept(event);
      if (cursor === undefined && events.length === 1) delivered(events[0]!);
      return events.map((event) => results.get(event) ?? 'known');
    },
    async commit(...given: Parameters<typeof commit>) {
      const { due, until = 0 } = given[1];
      if (due !== undefined) await arm(Math.max(due, until));
      return commit(...given);
    },
    async requeue(...given: Parameters<typeof requeue>) {
      await arm();
      return requeue(...given);
    },
  });
}

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

/** The parts that an account object's alarm works on. */
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

/** The work of an account object besides responding. One alarm carries all of it. */
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
    await within(this.#parts.clock, SLICE, work);
  }
}
