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
import type { BehaviourId } from '../provenance/behaviours.ts';
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

/** The bank draws an ACH deposit at once; others wait for the customer's transfer. */
function beginDeposit(world: World, deposit: StoredDeposit): void {
  const isDrawn = deposit.method.transferType === 'ACH';
  recordUse(world, isDrawn ? 'deposits.ach-begin' : 'deposits.begin');
  if (isDrawn) return enter(world, deposit, 'PENDING');
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

function enter(world: World, deposit: StoredDeposit, to: string): void {
  for (const id of RESTS[to] ?? []) recordUse(world, id);
  post(world, `deposit ${to}`, deposit.id, transfersFor(deposit, to));
  deposit.state = to as DepositState;
  const [delay, behaviour]: [number, BehaviourId] =
    deposit.method.transferType === 'ACH'
      ? [ACH_SETTLES, 'deposits.ach']
      : [2 * SECOND, 'deposits.outcome'];
  if (to === 'PENDING')
    scheduleTransition(
      world,
      deposits,
      deposit,
      'deposit',
      { state: 'COMPLETED', delay, behaviour },
      (state) => moveDeposit(world, deposit, state),
    );
}

function transfersFor(
  { account, amount, fee, state }: StoredDeposit,
  to: string,
): readonly Transfer[] {
  const { free, unsettled } = subAccountsOf(account);
  if (to === 'PENDING')
    return [...transfersOf('bank', unsettled, amount), ...transfersOf('bank', 'fees', fee)];
  if (to === 'COMPLETED') return transfersOf(unsettled, free, amount);
  if (state === 'NEW') return []; // nothing had come
  if (state === 'PENDING')
    return [...transfersOf(unsettled, 'bank', amount), ...transfersOf('fees', 'bank', fee)];
  return transfersOf(free, 'bank', amount, true); // the fee is kept
}

/** A tenth of a percent, but nothing by ACH. */
const PERCENT = '0.1';
const FACTOR = '0.001';
const DAY = 86_400_000;

function pricedOf(
  world: World,
  { transferType, currency }: StoredBankMethod,
  { amount, feePolicy }: DepositDraft,
): Pick<StoredDeposit, 'amount' | 'fee' | 'totalAmount'> {
  requireFeePolicy('feePolicy', feePolicy);
  const asked = fittedAmount({ amount, currency }, 'amount');
  const isDrawn = transferType === 'ACH';
  recordUse(world, isDrawn ? 'deposits.ach' : 'deposits.fee');
  const fee = multiplyMoney(asked, isDrawn ? '0' : FACTOR, { rounding: 'up' });
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
  const shown = {
    amount,
    fee,
    total,
    feePercent: isDrawn ? '0' : PERCENT,
    feeFixed: '0.00',
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
    if (depositId !== undefined) throw new ServiceRefusal('DUPLICATE_DEPOSIT', { depositId });
    const method = usableMethod(world, account, draft.paymentMethodId, 'DEPOSIT');
    const priced = pricedOf(world, method, draft);
    for (const name of allowancesOf(method))
      requireAllowance(world, account, name, depositedOf(world, account, name), priced.totalAmount);
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
