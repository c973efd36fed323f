import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/payments/endpoints.ts';
import type { ExecutedPayment, Payment, PaymentId } from '../resources/payments/model.ts';
import { paymentStates } from '../resources/payments/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** How payments are looked at: one by one, for the service has no list of them. */
export const paymentKind: Kind<Payment> = {
  name: 'payment',
  life: paymentStates,
  idOf: (payment) => payment.paymentId,
  stateOf: (payment) => payment.state,
  find: (connection, paymentId, options) =>
    send(connection, rows.get, { where: { paymentId } }, options),
};

/**
 * Watches a payment: what is true of it now, and how fresh that is. Completes when it is COMPLETED or FAILED; PENDING may
 * last for days and is neither. `GET /v1/payments/{paymentId}` (seed).
 *
 * @param payment the payment or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * for await (const { value, freshness } of watchPayment(client, payment)) console.log(value.state, freshness);
 */
export function watchPayment(
  client: Connection,
  payment: ExecutedPayment | PaymentId,
  options: WatchOptions = {},
): Watch<Snapshot<Payment>> {
  return watchEntity(client, paymentKind, payment as Payment | PaymentId, options);
}
