import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { PayoutOriginator } from './model.ts';
import { get } from './operations.ts';
import {
  PayoutOriginatorStateSchema,
  PayoutOriginatorPageSchema,
  PayoutOriginatorSchema,
} from './schemas.ts';
import { payoutOriginatorStates } from './states.ts';

export const resource: WatchedResource<'payoutOriginator', PayoutOriginator> = {
  name: 'payoutOriginator',
  events: 'payout-originator',
  states: payoutOriginatorStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    isDeletable: true,
    schema: PayoutOriginatorSchema,
    page: PayoutOriginatorPageSchema,
  },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(PayoutOriginatorStateSchema, payoutOriginatorStates.transitions)];
}
