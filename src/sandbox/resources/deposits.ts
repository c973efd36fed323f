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
import { post, subAccountsOf, type Transfer, transfersOf } from '../ledger/ledger.ts';
import { assumptionOf, type AssumptionValue } from '../provenance/alternatives.ts';
import type { BehaviourId } from '../provenance/recorder.ts';
import { recordUse } from '../provenance/recorder.ts';
import { plainPageOf } from '../query/lists.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { type Account, runLater, type World } from '../world/world.ts';
import { type AllowanceName, countsToward, requireAllowance } from './account-limits.ts';
import { type StoredBankMethod, usableMethod } from './bank-payment-methods.ts';
import { emit } from './events.ts';
import {
  createRepository,
  type Entity,
  idempotencyKeysOf,
  type Repository,
  type ResourceRoute,
  routesOf,
  scheduleTransition,
} from './repository.ts';

interface StoredDeposit extends Entity {
  readonly method: StoredBankMethod;
  readonly amount: Money;
  readonly fee: Money;
  readonly totalAmount: Money;
  state: DepositState;
}

export const deposits: Repository<StoredDeposit> = createRepository('deposit', depositStates);

const SECOND = 1_000;
/** Milliseconds until a deposit by ACH has settled; others settle in two seconds. */
const ACH_SETTLES: number = 432_000_000;
const DELAYS_MS = { '2-s': 2_000, hour: 3_600_000 } as const;

/** The bank draws an ACH deposit at once; others wait for the customer's transfer. */
function beginDeposit(world: World, deposit: StoredDeposit): void {
  const isDrawn = deposit.method.transferType === 'ACH';
  recordUse(world, isDrawn ? 'deposits.ach-begin' : 'deposits.begin');
  if (isDrawn || assumptionOf(world, 'deposits.begin') !== 'new')
    return enter(world, deposit, 'PENDING', true);
  runLater(world, SECOND, () => {
    if (deposit.state !== 'NEW') return;
    recordUse(world, 'deposits.arrival');
    moveDeposit(world, deposit, 'PENDING');
  });
}

/** Moves a deposit to its next state, with its money and its event. */
export function moveDeposit(world: World, deposit: StoredDeposit, to: string): void {
  enter(world, deposit, to);
  emit(world, deposit.account, 'deposit.updated', deposit.id, ['state']);
}

/** The behaviours that a state rests on. */
const RESTS: Readonly<Record<string, readonly BehaviourId[]>> = {
  FAILED: ['deposits.failed', 'deposits.reason'],
  REVERSED: ['deposits.reversed', 'deposits.returned'],
};

/** The time for which a deposit is PENDING, and the behaviour that it rests on. */
function pendingTime(
  world: World,
  { method }: StoredDeposit,
  isNew: boolean,
): { readonly delay: number; readonly behaviour: BehaviourId } {
  if (method.transferType === 'ACH') return { delay: ACH_SETTLES, behaviour: 'deposits.ach' };
  const isOver = isNew && assumptionOf(world, 'deposits.begin') === 'completed';
  const delay = isOver ? 0 : DELAYS_MS[assumptionOf(world, 'deposits.outcome')];
  return { delay, behaviour: 'deposits.outcome' };
}

/** Enters a state without an event; `isNew`: before the response to the creation. */
function enter(world: World, deposit: StoredDeposit, to: string, isNew: boolean = false): void {
  for (const id of RESTS[to] ?? []) recordUse(world, id);
  post(world, `deposit ${to}`, deposit.id, transfersFor(world, deposit, to));
  deposit.state = to as DepositState;
  let isSilent = isNew;
  if (to === 'PENDING')
    scheduleTransition(
      world,
      deposits,
      deposit,
      'deposit',
      { state: 'COMPLETED', ...pendingTime(world, deposit, isNew) },
      (state) => (isSilent ? enter(world, deposit, state) : moveDeposit(world, deposit, state)),
    );
  isSilent = false;
}

