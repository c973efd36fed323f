import { known, type WatchedResource } from '../resource.ts';
import type { Payout } from './model.ts';
import { get } from './operations.ts';
import { PayoutStateSchema } from './schemas.ts';
import { payoutStates } from './states.ts';

export const payout: WatchedResource<'payout', Payout> = {
  name: 'payout',
  events: 'payout',
  states: payoutStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events' },
  known: () => [known(PayoutStateSchema, payoutStates.transitions)],
};
