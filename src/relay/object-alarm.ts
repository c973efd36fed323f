import type { DurableStorage } from '../core/platform.ts';
import { Alarm, type Clock, within } from '../core/time.ts';
import { durableObjectDriver, type SqlDriver, type SqlStatement } from '../stores/index.ts';
import { armBy } from './platform.ts';

export interface Rounds {
  /**
   * Returns when the next unclaimed work is due, in milliseconds since 1970. `Infinity` if there's
   * none.
   */
  nextDue(): Promise<number>;
  /** Does the work that is due. Resolves when all of it has ended. Never rejects. */
  round(): Promise<void>;
  isBusy(): boolean;
}

/** The longest time between a write and the alarm, even if the object crashes, in milliseconds. */
const SOON = 5_000;
/** The longest time between the alarm and a write that doesn't create any work, in milliseconds. */
const MINUTE = 60_000;
/**
 * The longest time until the alarm if nothing is due, in milliseconds. The alarm is then only a
 * precaution.
 */
const SELDOM = 3_600_000;
/**
 * The minimum interval between rounds of work, in milliseconds. It's needed because work that's
 * waiting for the rate limit is always due.
 */
const BETWEEN = 1_000;
/** The period in which all writes share a single alarm update, in milliseconds. */
const GATHER = 20;
/**
 * How long the work of one alarm may take, in milliseconds. If it takes longer, it continues in the
 * background.
 */
const SLICE = 20_000;

/** Matches writes of counts and notes, which don't create any work. */
const LEAVES_NOTHING = /^\s*(INSERT INTO|UPDATE|DELETE FROM) \w+_(egress|share|note)\b/;
const READS = /^\s*(SELECT|PRAGMA)\b/;

/**
 * Manages the alarm of an account object. The alarm is set before each write, so that a crash never
 * leaves work behind. After the write, it's set to when the next work is due. Work that is due
 * within seconds is started by a timer, with the alarm as a backup if the object crashes.
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
    // if this fails, the alarm is still set
    this.#timer = new Alarm(clock, () => void this.#plan().catch(() => {}));
  }

  /** Returns the driver of the object's database. It sets the alarm before each write. */
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

  /** Sets the alarm again if it was lost. Called for each request. */
  keep(): Promise<void> {
    return this.#armWithin(MINUTE);
  }

  /** Does the work for one alarm, after setting the next alarm. */
  async ring(): Promise<void> {
    try {
      await this.keep();
      await within(this.#clock, SLICE, this.#plan());
    } finally {
      await this.keep();
    }
  }

  /** Schedules the next work soon, after a change that isn't in the database. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#clock.after(GATHER, () => {
      this.#isPlanned = false;
      this.#plan().catch(() => {}); // if this fails, the alarm is still set
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
    // the alarm is set to the right time, and a timer would keep the object awake
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
