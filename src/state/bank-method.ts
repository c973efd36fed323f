import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/bank-payment-methods/endpoints.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodId,
} from '../resources/bank-payment-methods/model.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How bank methods are looked at: one by one; their states come back, so that they have no ranks. */
export const bankMethodKind: Kind<BankPaymentMethod> = {
  name: 'payment-method.bank',
  deletable: true,
  idOf: (method) => method.id,
  stateOf: (method) => method.state,
  find: (connection, bankMethodId, options) =>
    send(connection, rows.get, { where: { bankMethodId } }, options),
};

/**
 * Watches a bank payment method: what is true of it now, and how fresh that is. Never completes by itself: READY may be
 * SUSPENDED and come back. `GET /v1/payment-methods/bank/{bankMethodId}` (seed).
 *
 * @param method the method or its id
 * @throws through `error`: RefusedError when the service refuses to show it or has it no more, AuthenticationError when the credential is over
 * @example
 * const watch = watchBankPaymentMethod(client, method);
 * const stop = watch.subscribe(({ value }) => console.log(value.state));
 * stop();
 */
export function watchBankPaymentMethod(
  client: Connection,
  method: BankPaymentMethod | BankPaymentMethodId,
  options: WatchOptions = {},
): Watch<Snapshot<BankPaymentMethod>> {
  return watchEntity(client, bankMethodKind, method, options);
}
