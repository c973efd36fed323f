import { isPaystateError } from '../../core/errors/index.ts';
import type { Network } from '../../core/http/index.ts';
import { decodeBolt11 } from '../../lightning/bolt11.ts';
import { parseDestination } from '../../lightning/destination.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  fromMsat,
  isSameMoney,
  type Money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
} from '../../money/index.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import type { QuotedRate } from '../../resources/amounts.ts';
import type { PaymentQuote } from '../../resources/payment-quotes.ts';
import type { MoveLimits, MoveReason, PayGuard, PayOrder, Percentage } from './order.ts';

// Checks of a destination and a quote before money moves. A quote is refused if an amount can't be
// computed.

/** Why a check failed, or `undefined` if it passed. */
type Objection = MoveReason | undefined;

export function objection(guard: PayGuard, text: string): MoveReason {
  return { code: 'INPUT_INVALID', kind: 'input', next: 'ask-user', guard, text };
}

/**
 * The refusal reason if the service already has a different order under one of this intent's keys.
 */
export function reusedBy(id: string): MoveReason {
  const text = `intent: the service has another order for this intent (${id}), which is not in this journal; check that order, then use another intent`;
  return { ...objection('intent-reused', text), next: 'read-first' };
}

/** Returns whether two amounts are equal, whether the fee is included or added on top. */
export function isWithFee(asked: Money, found: Money, fee: Money | undefined): boolean {
  if (isSameMoney(asked, found)) return true;
  if (fee?.currency !== asked.currency || found.currency !== asked.currency) return false;
  return isSameMoney(addMoney(asked, fee), found) || isSameMoney(asked, addMoney(found, fee));
}

/** Checks the network of a destination, and its expiry if the service's time is known. */
export function objectionToDestination(
  { destination }: PayOrder,
  network: Network | undefined,
  now?: number,
): Objection {
  const read = parseDestination(destination, { network, now });
  if (read.kind !== 'refused') return undefined;
  return objection(read.reason === 'expired' ? 'expired' : 'network', read.advice);
}

/** Compares the quote with the order and the limits. The exchange rate is compared separately. */
export function objectionToQuote(
  order: PayOrder,
  limits: MoveLimits,
  quote: PaymentQuote,
): Objection {
  const checks = [checkAmounts, checkCurrency, checkSum, checkFee, checkTotal, checkAsked];
  for (const check of checks) {
    const found = check(quote, order, limits);
    if (found) return found;
  }
  return undefined;
}

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

type Check = (quote: PaymentQuote, order: PayOrder, limits: MoveLimits) => Objection;

const checkAmounts: Check = ({ amount, totalFee, totalAmount }) => {
  try {
    [amount, totalAmount, ...(totalFee ? [totalFee] : [])].forEach(parseUnsignedMoney);
    return undefined;
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return objection('amounts', 'the quote has an invalid amount');
  }
};

const checkCurrency: Check = ({ totalAmount: { currency } }, { sourceCurrency }) =>
  currency === sourceCurrency
    ? undefined
    : objection('currency', `the quote is in ${currency}, but sourceCurrency is ${sourceCurrency}`);

/** Checks that the amount, fee and total add up if they're in the same currency. */
const checkSum: Check = ({ amount, totalFee, totalAmount }) =>
  totalFee &&
  amount.currency === totalFee.currency &&
  amount.currency === totalAmount.currency &&
  !isSameMoney(addMoney(amount, totalFee), totalAmount)
    ? objection('amounts', 'the amount and the fee of the quote do not add up to its total')
    : undefined;

const checkFee: Check = (quote, _, { maxFee }) => objectionToFee(quote, maxFee);

/**
 * Compares the fee with its limit. The limit is an amount in the same currency or a percentage of
 * the total.
 */
