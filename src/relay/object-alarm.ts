import type { DurableStorage } from '../core/platform.ts';
import { Alarm, type Clock, within } from '../core/time.ts';
import { durableObjectDriver, type SqlDriver, type SqlStatement } from '../stores/index.ts';
import { armBy } from './platform.ts';

/** What an account needs of whoever wakes it. */
export interface Rounds {
  /** When the earliest thing is due that nobody has taken, milliseconds; `Infinity`: nothing is. */
  nextDue(): Promise<number>;
  /** Does what is due; resolves when all of it has ended. Never rejects. */
  round(): Promise<void>;
  /** Work is under way. */
  isBusy(): boolean;
}

/** After a write the alarm rings within this time, whatever becomes of the object. */
const SOON = 5_000;
/** After a write that leaves nothing to do. */
const MINUTE = 60_000;
/** Nothing is due: it rings to make sure. */
const SELDOM = 3_600_000;
/** What has no turn yet is due all the time: rounds are this far apart, milliseconds. */
const BETWEEN = 1_000;
/** Writes of this time are planned for together, milliseconds. */
const GATHER = 20;
/** Longest work of one alarm, milliseconds; the rest goes on by itself. */
const SLICE = 20_000;

/** Counts and notes leave nothing to do. */
const LEAVES_NOTHING = /^\s*(INSERT INTO|UPDATE|DELETE FROM) \w+_(egress|share|note)\b/;
const READS = /^\s*(SELECT|PRAGMA)\b/;

/**
 * The one alarm of an account object. It is set before each write, so that no crash leaves work
 * behind, and afterwards for the time at which the rows say that something is due. What is due
 * within seconds is begun by a timer: only the death of the object leaves it to the alarm.
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

  /** The driver of the object's database: no write can be forgotten. */
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

  /** A lost alarm is set again by each request. */
  keep(): Promise<void> {
    return this.#armWithin(MINUTE);
  }

  /** The work of one alarm. The next one is set before anything else. */
  async ring(): Promise<void> {
    try {
      await this.keep();
      await within(this.#clock, SLICE, this.#plan());
    } finally {
      await this.keep();
    }
  }

  /** Plans soon: something has changed that is not in the rows. */
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

  /** Begins what is due, or sets timer and alarm for it. */
  async #plan(): Promise<void> {
    const due = await this.#rounds.nextDue();
    const wait = Math.max(due - this.#clock.now(), this.#roundAt + BETWEEN - this.#monotonic);
    if (wait <= 0) return this.#round();
    if ((await this.#storage.getAlarm()) === due) return; // no timer keeps the object awake
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
