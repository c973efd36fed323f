import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/payouts/endpoints.ts';
import type { Payout, PayoutId } from '../resources/payouts/model.ts';
import { payoutStates } from '../resources/payouts/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How payouts are looked at: one by one, for their list takes no filter. */
export const payoutKind: Kind<Payout> = {
  name: 'payout',
  life: payoutStates,
  idOf: (payout) => payout.id,
  stateOf: (payout) => payout.state,
  find: (connection, payoutId, options) =>
    send(connection, rows.get, { where: { payoutId } }, options),
};

/**
 * Watches a payout: what is true of it now, and how fresh that is. Completes when it is COMPLETED, FAILED or REVERSED;
 * COMPLETED says that the money has left, and may still be REVERSED: `until: 'never'` goes on. `GET /v1/payouts/{payoutId}` (seed).
 *
 * @param payout the payout or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * const watch = watchPayout(client, payout);
 * const stop = watch.subscribe(({ value }) => console.log(value.state));
 * stop();
 */
export function watchPayout(
  client: Connection,
  payout: Payout | PayoutId,
  options: WatchOptions = {},
): Watch<Snapshot<Payout>> {
  return watchEntity(client, payoutKind, payout, options);
}