export function objectionToFee(quote: Terms, maxFee: MoveLimits['maxFee']): Objection {
  if (maxFee === 'any') return undefined;
  const fee = computeFee(quote);
  if (!fee) return objection('fee', 'the fee of the quote cannot be calculated');
  const most = 'percent' in maxFee ? computeShare(quote.totalAmount, maxFee) : maxFee;
  if (fee.currency !== most.currency)
    return objection('fee', `the fee is in ${fee.currency}, but maxFee is in ${most.currency}`);
  return compareMoney(fee, most) > 0
    ? objection('fee', `the fee is ${formatMoney(fee)}, which exceeds maxFee`)
    : undefined;
}

/** Returns the quote's stated fee or the fee implied by its amounts, whichever is higher. */
export function computeFee({
  amount,
  totalFee,
  totalAmount,
}: Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>): Money | undefined {
  if (amount.currency !== totalAmount.currency || compareMoney(amount, totalAmount) > 0)
    return undefined;
  const shown = subtractMoney(totalAmount, amount);
  if (!totalFee) return shown;
  if (totalFee.currency !== shown.currency) return undefined;
  return compareMoney(totalFee, shown) > 0 ? totalFee : shown;
}

const checkTotal: Check = ({ totalAmount }, _, { maxTotal }) =>
  maxTotal && compareMoney(totalAmount, maxTotal) > 0
    ? objection('total', `the total is ${formatMoney(totalAmount)}, which exceeds maxTotal`)
    : undefined;

const checkAsked: Check = (quote, order) => {
  const asked = readAsked(order);
  const { amount, totalAmount } = quote;
  const terms = order.amount?.feePolicy === 'INCLUSIVE' ? totalAmount : amount;
  return terms.currency === asked.currency && !isSameMoney(terms, roundedUp(asked))
    ? objection('amount', `the quote is for ${formatMoney(terms)} instead of ${formatMoney(asked)}`)
    : undefined;
};

function readAsked({ amount, destination }: PayOrder): Money {
  return amount ?? fromMsat(decodeBolt11(destination).amountMsat!);
}

/** Rounds an amount in bitcoin up to whole satoshis, as the service does. */
function roundedUp(asked: Money): Money {
  return asked.currency === 'BTC' ? roundMoney(asked, { digits: 8, rounding: 'up' }) : asked;
}

/**
 * Returns whether the quote and the order have different currencies. If they do, the rate must be
 * checked.
 */
export function needsRate(order: PayOrder, { maxRateSlip }: MoveLimits): boolean {
  return maxRateSlip !== 'any' && readAsked(order).currency !== order.sourceCurrency;
}

/**
 * Compares the quote's rate with the ticker's. A difference of one minor unit counts as rounding.
 */
export function objectionToRate(
  order: PayOrder,
  { maxRateSlip }: MoveLimits,
  { amount, totalAmount }: PaymentQuote,
  rates: readonly QuotedRate[],
): Objection {
  const asked = readAsked(order);
  const terms = order.amount?.feePolicy === 'INCLUSIVE' ? totalAmount : amount;
  const rate = rates.find(({ sourceCurrency: from, targetCurrency: to }) =>
    [`${asked.currency} ${terms.currency}`, `${terms.currency} ${asked.currency}`].includes(
      `${from} ${to}`,
    ),
  );
  if (!rate) return objection('rate', 'the ticker has no rate to compare the quote with');
  if (maxRateSlip === 'any') return undefined;
  const expected = convertMoney(asked, rate, { asOf: 0, digits: 12, rounding: 'half-even' }).value;
  const unit = {
    amount: terms.currency === 'BTC' ? '0.00000001' : '0.01',
    currency: terms.currency,
  };
  const slip = addMoney(computeShare(expected, maxRateSlip), unit);
  const isHigher = compareMoney(terms, expected) > 0;
  const away = isHigher ? subtractMoney(terms, expected) : subtractMoney(expected, terms);
  return compareMoney(away, slip) > 0
    ? objection(
        'rate',
        `the quote is for ${formatMoney(terms)}, but the ticker rate gives ${formatMoney(expected)}`,
      )
    : undefined;
}

export function computeShare(whole: Money, { percent }: Percentage): Money {
  const part = multiplyMoney(whole, '0.01', { digits: 18, rounding: 'down' });
  return multiplyMoney(part, percent, { digits: 12, rounding: 'down' });
}

export function formatMoney({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
