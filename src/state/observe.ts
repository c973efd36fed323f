import type { Observer } from '../core/watch/index.ts';
import { type Entry, isSettled } from './entry.ts';
import type { Snapshot } from './snapshot.ts';
import type { WatchOptions } from './watch-options.ts';

/**
 * Adds an observer to an entry, and gives it what is known. The function returned takes it away
 * again.
 */
export function observe<T>(
  entry: Entry<T>,
  to: Observer<Snapshot<T>>,
  { signal, until }: WatchOptions,
  onLeave: () => void,
): () => void {
  const observer: Observer<Snapshot<T>> = {
    ...to,
    next(snapshot) {
      to.next(snapshot);
      if (until !== 'never' && isSettled(entry)) to.complete();
    },
  };
  const abort = () => to.complete();
  entry.observers.add(observer);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  else observer.next(entry.snapshot);
  return () => {
    signal?.removeEventListener('abort', abort);
    entry.observers.delete(observer);
    onLeave();
  };
}
