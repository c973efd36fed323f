import type { Ticks } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/payments.ts';
import {
  addMoney,
  compareMoney,
  isSameMoney,
  type Money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
} from '../../money/index.ts';
import type { QuotedRate, SpendAmount } from '../../resources/amounts.ts';
import { type Payment, type PaymentState, paymentStates } from '../../resources/payments.ts';
import { chooseNextState } from '../faults/rules.ts';
import {
  convertNow,
  fittedAmount,
  findRate,
  requireCurrency,
  requireFeePolicy,
  requireNamed,
  requireWithinLimit,
} from '../ledger/amounts.ts';
import {
  post,
  requireFree,
  listSubAccounts,
  type Transfer,
  listTransfers,
} from '../ledger/ledger.ts';
import { readAssumption } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { textOfTicks } from '../time/instants.ts';
import { toHex, type Account, runLater, getStore, type World } from '../world/world.ts';
import { notFound, ServiceRefusal } from '../world/responses.ts';
import { emit } from './events.ts';
import type { Credit, PaymentArrival, Receiver } from './receivers.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

/** Amounts of a payment. All of them except `sats` are in the sender's currency. */
interface Terms {
  readonly amount: Money;
  readonly fee: Money;
  readonly total: Money;
  /** Amount that the receiver gets, in BTC. */
  readonly sats: Money;
  readonly rate: QuotedRate | undefined;
  /** Reward that the sender gets when the payment completes. */
  readonly reward?: Money | undefined;
}

export interface Wish {
  readonly source: string;
  readonly amount?: SpendAmount | undefined;
  /** Returns the fee for an amount. Both are in BTC. */
  feeOf(sats: Money): Money;
}

/**
 * Computes the amounts of a payment. Rejects amounts above the limit or, depending on the
 * assumptions, above the balance.
 */
export function computeTerms(
  world: World,
  account: Account,
  receiver: Receiver,
  wish: Wish,
): Terms {
  recordUse(world, receiver.account ? 'payments.inside' : 'payments.fees');
  if (account.reward !== undefined) recordUse(world, 'payments.rewards');
  requireCurrency(account, 'sourceCurrency', wish.source);
  const terms = wish.amount
    ? chosenTerms(world, account, wish, wish.amount)
    : receiverTerms(world, receiver, wish);
  requireWithinLimit(terms.total);
  if (readAssumption(world, 'payment-quotes.balance') === 'both')
    requireFree(world, account, terms.total);
  return {
    ...terms,
    reward:
      account.reward === undefined
        ? undefined
        : multiplyMoney(terms.amount, account.reward, { rounding: 'down' }),
  };
}

/**
 * Computes the amounts for a payment whose receiver set the amount. If another sandbox account
 * requested the sender's currency, there's no conversion.
 */
function receiverTerms(
  world: World,
  { account, asked, sats = ZERO }: Receiver,
  { source, feeOf }: Wish,
): Terms {
  const isSame = account !== undefined && asked?.currency === source;
  const amount = isSame ? asked : convert(world, sats, source, 'up');
  return withFee(world, amount, sats, feeOf(sats), isSame);
}

function chosenTerms(
  world: World,
  account: Account,
  { source, feeOf }: Wish,
  { feePolicy, ...wanted }: SpendAmount,
): Terms {
  requireFeePolicy('amount.feePolicy', feePolicy);
  requireNamed('amount.currency', wanted.currency);
  if (!account.currencies.includes(wanted.currency))
    throw new ServiceRefusal('CURRENCY_UNSUPPORTED', { requestedCurrency: wanted.currency });
  const spend = convert(world, fittedAmount(wanted), source, 'up');
  const fee = feeOf(convert(world, spend, 'BTC', 'down'));
  if (feePolicy !== 'INCLUSIVE') return deliveryTerms(world, spend, wanted, fee);
  const inside = convert(world, fee, source, 'up');
  if (compareMoney(spend, inside) <= 0)
    throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: inside });
  return deliveryTerms(world, subtractMoney(spend, inside), undefined, fee);
}

/**
 * Computes the amounts for a payment whose sender set the amount. An amount in bitcoin stays exact,
 * and any other amount is converted and rounded down.
 */
