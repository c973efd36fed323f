import { known, type WatchedResource } from '../resource.ts';
import type { PayoutOriginator } from './model.ts';
import { get } from './operations.ts';
import { OriginatorStateSchema } from './schemas.ts';
import { payoutOriginatorStates } from './states.ts';

export const payoutOriginator: WatchedResource<'payoutOriginator', PayoutOriginator> = {
  name: 'payoutOriginator',
  events: 'payout-originator',
  states: payoutOriginatorStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', isDeletable: true },
  known: () => [known(OriginatorStateSchema, payoutOriginatorStates.transitions)],
};
