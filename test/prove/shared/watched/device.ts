// The machine that the SDK runs on: a clock that can be wrong, a processor that can sleep, timers that are counted.
import type { Clock } from 'paystate';

/** A time of sleep, by the world's clock. */
export interface Span {
  readonly from: number;
  /** `Infinity`: not over yet. */
  to: number;
}

interface Sleep extends Span {
  /** The monotonic clock stands still meanwhile, as on most platforms. */
  readonly stands: boolean;
  readonly monotonic: number;
}

interface Timer {
  readonly due: number;
  readonly ring: () => void;
  cancel: () => void;
}

export class Device {
  readonly clock: Clock;
  readonly #world: Clock;
  readonly #timers = new Set<Timer>();
  readonly #sleeps: Sleep[] = [];
  readonly #skews = new Set<{ readonly by: number }>();
  readonly #whenAwake: (() => void)[] = [];
  /** Milliseconds that `monotonic` has missed. */
  #stood = 0;
  #asleep: Sleep | undefined;
  #waking = Promise.withResolvers<void>();

  /** @param world the sandbox's clock */
  constructor(world: Clock) {
    this.#world = world;
    this.#waking.resolve();
    const skew = (): number => [...this.#skews].reduce((sum, one) => sum + one.by, 0);
    this.clock = {
      now: () => world.now() + skew(),
      monotonic: () => this.#monotonic(),
      after: (ms, ring) => this.#after(ms, ring),
      wait: (ms, signal) => this.#wait(ms, signal),
      external: (work) => world.external(work),
    };
  }

  #monotonic(): number {
    const asleep = this.#asleep;
    return (asleep?.stands ? asleep.monotonic : this.#world.monotonic()) - this.#stood;
  }

  #arm(timer: Timer): void {
    if (this.#asleep) return;
    timer.cancel = this.#world.after(Math.max(0, timer.due - this.#monotonic()), () => {
      if (this.#asleep || timer.due > this.#monotonic()) return this.#arm(timer);
      this.#timers.delete(timer);
      timer.ring();
    });
  }

  #after(ms: number, ring: () => void): () => void {
    if (ms === Infinity) return () => {};
    const timer: Timer = { due: this.#monotonic() + ms, ring, cancel: () => {} };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      this.#timers.delete(timer);
      timer.cancel();
    };
  }

  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#after(ms, done);
      signal?.addEventListener('abort', done);
    });
  }

  /** Counts waits that are set and not over. */
  timers(): number {
    return this.#timers.size;
  }

  get sleeps(): readonly Span[] {
    return this.#sleeps;
  }

  /** Resolves as soon as the machine is awake. */
  awake(): Promise<void> {
    return this.#waking.promise;
  }

  /** Does at once what a person does with the machine; asleep, as soon as it is awake. */
  use(act: () => void): void {
    if (this.#asleep) this.#whenAwake.push(act);
    else act();
  }

  /** The clock on the wall is ahead by so much; returns what sets it right. */
  setAhead(by: number): () => void {
    const skew = { by };
    this.#skews.add(skew);
    return () => void this.#skews.delete(skew);
  }

  /** Lets it sleep; returns what wakes it. */
  sleep(stands = true): () => void {
    if (this.#asleep) return () => {};
    const [from, monotonic] = [this.#world.now(), this.#world.monotonic()];
    const asleep: Sleep = { from, to: Infinity, stands, monotonic };
    this.#asleep = asleep;
    this.#sleeps.push(asleep);
    for (const timer of this.#timers) timer.cancel();
    this.#waking = Promise.withResolvers();
    return () => this.#wake(asleep);
  }

  #wake(asleep: Sleep): void {
    asleep.to = this.#world.now();
    if (asleep.stands) this.#stood += this.#world.monotonic() - asleep.monotonic;
    this.#asleep = undefined;
    for (const timer of this.#timers) this.#arm(timer);
    this.#waking.resolve();
    for (const act of this.#whenAwake.splice(0)) act();
  }
}
