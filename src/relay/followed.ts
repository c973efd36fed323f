import type { Clock } from '../core/time/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import type { AccountStore } from './account-store.ts';
import type { InvoiceReader } from './invoice-reader.ts';

const MINUTE = 60_000;
/** All is watched for so long after a page came, milliseconds: most pay at once, or soon. */
const STIRRED = MINUTE;
/** It is not written down for less, milliseconds. */
const WORTH_WRITING = 5_000;
/** The same after a change that a look has found: webhooks are late, or do not come. */
const UNTOLD = 600_000;
/** At rest, all are looked at this often; after a look that failed, later. */
const LOOK_EVERY = 25_000;
const LOOK_AGAIN = 50_000;
/** Of more than these something happens all the time. */
const MOST_AT_REST = 200;
const NOTE = 'followed';

/** What outlives the object's sleep. */
interface Rest {
  /** Until then all are watched. */
  readonly until: number;
  /** All were as they are kept. */
  readonly trueAt: number;
  readonly nextLookAt: number;
}

/**
 * The invoices that pages follow. While something happens they are watched, which keeps the object
 * awake. Where webhooks tell of changes and nothing has happened for a minute, the object sleeps:
 * its alarm looks at all of them by lists, in case a webhook was lost.
 */
export class FollowedInvoices {
  readonly #store: AccountStore;
  readonly #reader: InvoiceReader;
  readonly #clock: Clock;
  readonly #read: (invoiceId: string) => Promise<Invoice>;
  readonly #isTold: boolean;
  #rest: Rest;
  #looking: Promise<void> | undefined;

  /** @param isTold webhooks tell of changes */
  constructor(
    store: AccountStore,
    reader: InvoiceReader,
    clock: Clock,
    read: (invoiceId: string) => Promise<Invoice>,
    isTold: boolean,
  ) {
    this.#store = store;
    this.#reader = reader;
    this.#clock = clock;
    this.#read = read;
    this.#isTold = isTold;
    this.#rest = store.note<Rest>(NOTE) ?? { until: 0, trueAt: 0, nextLookAt: 0 };
  }

  /** Pages look at this one, for so long at least. `isNew`: something happens, if nothing says otherwise. */
  follow(invoiceId: string, ms: number, isActive: boolean = !this.#isFollowed(invoiceId)): void {
    this.#store.follow(invoiceId, this.#clock.now() + ms);
    if (isActive) this.#stir(STIRRED);
    if (this.isWatching) this.#reader.watch(invoiceId);
  }

  /** They are watched now; else they are looked at by alarm. */
  get isWatching(): boolean {
    return (
      !this.#isTold || this.#clock.now() < this.#rest.until || this.#ids().length > MOST_AT_REST
    );
  }

  /** When the alarm has to look, or to see what is still followed; never where nothing is. */
  get nextAt(): number {
    const now = this.#clock.now();
    if (this.#ids().length === 0) return Infinity;
    if (!this.isWatching) return this.#rest.nextLookAt;
    const end = this.#isTold && this.#rest.until > now ? this.#rest.until : Infinity;
    return Math.min(end, now + MINUTE);
  }

  /** Watches what is to be watched, after an eviction or when time has passed. */
  resume(): void {
    this.#reader.watchOnly(this.isWatching ? this.#ids() : []);
  }

  /** How long ago it was as it is kept, milliseconds. */
  confirmedFor(invoiceId: string): number | undefined {
    if (this.#reader.isWatched(invoiceId)) return this.#reader.isLive(invoiceId) ? 0 : undefined;
    return this.#rest.trueAt > 0 ? this.#clock.now() - this.#rest.trueAt : undefined;
  }

  /** Looks at all of them where it is time. Never rejects. */
  look(): Promise<void> {
    if (this.isWatching || this.#clock.now() < this.#rest.nextLookAt) return Promise.resolve();
    this.#looking ??= this.#lookNow().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    const trueAt = this.#clock.now();
    const stateOf = (id: string) => this.#store.version(id)?.value.state;
    const looks = this.#ids().map(async (id) => {
      const before = stateOf(id);
      const { state } = await this.#read(id);
      return { isNew: state !== before, isTrue: state === stateOf(id) };
    });
    const ends = await Promise.allSettled(looks);
    const seen = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const isTrue = seen.length === ends.length && seen.every((one) => one.isTrue);
    if (seen.some(({ isNew }) => isNew)) this.#stir(UNTOLD);
    const wait = seen.length === ends.length ? LOOK_EVERY : LOOK_AGAIN;
    this.#note({ nextLookAt: trueAt + wait, ...(isTrue && { trueAt }) });
  }

  /** Something happens: all are watched for so long. */
  #stir(ms: number): void {
    const wasWatching = this.isWatching;
    const until = Math.max(this.#rest.until, this.#clock.now() + ms);
    if (wasWatching && until < this.#rest.until + WORTH_WRITING) return;
    this.#note({ until, nextLookAt: until, trueAt: 0 });
    if (!wasWatching) this.resume();
  }

  #note(change: Partial<Rest>): void {
    this.#rest = { ...this.#rest, ...change };
    this.#store.setNote(NOTE, this.#rest);
  }

  #ids(): readonly string[] {
    return this.#store.followedIds(this.#clock.now());
  }

  #isFollowed(invoiceId: string): boolean {
    return this.#store.isFollowed(invoiceId, this.#clock.now());
  }
}