function deliveryTerms(world: World, amount: Money, wanted: Money | undefined, fee: Money): Terms {
  const sats =
    wanted?.currency === 'BTC' ? roundMoney(wanted) : convert(world, amount, 'BTC', 'down');
  if (isSameMoney(sats, ZERO)) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: ONE_SAT });
  return withFee(world, amount, sats, fee, false);
}

function withFee(
  world: World,
  amount: Money,
  sats: Money,
  networkFee: Money,
  isSame: boolean,
): Terms {
  const { currency } = amount;
  const fee = convert(world, networkFee, currency, 'up');
  const rate = isSame || currency === 'BTC' ? undefined : findRate(world, 'BTC', currency);
  return { amount, fee, total: addMoney(amount, fee), sats, rate };
}

export const ZERO: Money = { amount: '0.00000000', currency: 'BTC' };
const ONE_SAT: Money = { amount: '0.00000001', currency: 'BTC' };

/** Fees for Lightning payments, with a fixed part and a fraction of the sent amount. */
const LIGHTNING_FEES = {
  thousandth: { fixed: ONE_SAT, share: '0.001' },
  none: { fixed: ZERO, share: '0' },
  percent: { fixed: { amount: '0.00000010', currency: 'BTC' }, share: '0.01' },
} as const;

/** Returns the fee for a Lightning payment, rounded up. */
export function lightningFee(world: World, sats: Money): Money {
  const { fixed, share } = LIGHTNING_FEES[readAssumption(world, 'payments.fees')];
  return addMoney(fixed, multiplyMoney(sats, share, { rounding: 'up', digits: 8 }));
}

/**
 * Converts an amount. Whether this uses the given rounding or rounds to the nearest unit is an
 * assumption.
 */
function convert(world: World, money: Money, to: string, rounding: 'up' | 'down'): Money {
  const isNearest = readAssumption(world, 'payment-quotes.rounding') === 'nearest';
  return convertNow(world, money, to, isNearest ? 'half-even' : rounding).money;
}

export interface StoredPaymentQuote {
  readonly paymentQuoteId: string;
  readonly account: Account;
  readonly receiver: Receiver;
  readonly terms: Terms;
  readonly description: string | undefined;
  /** Time when the quote expires. */
  readonly end: Ticks;
  /** Estimated delivery time in minutes. Only set for on-chain payments. */
  readonly delivery: number | undefined;
  payment?: StoredPayment;
}

interface StoredPayment {
  readonly paymentId: string;
  readonly quote: StoredPaymentQuote;
  readonly txnId: string | undefined;
  state: PaymentState;
  completed: Ticks | undefined;
  readonly end: (arrived?: PaymentArrival) => void;
}

export function allPayments(world: World): Map<string, StoredPayment> {
  return getStore(world, 'payments', () => new Map());
}

function getPending(world: World, account: Account): { count: number } {
  return getStore(world, `payments/${account.id}`, () => ({ count: 0 }));
}

/** Maximum number of concurrent payments per account. */
const MOST_PENDING = 100;
const MINUTE = 60_000;

/** Starts a payment. A payment without a delay has ended by the time this returns. */
export function startPayment(world: World, quote: StoredPaymentQuote): StoredPayment {
  const {
    account,
    receiver,
    terms: { amount, total },
    delivery = 0,
  } = quote;
  const usual = { state: 'COMPLETED', delay: receiver.account ? 0 : delivery * MINUTE };
  const { state, delay } = chooseNextState(world, 'payment', usual);
  if (state === 'LN_ROUTE_NOT_FOUND' || state === 'PROCESSING_CONFLICT')
    throw new ServiceRefusal(state);
  const pending = getPending(world, account);
  if (pending.count >= MOST_PENDING) throw new ServiceRefusal('TOO_MANY_TRANSACTIONS');
  const paymentId = world.random.uuid('payment', world.random.next('payment'));
  const { free, held } = listSubAccounts(account);
  post(world, 'payment PENDING', paymentId, [{ from: free, to: held, money: total }]);
  emit(world, account, 'payment.created', { entityId: paymentId });
  const payment: StoredPayment = {
    paymentId,
    quote,
    txnId: makeTxnId(world, paymentId, receiver),
    state: 'PENDING',
    completed: undefined,
    end: receiver.begin(account, amount),
  };
  allPayments(world).set(paymentId, payment);
  quote.payment = payment;
  pending.count++;
  if (delay <= 0) {
    if (state === usual.state) recordUse(world, 'payments.at-once');
    endPayment(world, payment, state, readAssumption(world, 'payments.both-events') === 'created');
  } else
    runLater(world, delay, () => {
      if (payment.state !== 'PENDING') return;
      if (state === usual.state && delay === usual.delay) recordUse(world, 'onchain.outcome');
      endPayment(world, payment, state);
    });
  return payment;
}

