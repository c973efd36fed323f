import type { Ticks } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/payouts.ts';
import {
  addMoney,
  compareMoney,
  type Money,
  multiplyMoney,
  subtractMoney,
} from '../../money/index.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { TransferType } from '../../resources/bank-payment-methods.ts';
import {
  type Payout,
  type PayoutDraft,
  payoutReferenceLengths,
  type PayoutState,
  payoutStates,
} from '../../resources/payouts.ts';
import { fittedAmount, requireFeePolicy } from '../ledger/amounts.ts';
import { listSubAccounts, type Transfer, listTransfers } from '../ledger/ledger.ts';
import { assumedTime, readAssumption } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { makePlainPage } from '../query/lists.ts';
import { textOfTicks } from '../time/instants.ts';
import { invalidData, longText, ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';
import { countsToward, requireAllowance } from './account-limits.ts';
import { requireReady, type StoredBankMethod, usableMethod } from './bank-payment-methods.ts';
import { type Entity, EntityStore } from './entity-store.ts';
import { emit } from './events.ts';
import { originators, requireApproved, type StoredOriginator } from './payout-originators.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

interface StoredPayout extends Entity {
  readonly method: StoredBankMethod;
  readonly originator: StoredOriginator | undefined;
  readonly amount: Money;
  readonly fee: Money & { readonly feePolicy: NonNullable<SpendAmount['feePolicy']> };
  readonly reference: string | undefined;
  state: PayoutState;
  initiated: Ticks | undefined;
  completed: Ticks | undefined;
}

export const payouts: EntityStore<StoredPayout> = new EntityStore<StoredPayout>({
  name: 'payout',
  subject: 'payout',
  states: payoutStates,
  event: 'payout.updated',
  transfers: transfersFor,
  enter(world, payout, from) {
    if (payout.state === 'FAILED' || payout.state === 'REVERSED')
      recordUse(world, from === 'INITIATED' ? 'payouts.failed' : 'payouts.returned');
    if (payout.state === 'INITIATED') payout.initiated = world.stamp();
    if (payout.state === 'COMPLETED') payout.completed = world.stamp();
  },
  follow: {
    INITIATED: (world) => ({
      state: 'COMPLETED',
      delay: assumedTime(world, 'payouts.outcome'),
      behaviour: 'payouts.outcome',
    }),
  },
});

function transfersFor(
  world: World,
  { account, amount, fee, state }: StoredPayout,
  to: string,
): readonly Transfer[] {
  const { free, held } = listSubAccounts(account);
  const total = addMoney(amount, fee);
  if (to === 'INITIATED') return listTransfers(free, held, total);
  if (to === 'COMPLETED')
    return [...listTransfers(held, 'bank', amount), ...listTransfers(held, 'fees', fee)];
  const isHeld = state === 'INITIATED';
  const isBack =
    readAssumption(world, isHeld ? 'payouts.failed' : 'payouts.returned') === 'all-back';
  if (isHeld && isBack) return listTransfers(held, free, total);
  return [
    ...listTransfers(isHeld ? held : 'bank', free, amount),
    ...(isBack ? listTransfers('fees', free, fee) : []),
    ...(isHeld ? listTransfers(held, 'fees', fee) : []),
  ];
}

const FEES: Readonly<Record<TransferType, string>> = {
  ACH: '0.50',
  US_DOMESTIC_WIRE: '15.00',
  SEPA: '0.35',
  FPS: '0.30',
  BSB: '0.40',
};

/** Maximum length of a reference for transfer types whose limit the service doesn't publish. */
const LONGEST_REFERENCE = 18;

function requireReference(
  world: World,
  { transferType }: StoredBankMethod,
  reference: string | undefined,
): void {
  const maxLength = payoutReferenceLengths[transferType] ?? LONGEST_REFERENCE;
  if (reference !== undefined && transferType === 'BSB') recordUse(world, 'payouts.bsb');
  if (reference !== undefined && reference.length > maxLength)
    throw invalidData([longText('reference', maxLength)]);
}

function computeFee(world: World, transferType: TransferType, asked: Money): Money {
  const { currency } = asked;
  const kind = readAssumption(world, 'payouts.fees');
  if (kind === 'percent') return multiplyMoney(asked, '0.01', { rounding: 'up' });
  return { amount: kind === 'none' ? '0.00' : FEES[transferType], currency };
}

function computePrice(
  world: World,
  { transferType, currency }: StoredBankMethod,
  draft: PayoutDraft,
): Pick<StoredPayout, 'amount' | 'fee'> {
  requireFeePolicy('feePolicy', draft.feePolicy);
  const asked = fittedAmount({ amount: draft.amount, currency }, 'amount');
  const fee = computeFee(world, transferType, asked);
  const isInside = draft.feePolicy === 'INCLUSIVE';
  if (isInside && compareMoney(asked, fee) <= 0)
    throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: fee });
  return {
    amount: isInside ? subtractMoney(asked, fee) : asked,
    fee: { ...fee, feePolicy: isInside ? 'INCLUSIVE' : 'EXCLUSIVE' },
  };
}

function show(
  world: World,
  {
    id,
    state,
    created,
    method,
    originator,
    amount,
    fee,
    reference,
    initiated,
    completed,
  }: StoredPayout,
): Payout {
  const transactionId = world.random.uuid(`payout/${id}/transaction`, 0);
  return {
    id,
    state,
    created: textOfTicks(created),
    paymentMethodId: method.id,
    ...(originator && { originatorId: originator.id }),
    amount,
    fee,
    ...(reference !== undefined && { reference }),
    ...(initiated !== undefined && { initiated: textOfTicks(initiated), transactionId }),
    ...(completed !== undefined && { completed: textOfTicks(completed) }),
  };
}

export function listWithdrawn(world: World, account: Account): readonly Money[] {
  return payouts
    .list(world, account)
    .filter(
      ({ state, initiated }) => state !== 'FAILED' && countsToward(world, 'withdrawal', initiated),
    )
    .map(({ amount }) => amount);
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft }) {
    const isChecked = readAssumption(world, 'payouts.checks') === 'both';
    const method = usableMethod(world, account, draft.paymentMethodId, 'WITHDRAWAL', isChecked);
    const originator =
      draft.originatorId === undefined
        ? undefined
        : originators.resolve(world, account, draft.originatorId);
    if (originator && isChecked) requireApproved(originator);
    requireReference(world, method, draft.reference);
    const payout: StoredPayout = {
      id: payouts.newId(world),
      account,
      created: world.stamp(),
      method,
      originator,
      ...computePrice(world, method, draft),
      reference: draft.reference,
      state: 'NEW',
      initiated: undefined,
      completed: undefined,
    };
    payouts.add(world, payout);
    emit(world, account, 'payout.created', { entityId: payout.id });
    return { body: show(world, payout) };
  },
  get: (world, { account, where: { payoutId } }) => ({
    body: show(world, payouts.own(world, account, payoutId)),
  }),
  list: (world, { account, where }) => ({
    body: makePlainPage(payouts.list(world, account), where, (payout) => show(world, payout)),
  }),
  initiate(world, { account, where: { payoutId } }) {
    const payout = payouts.own(world, account, payoutId);
    if (payout.state !== 'NEW') throw new ServiceRefusal('PAYOUT_ALREADY_INITIATED');
    requireReady(payout.method);
    if (payout.originator) requireApproved(payout.originator);
    requireAllowance(world, account, 'withdrawal', listWithdrawn(world, account), payout.amount);
    payouts.move(world, payout, 'INITIATED');
    return { body: show(world, payout) };
  },
});
