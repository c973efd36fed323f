import * as rows from '../../generated/endpoints/deposits.ts';
import {
  addMoney,
  compareMoney,
  type Money,
  multiplyMoney,
  subtractMoney,
} from '../../money/index.ts';
import {
  type Deposit,
  type DepositDraft,
  type DepositFee,
  type DepositState,
  depositStates,
} from '../../resources/deposits.ts';
import { fittedAmount, requireFeePolicy } from '../ledger/amounts.ts';
import { listSubAccounts, type Transfer, listTransfers } from '../ledger/ledger.ts';
import {
  assumedRounding,
  assumedTime,
  readAssumption,
  type AssumptionValue,
} from '../provenance/alternatives.ts';
import type { BehaviourId } from '../provenance/recorder.ts';
import { recordUse } from '../provenance/recorder.ts';
import { makePlainPage } from '../query/lists.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { type Account, runLater, type World } from '../world/world.ts';
import { type AllowanceName, countsToward, requireAllowance } from './account-limits.ts';
import { type StoredBankMethod, usableMethod } from './bank-payment-methods.ts';
import { type Entity, EntityStore, madeByKey, requireFresh } from './entity-store.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

interface StoredDeposit extends Entity {
  readonly method: StoredBankMethod;
  readonly amount: Money;
  readonly fee: Money;
  readonly totalAmount: Money;
  state: DepositState;
}

export const deposits: EntityStore<StoredDeposit> = new EntityStore<StoredDeposit>({
  name: 'deposit',
  subject: 'deposit',
  states: depositStates,
  event: 'deposit.updated',
  transfers: transfersFor,
  enter(world, { state }) {
    for (const id of RESTS[state]) recordUse(world, id);
  },
  follow: {
    PENDING: (world, { method }, isNew) => {
      if (method.transferType === 'ACH')
        return { state: 'COMPLETED', delay: ACH_SETTLES, behaviour: 'deposits.ach' };
      const isOver = isNew && readAssumption(world, 'deposits.begin') === 'completed';
      const delay = isOver ? 0 : assumedTime(world, 'deposits.outcome');
      return { state: 'COMPLETED', delay, behaviour: 'deposits.outcome' };
    },
  },
});

const SECOND = 1_000;
/** Time until an ACH deposit settles in milliseconds, which is five days. */
const ACH_SETTLES: number = 432_000_000;

const RESTS: Readonly<Record<DepositState, readonly BehaviourId[]>> = {
  NEW: [],
  PENDING: [],
  COMPLETED: [],
  FAILED: ['deposits.failed', 'deposits.reason'],
  REVERSED: ['deposits.reversed', 'deposits.returned'],
};

/**
 * Starts a deposit. ACH deposits are pulled from the bank immediately. Other deposits wait for the
 * customer's transfer.
 */
function beginDeposit(world: World, deposit: StoredDeposit): void {
  const isDrawn = deposit.method.transferType === 'ACH';
  recordUse(world, isDrawn ? 'deposits.ach-begin' : 'deposits.begin');
  if (isDrawn || readAssumption(world, 'deposits.begin') !== 'new')
    return deposits.move(world, deposit, 'PENDING', true);
  runLater(world, SECOND, () => {
    if (deposit.state !== 'NEW') return;
    recordUse(world, 'deposits.arrival');
    deposits.move(world, deposit, 'PENDING');
  });
}

function transfersFor(
  world: World,
  { account, amount, fee, state }: StoredDeposit,
  to: string,
): readonly Transfer[] {
  const { free, unsettled } = listSubAccounts(account);
  if (to === 'PENDING')
    return [...listTransfers('bank', unsettled, amount), ...listTransfers('bank', 'fees', fee)];
  if (to === 'COMPLETED') return listTransfers(unsettled, free, amount);
  if (state === 'NEW') return []; // the money hasn't arrived yet
  const isPending = state === 'PENDING';
  const isBack =
    readAssumption(world, isPending ? 'deposits.failed' : 'deposits.returned') === 'all-back';
  return [
    ...listTransfers(isPending ? unsettled : free, 'bank', amount, isPending ? undefined : true),
    ...(isBack ? listTransfers('fees', 'bank', fee) : []),
  ];
}

/**
 * Fees for deposits, with a variable part as a percentage and as a factor, and a fixed part. ACH
 * deposits are free.
 */
