import { type Decimal, subtract } from '../../money/decimal.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { Invoice } from '../../resources/invoices.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';
import type { Receive } from '../../resources/receive-requests.ts';
import { isFeeInside } from './exchange-fee.ts';
import { isZero, negate, parseSigned, signedText, ZERO } from './signed.ts';

/**
 * One line of the export: an amount, and by how much it has changed the balance of its currency.
 */
export interface ExportLine {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly created?: string | undefined;
  readonly completed?: string | undefined;
  readonly currency: string;
  readonly amount: string;
  /** Absent where it is not known. */
  readonly effect: Decimal | undefined;
  /** The rate that it was exchanged at, with its currencies. */
  readonly rate?: string | undefined;
  /** The caller's own name for it, or what it was for. */
  readonly reference?: string | undefined;
  /** Where its id came from. */
  readonly source: 'list' | 'event' | 'kept';
}

/** What all lines of one resource have. */
type Head = Pick<
  ExportLine,
  'id' | 'state' | 'created' | 'completed' | 'source' | 'rate' | 'reference'
>;

type Effect = 'plus' | 'minus' | 'none' | 'unknown';

const lineOf = (
  kind: string,
  head: Head,
  { amount, currency }: Money,
  effect: Effect,
): ExportLine => ({
  ...head,
  kind,
  currency,
  amount,
  effect: effectOf(effect, amount),
});

function effectOf(effect: Effect, amount: string): Decimal | undefined {
  if (effect === 'unknown') return undefined;
  if (effect === 'none') return ZERO;
  return effect === 'plus' ? parseSigned(amount) : negate(parseSigned(amount));
}

/** What a state means for the balance; a state that is not known may mean anything. */
const byState = (state: string, known: Readonly<Record<string, Effect>>): Effect =>
  Object.hasOwn(known, state) ? known[state]! : 'unknown';

const rateText = (rate: Payment['conversionRate']): string | undefined =>
  rate && `${rate.amount} ${rate.sourceCurrency}/${rate.targetCurrency}`;

/** An invoice of the account, or one that it made for another one: that is no money of its own. */
export function invoiceLines(
  invoice: Invoice,
  accountId: string | undefined,
): readonly ExportLine[] {
  const { invoiceId: id, state, created, amount, receiverId, correlationId } = invoice;
  const head: Head = { id, state, created, source: 'list', reference: correlationId };
  if (receiverId !== accountId) return [lineOf('invoice for another', head, amount, 'none')];
  const effect = byState(state, {
    UNPAID: 'none',
    PENDING: 'none',
    CANCELLED: 'none',
    REVERSED: 'none',
    PAID: 'plus',
  });
  return [lineOf('invoice', head, amount, effect)];
}

export function receiveLines(receive: Receive): readonly ExportLine[] {
  const { receiveId: id, state, created, completed, amountReceived, amountCredited } = receive;
  const head: Head = {
    id,
    state,
    created,
    completed,
    source: 'list',
    rate: rateText(receive.conversionRate),
    reference: receive.receiveRequestId,
  };
  const effect = byState(state, {
    PENDING: 'none',
    COMPLETED: amountCredited ? 'plus' : 'unknown',
  });
  return [lineOf('receive', head, amountCredited ?? amountReceived, effect)];
}

/** A payment and its fee: what is on its way is reserved, and still part of the balance. */
export function paymentLines(
  payment: Payment,
  { created, source }: Pick<Head, 'created' | 'source'>,
): readonly ExportLine[] {
  const { paymentId: id, state, completed, amount, totalAmount, reward } = payment;
  const head: Head = {
    id,
    state,
    created,
    completed,
    source,
    rate: rateText(payment.conversionRate),
  };
  const effect = byState(state, { PENDING: 'none', FAILED: 'none', COMPLETED: 'minus' });
  const fee = subtract(parseSigned(totalAmount.amount), parseSigned(amount.amount));
  const isOne = totalAmount.currency === amount.currency;
  return [
    lineOf('payment', head, amount, isOne ? effect : 'unknown'),
    ...moneyLine('payment fee', head, fee, amount.currency, effect),
    ...(reward
      ? [lineOf('payment reward', head, reward, effect === 'minus' ? 'plus' : effect)]
      : []),
  ];
}

/** No line for what is nothing. */
function moneyLine(
  kind: string,
  head: Head,
  amount: Decimal,
  currency: string,
  effect: Effect,
): readonly ExportLine[] {
  return isZero(amount)
    ? []
    : [lineOf(kind, head, { amount: signedText(amount), currency }, effect)];
}

/** What is sold is sold with or without the fee; where that does not show, only the fee is open. */
export function exchangeLines(
  quote: CurrencyExchangeQuote,
  from: Pick<Head, 'source'>,
): readonly ExportLine[] {
  const { id, state, created, completed, source, target, fee } = quote;
  const head: Head = {
    id,
    state,
    created,
    completed,
    rate: rateText(quote.conversionRate),
    ...from,
  };
  const ends = { NEW: 'none', PENDING: 'none', FAILED: 'none', COMPLETED: 'minus' } as const;
  const sold = byState(state, ends);
  const inside = isFeeInside(quote);
  const net =
    inside && fee ? subtract(parseSigned(source.amount), parseSigned(fee.amount)) : undefined;
  const charged = sold === 'minus' && inside === undefined ? 'unknown' : sold;
  return [
    lineOf('exchange sold', head, net ? { ...source, amount: signedText(net) } : source, sold),
    ...(fee ? moneyLine('exchange fee', head, parseSigned(fee.amount), fee.currency, charged) : []),
    lineOf('exchange bought', head, target, sold === 'minus' ? 'plus' : sold),
  ];
}

/** What has left and came back came back without its fee. */
export function payoutLines(payout: Payout): readonly ExportLine[] {
  const { id, state, created, completed, amount, fee, reference } = payout;
  const head: Head = { id, state, created, completed, source: 'list', reference };
  const back: Effect = completed === undefined ? 'none' : 'minus';
  const known = { NEW: 'none', INITIATED: 'none', COMPLETED: 'minus' } as const;
  return [
    lineOf('payout', head, amount, byState(state, { ...known, FAILED: 'none', REVERSED: 'none' })),
    ...(fee
      ? moneyLine(
          'payout fee',
          head,
          parseSigned(fee.amount),
          fee.currency,
          byState(state, { ...known, FAILED: back, REVERSED: back }),
        )
      : []),
  ];
}

/** Its fee is charged to the bank account. What is not settled yet is part of the balance. */
export function depositLines({ id, state, amount }: Deposit): readonly ExportLine[] {
  const effect = byState(state, {
    NEW: 'none',
    PENDING: 'plus',
    COMPLETED: 'plus',
    FAILED: 'none',
    REVERSED: 'none',
  });
  return [lineOf('deposit', { id, state, source: 'list' }, amount, effect)];
}