function transfersFor(
  world: World,
  { account, amount, fee, state }: StoredDeposit,
  to: string,
): readonly Transfer[] {
  const { free, unsettled } = subAccountsOf(account);
  if (to === 'PENDING')
    return [...transfersOf('bank', unsettled, amount), ...transfersOf('bank', 'fees', fee)];
  if (to === 'COMPLETED') return transfersOf(unsettled, free, amount);
  if (state === 'NEW') return []; // nothing had come
  const isPending = state === 'PENDING';
  const isBack =
    assumptionOf(world, isPending ? 'deposits.failed' : 'deposits.returned') === 'all-back';
  return [
    ...transfersOf(isPending ? unsettled : free, 'bank', amount, isPending ? undefined : true),
    ...(isBack ? transfersOf('fees', 'bank', fee) : []),
  ];
}

/** The part of a deposit, in percent and as a factor, and what is added; nothing by ACH. */
const FEES = {
  thousandth: { percent: '0.1', factor: '0.001', fixed: '0.00' },
  none: { percent: '0', factor: '0', fixed: '0.00' },
  fixed: { percent: '0', factor: '0', fixed: '0.25' },
} as const;
const ROUNDING = { up: 'up', down: 'down', nearest: 'half-even' } as const;

/** The rule for the fee of a method. */
function feesOf(
  world: World,
  { transferType }: StoredBankMethod,
): (typeof FEES)[AssumptionValue<'deposits.fee'>] {
  return FEES[transferType === 'ACH' ? 'none' : assumptionOf(world, 'deposits.fee')];
}
const DAY = 86_400_000;

function pricedOf(
  world: World,
  method: StoredBankMethod,
  { amount, feePolicy }: DepositDraft,
): Pick<StoredDeposit, 'amount' | 'fee' | 'totalAmount'> {
  requireFeePolicy('feePolicy', feePolicy);
  const { transferType, currency } = method;
  const asked = fittedAmount({ amount, currency }, 'amount');
  recordUse(world, transferType === 'ACH' ? 'deposits.ach' : 'deposits.fee');
  const { factor, fixed } = feesOf(world, method);
  const rounding = ROUNDING[assumptionOf(world, 'deposits.rounding')];
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
  const { amount, fee, totalAmount: total } = pricedOf(world, method, draft);
  const isDrawn = method.transferType === 'ACH';
  const { percent, fixed } = feesOf(world, method);
  const shown = {
    amount,
    fee,
    total,
    feePercent: percent,
    feeFixed: fixed,
    settledAt: isDrawn ? textOfTicks(ticksOfMillis(world.clock.now() + ACH_SETTLES)) : null,
    settlementPeriodInDay: isDrawn ? ACH_SETTLES / DAY : null,
  };
  return shown as DepositFee; // a null on the wire is read as absent
}

function allowancesOf({ transferType }: StoredBankMethod): readonly DepositAllowance[] {
  return transferType === 'ACH' ? ['deposit', 'achDeposit'] : ['deposit'];
}

type DepositAllowance = Exclude<AllowanceName, 'withdrawal'>;

/** Amounts of the deposits that count towards an allowance now. */
export function depositedOf(
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
        allowancesOf(method).includes(name),
    )
    .map(({ totalAmount }) => totalAmount);
}

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  create(world, { account, draft, idempotencyKey }) {
    const keys = idempotencyKeysOf(world, deposits.name, account);
    const depositId = keys.get(idempotencyKey ?? '');
    const requireFresh = (when: AssumptionValue<'keys.checks'>): void => {
      if (depositId !== undefined && assumptionOf(world, 'keys.checks') === when)
        throw new ServiceRefusal('DUPLICATE_DEPOSIT', { depositId });
    };
    requireFresh('first');
    const method = usableMethod(world, account, draft.paymentMethodId, 'DEPOSIT');
    const priced = pricedOf(world, method, draft);
    for (const name of allowancesOf(method))
      requireAllowance(world, account, name, depositedOf(world, account, name), priced.totalAmount);
    requireFresh('last');
    const deposit: StoredDeposit = {
      id: deposits.idOf(world),
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
    body: plainPageOf(deposits.list(world, account), where, show),
  }),
  estimateFee: (world, { account, draft }) => ({
    body: estimate(world, usableMethod(world, account, draft.paymentMethodId, 'DEPOSIT'), draft),
  }),
});
