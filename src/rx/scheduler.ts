import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import type { Clock } from '../core/time.ts';
import { type Connection, internals } from '../core/http/index.ts';
import { reportUncaught } from '../core/watch.ts';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** Runs one piece of work, which may schedule itself again, as RxJS operators do. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  #pending: AbortController | undefined;
  readonly #clock: Clock;
  readonly #work: Work<T>;

  constructor(clock: Clock, work: Work<T>) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delay: number = 0): Subscription {
    if (this.closed) return this;
    this.#pending?.abort();
    const pending = new AbortController();
    this.#pending = pending;
    void this.#clock.wait(delay, pending.signal).then(() => {
      if (pending.signal.aborted || this.closed) return;
      this.#pending = undefined;
      try {
        this.#work.call(this, state);
        if (!this.#pending) this.unsubscribe();
      } catch (error) {
        this.unsubscribe();
        reportUncaught(error);
      }
    });
    return this;
  }

  override unsubscribe(): void {
    this.#pending?.abort();
    super.unsubscribe();
  }
}

/**
 * Returns an RxJS scheduler on the client's own clock, so that `timer`, `delay` and `timeout`
 * follow virtual time.
 *
 * @example
 * timer(1_000, schedulerOf(client)).subscribe(() => console.log('a second later'));
 */
export function schedulerOf(connection: Connection): SchedulerLike {
  const { clock } = connection[internals];
  return {
    now: () => clock.now(),
    schedule: (work, delay = 0, state) =>
      new ClockAction(clock, work as Work<unknown>).schedule(state, delay),
  };
}
