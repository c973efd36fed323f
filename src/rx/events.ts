import type { Observable } from 'rxjs';
import type { Connection } from '../core/http/index.ts';
import { eventFeed as itemsOf, type FeedItem } from '../resources/events.feed.ts';
import { fromIterable } from './from-iterable.ts';

/**
 * The account's events as they happen, each once, as an Observable; what could not be read comes as
 * a gap. Starts on subscribe, stops on unsubscribe. `GET /v1/events` (documented).
 *
 * @throws through `error`: RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * eventFeed(client).subscribe(({ event }) => event && console.log(event.eventType));
 */
export function eventFeed(
  client: Connection,
  options: { readonly from?: string | undefined } = {},
): Observable<FeedItem> {
  return fromIterable((signal) => itemsOf(client, { ...options, signal }));
}
