import { known, type WatchedResource } from '../resource.ts';
import type { Deposit } from './model.ts';
import { get } from './operations.ts';
import { DepositStateSchema } from './schemas.ts';
import { depositStates } from './states.ts';

export const deposit: WatchedResource<'deposit', Deposit> = {
  name: 'deposit',
  events: 'deposit',
  states: depositStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events' },
  known: () => [known(DepositStateSchema, depositStates.transitions)],
};