const FEES = {
  thousandth: { percent: '0.1', factor: '0.001', fixed: '0.00' },
  none: { percent: '0', factor: '0', fixed: '0.00' },
  fixed: { percent: '0', factor: '0', fixed: '0.25' },
} as const;

function findFees(
  world: World,
  { transferType }: StoredBankMethod,
): (typeof FEES)[AssumptionValue<'deposits.fee'>] {
  return FEES[transferType === 'ACH' ? 'none' : readAssumption(world, 'deposits.fee')];
}
const DAY = 86_400_000;

function computePrice(
  world: World,
  method: StoredBankMethod,
  { amount, feePolicy }: DepositDraft,
): Pick<StoredDeposit, 'amount' | 'fee' | 'totalAmount'> {
  requireFeePolicy('feePolicy', feePolicy);
  const { transferType, currency } = method;
  const asked = fittedAmount({ amount, currency }, 'amount');
  recordUse(world, transferType === 'ACH' ? 'deposits.ach' : 'deposits.fee');
  const { factor, fixed } = findFees(world, method);
  const rounding = assumedRounding(world, 'deposits.rounding');
  const fee = addMoney(multiplyMoney(asked, factor, { rounding }), { amount: fixed, currency });
  if (feePolicy !== 'INCLUSIVE') return { amount: asked, fee, totalAmount: addMoney(asked, fee) };
  if (compareMoney(asked, fee) <= 0)
    throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: addMoney(fee, fee) });
  return { amount: subtractMoney(asked, fee), fee, totalAmount: asked };
}

function show({ id, amount, fee, totalAmount, state }: StoredDeposit): Deposit {
  return {
    id,
    amount,
    fee,
    totalAmount,
    state,
    ...(state === 'FAILED' && { failureReason: 'DECLINED_BY_BANK' }),
  };
}

function estimate(world: World, method: StoredBankMethod, draft: DepositDraft): DepositFee {
  const { amount, fee, totalAmount: total } = computePrice(world, method, draft);
  const isDrawn = method.transferType === 'ACH';
  const { percent, fixed } = findFees(world, method);
  const shown = {
    amount,
    fee,
    total,
    feePercent: percent,
    feeFixed: fixed,
    settledAt: isDrawn ? textOfTicks(ticksOfMillis(world.clock.now() + ACH_SETTLES)) : null,
    settlementPeriodInDay: isDrawn ? ACH_SETTLES / DAY : null,
  };
  return shown as DepositFee; // clients parse null as absent
}

function listAllowances({ transferType }: StoredBankMethod): readonly DepositAllowance[] {
  return transferType === 'ACH' ? ['deposit', 'achDeposit'] : ['deposit'];
}

type DepositAllowance = Exclude<AllowanceName, 'withdrawal'>;

export function listDeposited(
  world: World,
  account: Account,
  name: DepositAllowance,
): readonly Money[] {
  return deposits
    .list(world, account)
    .filter(
      ({ state, created, method }) =>
        state !== 'FAILED' &&
        countsToward(world, name, created) &&
        listAllowances(method).includes(name),
    )
    .map(({ totalAmount }) => totalAmount);
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft, idempotencyKey }) {
    const keys = madeByKey(world, 'deposit', account);
    const made = { depositId: keys.get(idempotencyKey ?? '') };
    requireFresh(world, 'first', 'DUPLICATE_DEPOSIT', made);
    const method = usableMethod(world, account, draft.paymentMethodId, 'DEPOSIT');
    const priced = computePrice(world, method, draft);
    for (const name of listAllowances(method))
      requireAllowance(
        world,
        account,
        name,
        listDeposited(world, account, name),
        priced.totalAmount,
      );
    requireFresh(world, 'last', 'DUPLICATE_DEPOSIT', made);
    const deposit: StoredDeposit = {
      id: deposits.newId(world),
      account,
      created: world.stamp(),
      method,
      ...priced,
      state: 'NEW',
    };
    deposits.add(world, deposit);
    if (idempotencyKey !== undefined) keys.set(idempotencyKey, deposit.id);
    beginDeposit(world, deposit);
    return { body: show(deposit) };
  },
  get: (world, { account, where: { depositId } }) => ({
    body: show(deposits.own(world, account, depositId)),
  }),
  list: (world, { account, where }) => ({
    body: makePlainPage(deposits.list(world, account), where, show),
  }),
  estimateFee: (world, { account, draft }) => ({
    body: estimate(world, usableMethod(world, account, draft.paymentMethodId, 'DEPOSIT'), draft),
  }),
});
