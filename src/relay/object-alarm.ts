import type { DurableStorage } from '../core/platform.ts';
import { Alarm, type Clock, within } from '../core/time.ts';
import { durableObjectDriver, type SqlDriver, type SqlStatement } from '../stores/index.ts';
import { armBy } from './platform.ts';

export interface Rounds {
  /**
   * Returns when the earliest unclaimed work is due, in milliseconds. `Infinity` if there's none.
   */
  nextDue(): Promise<number>;
  /** Does the due work, and resolves when all of it has ended. Never rejects. */
  round(): Promise<void>;
  isBusy(): boolean;
}

/** Longest delay of the alarm after a write, even if the object dies. Milliseconds. */
const SOON = 5_000;
/** Longest delay after a write that leaves no work, in milliseconds. */
const MINUTE = 60_000;
/** Longest delay if nothing is due, to be safe. Milliseconds. */
const SELDOM = 3_600_000;
/** Minimum interval between rounds, in milliseconds. Work that waits for a turn is always due. */
const BETWEEN = 1_000;
/** Writes within this time share one plan, in milliseconds. */
const GATHER = 20;
/** How long the work of one alarm may take, in milliseconds. The rest continues on its own. */
const SLICE = 20_000;

/** Matches counts and notes, which leave no work behind. */
const LEAVES_NOTHING = /^\s*(INSERT INTO|UPDATE|DELETE FROM) \w+_(egress|share|note)\b/;
const READS = /^\s*(SELECT|PRAGMA)\b/;

/**
 * The only alarm of an account object. We set it before each write, so no crash leaves work behind,
 * and afterwards for when the rows have work. A timer starts work that's due within seconds, and
 * the alarm is its backup if the object dies.
 */
export class ObjectAlarm {
  readonly #storage: DurableStorage;
  readonly #clock: Clock;
  readonly #rounds: Rounds;
  readonly #timer: Alarm;
  #isPlanned: boolean = false;
  #roundAt: number = -Infinity;

  constructor(storage: DurableStorage, clock: Clock, rounds: Rounds) {
    this.#storage = storage;
    this.#clock = clock;
    this.#rounds = rounds;
    this.#timer = new Alarm(clock, () => void this.#plan().catch(() => {})); // the alarm is set
  }

  /** Returns the driver of the object's database, which sets the alarm before each write. */
  driver(): SqlDriver {
    const driver = durableObjectDriver(this.#storage);
    return {
      dialect: driver.dialect,
      durable: true,
      batch: async (statements) => {
        const writes = statements.filter(({ sql }) => !READS.test(sql));
        if (writes.length > 0) await this.#armFor(writes);
        return driver.batch(statements);
      },
    };
  }

  /** Restores a lost alarm. Called by each request. */
  keep(): Promise<void> {
    return this.#armWithin(MINUTE);
  }

  /** Does the work of one alarm, after setting the next one. */
  async ring(): Promise<void> {
    try {
      await this.keep();
      await within(this.#clock, SLICE, this.#plan());
    } finally {
      await this.keep();
    }
  }

  /** Plans soon, after a change that isn't in the rows. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#clock.after(GATHER, () => {
      this.#isPlanned = false;
      this.#plan().catch(() => {}); // the alarm is set
    });
  }

  async #armFor(writes: readonly SqlStatement[]): Promise<void> {
    await this.#armWithin(writes.every(({ sql }) => LEAVES_NOTHING.test(sql)) ? MINUTE : SOON);
    this.plan();
  }

  #armWithin(ms: number): Promise<void> {
    const now = this.#clock.now();
    return armBy(this.#storage, now + ms, now);
  }

  async #plan(): Promise<void> {
    const due = await this.#rounds.nextDue();
    const wait = Math.max(due - this.#clock.now(), this.#roundAt + BETWEEN - this.#monotonic);
    if (wait <= 0) return this.#round();
    // a timer would only keep the object awake
    if ((await this.#storage.getAlarm()) === due) return;
    this.#timer.set(wait <= SOON ? this.#monotonic + wait : Infinity);
    const isSoon = wait <= SOON || this.#rounds.isBusy();
    if (isSoon) await this.#armWithin(SOON);
    else await this.#set(this.#clock.now() + Math.min(wait, SELDOM));
  }

  async #round(): Promise<void> {
    this.#timer.stop();
    this.#roundAt = this.#monotonic;
    await this.#rounds.round();
    this.plan();
  }

  async #set(at: number): Promise<void> {
    if ((await this.#storage.getAlarm()) !== at) await this.#storage.setAlarm(at);
  }

  get #monotonic(): number {
    return this.#clock.monotonic();
  }
}
