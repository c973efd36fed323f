import { Observable } from 'rxjs';
import type { Watch } from '../core/watch/index.ts';

/**
 * Turns a watch into an Observable. The watch already shares, replays and stops, so nothing is added here.
 *
 * @example
 * toObservable(checkout(client, { invoiceId })).subscribe(({ phase }) => console.log(phase));
 */
export function toObservable<T>(watch: Watch<T>): Observable<T> {
  return new Observable((subscriber) => watch.subscribe(subscriber));
}
