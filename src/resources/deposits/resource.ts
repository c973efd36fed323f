import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { Deposit } from './model.ts';
import { get } from './operations.ts';
import { DepositStateSchema, DepositPageSchema, DepositSchema } from './schemas.ts';
import { depositStates } from './states.ts';

export const resource: WatchedResource<'deposit', Deposit> = {
  name: 'deposit',
  events: 'deposit',
  states: depositStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', schema: DepositSchema, page: DepositPageSchema },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(DepositStateSchema, depositStates.transitions)];
}
