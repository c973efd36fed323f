import { systemUuid } from '../../core/platform.ts';
import { type Clock, systemClock } from '../../core/time.ts';
import type { Beat, SharedTables } from './tables.ts';

/** A process says so many times in its lease that it lives. */
const BEATS = 4;

/** What a membership tells of. */
interface MembershipEvents {
  /** Before a process is a member, under a new id: it has to hear its mail. */
  readonly joining: (id: string) => Promise<void>;
  readonly beat: (beat: Beat) => void;
  /** It has nothing any more. */
  readonly lost: () => void;
}

/**
 * A process among those that share the objects. It has what it has as long as it says in time that
 * it lives, by its own clocks: others may take it later by the database's. Who was late begins
 * again with nothing, under another id.
 */
export class Membership {
  readonly #tables: SharedTables;
  readonly #lease: number;
  readonly #clock: Clock;
  readonly #events: MembershipEvents;
  #id: string | undefined;
  #validTo: { readonly monotonic: number; readonly now: number } = { monotonic: 0, now: 0 };
  #joining: Promise<string> | undefined;
  #stop = (): void => {};
  readonly #over: AbortController = new AbortController();

  constructor(tables: SharedTables, lease: number, clock: Clock, events: MembershipEvents) {
    this.#tables = tables;
    this.#lease = lease;
    this.#clock = clock;
    this.#events = events;
    void this.#run();
  }

  /** The id of this process, while what it has is its own for certain. */
  get id(): string | undefined {
    if (this.#id !== undefined && !this.#isInTime()) this.#lose();
    return this.#id;
  }

  /** The id under which this process is a member; rejects where the database is away. */
  async join(): Promise<string> {
    const id = this.id ?? (await (this.#joining ??= this.#join()));
    if (id === this.id) return id;
    throw new Error('the database responds too slowly');
  }

  /** Gives up what it has, for others to take at once. */
  async leave(): Promise<void> {
    const id = this.#id;
    this.#over.abort();
    if (id === undefined) return;
    this.#lose();
    await this.#tables.leave(id);
  }

  async #join(): Promise<string> {
    try {
      if (this.#over.signal.aborted) throw new Error('this process has left');
      const id = systemUuid();
      await this.#events.joining(id);
      const validTo = this.#leaseFromNow();
      await this.#tables.join(id, this.#lease);
      this.#id = id;
      this.#extend(validTo);
      return id;
    } finally {
      this.#joining = undefined;
    }
  }

  /** Two clocks: one stands still where the machine sleeps, the other can be set. */
  #isInTime(): boolean {
    const { monotonic, now } = this.#validTo;
    const isSet = systemClock.now() < now - this.#lease; // back: nothing is said by that
    return systemClock.monotonic() < monotonic && (isSet || systemClock.now() < now);
  }

  #leaseFromNow(): { readonly monotonic: number; readonly now: number } {
    return {
      monotonic: systemClock.monotonic() + this.#lease,
      now: systemClock.now() + this.#lease,
    };
  }

  /** It is noticed without a request too. */
  #extend(validTo: { readonly monotonic: number; readonly now: number }): void {
    this.#validTo = validTo;
    this.#stop();
    this.#stop = systemClock.after(validTo.monotonic - systemClock.monotonic(), () => void this.id);
  }

  #lose(): void {
    this.#stop();
    this.#id = undefined;
    this.#events.lost();
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#beat().catch(() => {}); // the next one, or the lease is over
      await systemClock.wait(this.#lease / BEATS, this.#over.signal);
    }
  }

  async #beat(): Promise<void> {
    const id = await this.join();
    const validTo = this.#leaseFromNow();
    const beat = await this.#tables.beat(id, this.#lease, this.#clock.now());
    if (this.id !== id) return;
    if (!beat.isMember) return this.#lose();
    this.#extend(validTo);
    this.#events.beat(beat);
  }
}
