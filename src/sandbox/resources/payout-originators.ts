import type { Violation } from '../../core/errors/index.ts';
import * as rows from '../../generated/endpoints/payout-originators.ts';
import {
  type Address,
  type Party,
  type PayoutOriginator,
  type PayoutOriginatorDraft,
  type PayoutOriginatorState,
  payoutOriginatorStates,
} from '../../resources/payout-originators.ts';
import { assumedTime } from '../provenance/alternatives.ts';
import { makePlainPage } from '../query/lists.ts';
import { textOfTicks } from '../time/instants.ts';
import { invalidData, ServiceRefusal, wrongValue } from '../world/responses.ts';
import { type Entity, EntityStore } from './entity-store.ts';
import { emit } from './events.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

/** Returns errors in a person's or company's details that the schemas can't detect. */
export function partyViolations(
  prefix: string,
  { type, dateOfBirth }: Party,
): readonly Violation[] {
  return [
    ...(type === 'INDIVIDUAL' || type === 'COMPANY'
      ? []
      : [wrongValue(`${prefix}type`, 'must be INDIVIDUAL or COMPANY')]),
    ...(type === 'COMPANY' && dateOfBirth !== undefined
      ? [wrongValue(`${prefix}dateOfBirth`, 'is for individuals')]
      : []),
    ...(dateOfBirth !== undefined && !new Date(dateOfBirth).toJSON()?.startsWith(dateOfBirth)
      ? [wrongValue(`${prefix}dateOfBirth`, 'must be a valid date')]
      : []),
  ];
}

/** Copies a person's or company's details in a fixed field order. */
export function showParty({
  type,
  name,
  dateOfBirth,
  email,
  phoneNumber,
  url,
  address,
}: Party): Party {
  return {
    type,
    name,
    ...(dateOfBirth !== undefined && { dateOfBirth }),
    ...(email !== undefined && { email }),
    ...(phoneNumber !== undefined && { phoneNumber }),
    ...(url !== undefined && { url }),
    ...(address && { address: showAddress(address) }),
  };
}

export function showAddress({ country, state, city, postCode, line1 }: Address): Address {
  return { country, ...(state !== undefined && { state }), city, postCode, line1 };
}

export interface StoredOriginator extends Entity {
  readonly draft: PayoutOriginatorDraft;
  state: PayoutOriginatorState;
}

export const originators: EntityStore<StoredOriginator> = new EntityStore({
  name: 'originator',
  subject: 'payoutOriginator',
  states: payoutOriginatorStates,
  event: 'payout-originator.updated',
  follow: {
    PENDING_REVIEW: (world) => ({
      state: 'APPROVED',
      delay: assumedTime(world, 'originators.outcome'),
      behaviour: 'originators.outcome',
    }),
  },
});

export function requireApproved({ state }: StoredOriginator): void {
  if (state !== 'APPROVED') throw new ServiceRefusal('PAYOUT_ORIGINATOR_NOT_APPROVED');
}

function show({ id, state, created, draft }: StoredOriginator): PayoutOriginator {
  return { id, state, created: textOfTicks(created), details: showParty(draft) };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft }) {
    const violations = partyViolations('', draft);
    if (violations.length > 0) throw invalidData(violations);
    const originator: StoredOriginator = {
      id: originators.newId(world),
      account,
      created: world.stamp(),
      draft,
      state: 'PENDING_REVIEW',
    };
    originators.add(world, originator);
    emit(world, account, 'payout-originator.created', { entityId: originator.id });
    originators.follow(world, originator, true);
    return { body: show(originator) };
  },
  get: (world, { account, where: { originatorId } }) => ({
    body: show(originators.own(world, account, originatorId)),
  }),
  list: (world, { account, where }) => ({
    body: makePlainPage(originators.list(world, account), where, show),
  }),
  remove(world, { account, where: { originatorId } }) {
    originators.remove(world, account, originatorId);
    return { body: undefined };
  },
});
