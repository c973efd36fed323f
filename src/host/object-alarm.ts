import type { Clock } from '../core/time.ts';

const FIRST_RETRY = 2_000;
const LONGEST_RETRY = 60_000;

/** Where the times of alarms are written down, by the names of objects. */
export interface AlarmTimes {
  get(object: string): number | null;
  set(object: string, at: number): void;
  clear(object: string): void;
}

/**
 * The one alarm of an object. It stays written down until `ring` has ended well, so a process that
 * ends in between rings again; where `ring` rejects, it rings again after 2 s, 4 s, … up to a
 * minute.
 */
export class ObjectAlarm {
  readonly #name: string;
  readonly #alarms: AlarmTimes;
  readonly #clock: Clock;
  readonly #ring: () => Promise<void>;
  #cancel = (): void => {};
  /** While it rings: whether the object has set it again. */
  #ringing: { isSetAgain: boolean } | undefined;
  #failures = 0;
  #isOver = false;

  constructor(name: string, alarms: AlarmTimes, clock: Clock, ring: () => Promise<void>) {
    this.#name = name;
    this.#alarms = alarms;
    this.#clock = clock;
    this.#ring = ring;
  }

  /** When it rings; nothing while it rings, as long as it was not set again. */
  get(): number | null {
    return this.#ringing?.isSetAgain === false ? null : this.#alarms.get(this.#name);
  }

  set(at: number): void {
    this.#alarms.set(this.#name, at);
    if (this.#ringing) this.#ringing.isSetAgain = true;
    else this.start();
  }

  clear(): void {
    this.stop();
    this.#alarms.clear(this.#name);
    if (this.#ringing) this.#ringing.isSetAgain = true;
  }

  /** Waits for the time that is written down. */
  start(): void {
    this.stop();
    const at = this.#alarms.get(this.#name);
    if (at === null) return;
    const wait = Math.max(0, at - this.#clock.now());
    // a timer may be shorter than what was asked for
    this.#cancel = this.#clock.after(wait, () => {
      if (this.#clock.now() < at) this.start();
      else void this.#run();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** It rings no more here; what is written down stays. */
  end(): void {
    this.stop();
    this.#isOver = true;
  }

  async #run(): Promise<void> {
    const ringing = (this.#ringing = { isSetAgain: false });
    try {
      await this.#ring();
      this.#failures = 0;
      if (this.#isOver) return;
      if (!ringing.isSetAgain) this.#alarms.clear(this.#name);
    } catch {
      if (this.#isOver) return;
      const wait = Math.min(FIRST_RETRY * 2 ** this.#failures++, LONGEST_RETRY);
      if (!ringing.isSetAgain) this.#alarms.set(this.#name, this.#clock.now() + wait);
    } finally {
      this.#ringing = undefined;
      if (!this.#isOver) this.start();
    }
  }
}
