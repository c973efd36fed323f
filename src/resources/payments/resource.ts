import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { Payment } from './model.ts';
import { get } from './operations.ts';
import { PaymentResultSchema, PaymentStateSchema, PaymentSchema } from './schemas.ts';
import { paymentStates } from './states.ts';

export const resource: WatchedResource<'payment', Payment> = {
  name: 'payment',
  events: 'payment',
  states: paymentStates,
  idOf: ({ paymentId }) => paymentId,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', schema: PaymentSchema },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(PaymentStateSchema, paymentStates.transitions),
    knownTexts(PaymentResultSchema, { PENDING: true, SUCCESS: true, FAILURE: true }),
  ];
}
