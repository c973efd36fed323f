import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/deposits/endpoints.ts';
import type { Deposit, DepositId } from '../resources/deposits/model.ts';
import { depositStates } from '../resources/deposits/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How deposits are looked at: one by one, for their list takes no filter. */
export const depositKind: Kind<Deposit> = {
  name: 'deposit',
  life: depositStates,
  idOf: (deposit) => deposit.id,
  stateOf: (deposit) => deposit.state,
  find: (connection, depositId, options) =>
    send(connection, rows.get, { where: { depositId } }, options),
};

/**
 * Watches a deposit: what is true of it now, and how fresh that is. Completes when it is COMPLETED, FAILED or REVERSED;
 * banks take COMPLETED ones back: `until: 'never'` goes on. `GET /v1/deposits/{depositId}` (seed).
 *
 * @param deposit the deposit or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * const watch = watchDeposit(client, deposit);
 * const stop = watch.subscribe(({ value }) => console.log(value.state));
 * stop();
 */
export function watchDeposit(
  client: Connection,
  deposit: Deposit | DepositId,
  options: WatchOptions = {},
): Watch<Snapshot<Deposit>> {
  return watchEntity(client, depositKind, deposit, options);
}
