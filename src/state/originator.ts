import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/payout-originators/endpoints.ts';
import type {
  PayoutOriginator,
  PayoutOriginatorId,
} from '../resources/payout-originators/model.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How originators are looked at: one by one; whether a review is final is not known, so that they have no ranks. */
export const originatorKind: Kind<PayoutOriginator> = {
  name: 'payout-originator',
  deletable: true,
  idOf: (originator) => originator.id,
  stateOf: (originator) => originator.state,
  find: (connection, originatorId, options) =>
    send(connection, rows.get, { where: { originatorId } }, options),
};

/**
 * Watches a payout originator: what is true of it now, and how fresh that is. Never completes by itself.
 * `GET /v1/payout-originators/{originatorId}` (seed).
 *
 * @param originator the originator or its id
 * @throws through `error`: RefusedError when the service refuses to show it or has it no more, AuthenticationError when the credential is over
 * @example
 * const watch = watchPayoutOriginator(client, originator);
 * const stop = watch.subscribe(({ value }) => console.log(value.state));
 * stop();
 */
export function watchPayoutOriginator(
  client: Connection,
  originator: PayoutOriginator | PayoutOriginatorId,
  options: WatchOptions = {},
): Watch<Snapshot<PayoutOriginator>> {
  return watchEntity(client, originatorKind, originator, options);
}
