import { known, type WatchedResource } from '../resource.ts';
import type { Payment } from './model.ts';
import { get } from './operations.ts';
import { PaymentResultSchema, PaymentStateSchema } from './schemas.ts';
import { paymentStates } from './states.ts';

export const payment: WatchedResource<'payment', Payment> = {
  name: 'payment',
  events: 'payment',
  states: paymentStates,
  idOf: ({ paymentId }) => paymentId,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events' },
  known: () => [
    known(PaymentStateSchema, paymentStates.transitions),
    known(PaymentResultSchema, { PENDING: true, SUCCESS: true, FAILURE: true }),
  ],
};
