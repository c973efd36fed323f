import {
  iterate,
  type Listener,
  toObserver,
  type SubscribeOptions,
  type Watch,
  watchClock,
} from '../core/watch.ts';
import type { RecordedState } from './recording.ts';

/** Wraps a watch to record each emission before subscribers receive it. */
export function recordedWatch<T>(
  watch: Watch<T>,
  note: (kind: RecordedState['kind'], value?: unknown) => void,
): Watch<T> {
  const recorded: Watch<T> = {
    current: () => watch.current(),
    retry: () => watch.retry(),
    refresh: () => watch.refresh(),
    status: () => watch.status(),
    subscribe(to: Listener<T>, options?: SubscribeOptions) {
      const observer = toObserver(to);
      const { error } = observer;
      const noted = {
        next(value: T): void {
          note('next', value);
          observer.next?.(value);
        },
        complete(): void {
          note('complete');
          observer.complete?.();
        },
        // without `error`, the watch must still report the error as uncaught
        ...(error && {
          error(reason: unknown): void {
            note('error', reason);
            error.call(observer, reason);
          },
        }),
      };
      return watch.subscribe(noted, options);
    },
    '@@observable': () => recorded,
    [Symbol.asyncIterator]: () => iterate(recorded),
    ...(watch[watchClock] && { [watchClock]: watch[watchClock] }),
  };
  return recorded;
}
