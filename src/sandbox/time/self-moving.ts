import { InputError } from '../../core/errors/index.ts';
import { type Macrotasks, type Quiescence, withMacrotasks } from './quiescence.ts';
import type { Timeline } from './timers.ts';

/** Virtual time that passes without a change before an awaited promise rejects, milliseconds. */
const MAX_UNCHANGED_MS = 86_400_000;

/** One promise of this sandbox that its user waits for. */
interface AwaitedWork {
  readonly what: string;
  readonly since: number;
  readonly giveUp: (reason: InputError) => void;
}

/**
 * Moves virtual time from timer to timer while somebody waits for a promise of the sandbox. Each
 * step waits until nothing can go on without it, so that the same program sees the same times in
 * every runtime. Subscriptions set timers too, but only work that is waited for moves time.
 */
export class SelfMovement {
  readonly #timeline: Timeline;
  readonly #quiescence: Quiescence;
  readonly #waits: Set<AwaitedWork> = new Set();
  /** Calls of `advance` and `run` that are moving time. */
  #movers: number = 0;
  #changedAt: number;
  #isMoving: boolean = false;
  #isWanted: boolean = false;

  constructor(timeline: Timeline, quiescence: Quiescence) {
    this.#timeline = timeline;
    this.#quiescence = quiescence;
    this.#changedAt = timeline.now();
  }

  /** Counts work that the user waits for; what it returns rejects where nothing can come of it. */
  countWait<T>(work: Promise<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: AwaitedWork = { what, since: this.#timeline.now(), giveUp: reject };
      this.#waits.add(wait);
      const end = () => void this.#waits.delete(wait);
      work.then(end, end);
      work.then(resolve, reject);
      this.goOn();
    });
  }

  /** Something of the service has changed. */
  noteChange(): void {
    this.#changedAt = this.#timeline.now();
  }

  /** Leaves time to `work`, which moves it, and goes on after it. */
  async giveWay<T>(work: () => Promise<T>): Promise<T> {
    this.#movers++;
    try {
      return await work();
    } finally {
      this.#movers--;
      this.goOn();
    }
  }

  /** Moves on if somebody waits: a timer was set, or a wait has begun. */
  goOn(): void {
    if (this.#waits.size === 0 || this.#movers > 0) return;
    this.#isWanted = true;
    if (this.#isMoving) return;
    this.#isMoving = true;
    void withMacrotasks((macrotasks) => this.#move(macrotasks));
  }

  async #move(macrotasks: Macrotasks): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      while (await this.#quiescence.take(macrotasks, () => this.#step()));
    }
    this.#isMoving = false;
  }

  #step(): boolean {
    const next = this.#timeline.nextAt();
    if (this.#movers > 0 || next === undefined) return false;
    for (const wait of this.#waits) this.#giveUpInVain(wait, next);
    return this.#waits.size > 0 && this.#timeline.fireNext(Infinity);
  }

  #giveUpInVain(wait: AwaitedWork, next: number): void {
    if (next <= Math.max(this.#changedAt, wait.since) + MAX_UNCHANGED_MS) return;
    this.#waits.delete(wait);
    wait.giveUp(vainWait(wait));
  }
}

function vainWait({ what }: AwaitedWork): InputError {
  const advice =
    'did not settle, and nothing has changed in the sandbox for 24 hours of its time: let what it ' +
    'waits for happen first (payer.pay, move, …), and pass work that takes real time to ' +
    'sandbox.clock.external';
  const issue = { code: 'INVALID_DATA_VALUE', message: advice, values: { field: what } };
  return new InputError(`${what}: ${advice} (INPUT_INVALID)`, {
    code: 'INPUT_INVALID',
    outcome: 'unknown',
    next: 'fix-input',
    validationErrors: { [what]: [issue] },
  });
}
