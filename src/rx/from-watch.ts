import { Observable } from 'rxjs';
import type { Watch } from '../core/watch.ts';

/**
 * A watch as an Observable. The watch already shares, replays and stops, so nothing is added here.
 */
export function fromWatch<T>(watch: Watch<T>): Observable<T> {
  return new Observable((subscriber) => watch.subscribe(subscriber));
}
