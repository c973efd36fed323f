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
import { assumptionOf } from '../provenance/alternatives.ts';
import { plainPageOf } from '../query/lists.ts';
import { textOfTicks } from '../time/instants.ts';
import { invalidData, notFound, ServiceRefusal } from '../world/responses.ts';
import type { World } from '../world/world.ts';
import { emit } from './events.ts';
import {
  createRepository,
  type Entity,
  type Repository,
  type ResourceRoute,
  routesOf,
  scheduleTransition,
} from './repository.ts';

/** Refuses what the shapes let through and no bank takes. */
export function partyViolations(
  prefix: string,
  { type, dateOfBirth }: Party,
): readonly Violation[] {
  const wrong = (field: string, advice: string): Violation => ({
    field: prefix + field,
    code: 'INVALID_DATA_VALUE',
    advice,
  });
  return [
    ...(type === 'INDIVIDUAL' || type === 'COMPANY'
      ? []
      : [wrong('type', 'must be INDIVIDUAL or COMPANY')]),
    ...(type === 'COMPANY' && dateOfBirth !== undefined
      ? [wrong('dateOfBirth', 'is for individuals')]
      : []),
    ...(dateOfBirth !== undefined && !new Date(dateOfBirth).toJSON()?.startsWith(dateOfBirth)
      ? [wrong('dateOfBirth', 'must be a day of the calendar')]
      : []),
  ];
}

/** The members that a party has, in one order. */
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

export const originators: Repository<StoredOriginator> = createRepository(
  'originator',
  payoutOriginatorStates,
);

/** Duration of a review. */
const DELAYS_MS = { '5-s': 5_000, 'at-once': 0, day: 86_400_000 } as const;

/** It will be reviewed; a review that ends before the response makes no second event. */
function review(world: World, originator: StoredOriginator): void {
  const delay = DELAYS_MS[assumptionOf(world, 'originators.outcome')];
  const reviewed = { state: 'APPROVED', delay, behaviour: 'originators.outcome' } as const;
  let isSilent = true;
  scheduleTransition(world, originators, originator, 'payoutOriginator', reviewed, (state) =>
    moveOriginator(world, originator, state, isSilent),
  );
  isSilent = false;
}

/** Moves an originator to its next state, with its event unless it is `silent`. */
export function moveOriginator(
  world: World,
  originator: StoredOriginator,
  to: string,
  isSilent: boolean = false,
): void {
  originator.state = to as PayoutOriginatorState;
  if (isSilent) return;
  emit(world, originator.account, 'payout-originator.updated', originator.id, ['state']);
}

/** Refuses one in whose name nothing may be sent. */
export function requireApproved({ state }: StoredOriginator): void {
  if (state !== 'APPROVED') throw new ServiceRefusal('PAYOUT_ORIGINATOR_NOT_APPROVED');
}

function show({ id, state, created, draft }: StoredOriginator): PayoutOriginator {
  return { id, state, created: textOfTicks(created), details: showParty(draft) };
}

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  create(world, { account, draft }) {
    const violations = partyViolations('', draft);
    if (violations.length > 0) throw invalidData(violations);
    const originator: StoredOriginator = {
      id: originators.idOf(world),
      account,
      created: world.stamp(),
      draft,
      state: 'PENDING_REVIEW',
    };
    originators.add(world, originator);
    emit(world, account, 'payout-originator.created', originator.id);
    review(world, originator);
    return { body: show(originator) };
  },
  get: (world, { account, where: { originatorId } }) => ({
    body: show(originators.own(world, account, originatorId)),
  }),
  list: (world, { account, where }) => ({
    body: plainPageOf(originators.list(world, account), where, show),
  }),
  remove(world, { account, where: { originatorId } }) {
    const originator = originators.own(world, account, originatorId);
    const isGone = originator.state === 'INACTIVE';
    if (isGone && assumptionOf(world, 'banks.removed-twice') === '404') throw notFound();
    if (!isGone) moveOriginator(world, originator, 'INACTIVE');
    return { body: undefined };
  },
});
