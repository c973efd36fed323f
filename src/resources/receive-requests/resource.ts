import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { Receives } from './model.ts';
import { readReceives, receiveSteps } from './receives.ts';
import { ReceiveStateSchema, ReceiveTypeSchema, ReceivesSchema } from './schemas.ts';
import { receiveStates } from './states.ts';

/** What is read under its name is what came in for it: it has no state of its own. */
export const resource: WatchedResource<'receiveRequest', Receives> = {
  name: 'receiveRequest',
  events: 'receive-request',
  states: receiveSteps,
  idOf: ({ receiveRequestId }) => receiveRequestId,
  stateOf: ({ receives }) =>
    `${receives.reduce((steps, { state }) => steps + 1 + (receiveStates.rank(state) ?? 0), 0)}`,
  read: readReceives,
  watch: { wokenBy: 'events', schema: ReceivesSchema },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(ReceiveStateSchema, receiveStates.transitions),
    knownTexts(ReceiveTypeSchema, { LIGHTNING: true, ONCHAIN: true, P2P: true }),
  ];
}
