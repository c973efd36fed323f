import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { Payout } from './model.ts';
import { get } from './operations.ts';
import { PayoutStateSchema, PayoutPageSchema, PayoutSchema } from './schemas.ts';
import { payoutStates } from './states.ts';

export const resource: WatchedResource<'payout', Payout> = {
  name: 'payout',
  events: 'payout',
  states: payoutStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', schema: PayoutSchema, page: PayoutPageSchema },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(PayoutStateSchema, payoutStates.transitions)];
}
