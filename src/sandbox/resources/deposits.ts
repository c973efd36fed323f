import { addMoney, compareMoney, multiplyMoney, subtractMoney } from '../../money/index.ts';
import * as rows from '../../generated/endpoints/deposits.ts';
import type { Deposit, DepositDraft, DepositFee } from '../../resources/deposits.ts';
import { type ResourceRoute, routesOf } from './handlers.ts';
import { plainPageOf } from '../query/lists.ts';
import { ServiceRefusal } from '../world/refusals.ts';
import { fittedAmount, requireFeePolicy } from '../ledger/amounts.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import type { World } from '../world/world.ts';
import { recordUse } from '../provenance/recorder.ts';
import { type AllowanceName, countsToward, requireAllowance } from './account-limits.ts';
import { type StoredBankMethod, usableMethod } from './bank-payment-method-store.ts';
import { ACH_SETTLES, beginDeposit, deposits, type StoredDeposit } from './deposit-store.ts';
import { idempotencyKeysOf } from './repository.ts';

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
