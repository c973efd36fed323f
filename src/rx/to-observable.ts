import type { Observable } from 'rxjs';
import type { List } from '../core/lists/index.ts';
import type { Watch } from '../core/watch.ts';
import { fromIterable } from './from-iterable.ts';
import { fromWatch } from './from-watch.ts';

/**
 * Turns a watch or a list into an Observable. Each subscription to a list reads it from the
 * beginning; after unsubscribing no further page is read.
 *
 * @example
 * toObservable(countdown(client, view.quote)).subscribe((seconds) => console.log(seconds));
 */
export function toObservable<T>(source: Watch<T> | List<T>): Observable<T> {
  return 'subscribe' in source ? fromWatch(source) : fromIterable(() => source);
}