/** Returns a transaction id for on-chain payments, and `undefined` for all others. */
function makeTxnId(
  world: World,
  paymentId: string,
  { rail, account }: Receiver,
): string | undefined {
  return rail === 'onchain' && !account
    ? toHex(world.random.bytes(`payment/${paymentId}/transaction`, 0))
    : undefined;
}

export function endPayment(
  world: World,
  payment: StoredPayment,
  state: string,
  isSilent: boolean = false,
): void {
  if (!paymentStates.canMove(payment.state, state))
    throw new Error(`a payment cannot move from ${payment.state} to ${state}`);
  const {
    paymentId,
    quote: { account, receiver, terms },
  } = payment;
  const { free, held } = listSubAccounts(account);
  const credit = state === 'COMPLETED' ? receiver.credit(terms.amount, terms.sats) : undefined;
  const transfers: readonly Transfer[] = credit
    ? [...makeDelivery(payment.quote, credit), ...listTransfers('rewards', free, terms.reward)]
    : [{ from: held, to: free, money: terms.total }];
  post(world, `payment ${state}`, paymentId, transfers);
  payment.state = state as PaymentState;
  recordUse(world, 'payments.updated-event');
  getPending(world, account).count--;
  if (credit) payment.completed = world.stamp();
  if (!isSilent)
    emit(world, account, 'payment.updated', { entityId: paymentId, changes: ['state'] });
  payment.end(credit && { credit, sender: free, spent: terms.amount });
}

/**
 * Returns the transfers for a completed payment. The fee goes to the network if the payment leaves
 * the service without a conversion, and to the service otherwise.
 */
function makeDelivery(
  { account, receiver, terms: { amount, fee, total } }: StoredPaymentQuote,
  { to, money }: Credit,
): readonly Transfer[] {
  const from = listSubAccounts(account).held;
  if (money.currency === amount.currency && !receiver.account) return [{ from, to, money: total }];
  if (money.currency === amount.currency)
    return [{ from, to, money: subtractMoney(total, fee) }, ...listTransfers(from, 'fees', fee)];
  return [
    { from, to: 'fx', money: amount },
    ...listTransfers(from, 'fees', fee),
    { from: 'fx', to, money },
  ];
}

const RESULTS = { PENDING: 'PENDING', COMPLETED: 'SUCCESS', FAILED: 'FAILURE' } as const;

export function showPayment({
  paymentId,
  state,
  completed,
  txnId,
  quote: { receiver, terms },
}: StoredPayment): Payment {
  const { rail, preimage, account } = receiver;
  const { amount, fee, total, rate, reward } = terms;
  return {
    paymentId,
    state,
    result: RESULTS[state],
    ...(completed !== undefined && {
      completed: textOfTicks(completed),
      delivered: textOfTicks(completed),
    }),
    ...(rate && { conversionRate: rate }),
    amount,
    totalFee: fee,
    totalAmount: total,
    ...(reward && { reward }),
    ...(rail === 'lightning' && {
      lightningNetworkFee: fee,
      lightning: {
        networkFee: fee,
        ...(state === 'COMPLETED' && preimage && { preImage: preimage }),
      },
    }),
    ...(rail === 'onchain' && !account && { onchain: { txnId } }),
  };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  get(world, { account, where: { paymentId } }) {
    const payment = allPayments(world).get(paymentId);
    if (payment?.quote.account !== account) throw notFound(payment);
    return { body: showPayment(payment) };
  },
});
