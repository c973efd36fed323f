import {
  add,
  compare,
  type Decimal,
  decimalText,
  multiply,
  parseDecimal,
  subtract,
} from '../../money/decimal.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { Invoice } from '../../resources/invoices.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';
import type { Receive } from '../../resources/receive-requests.ts';

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
  /** The source of its id. */
  readonly source: 'list' | 'event' | 'kept';
}

/** All lines of one resource have this. */
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

/** Says what a state means for the balance; a state that is not known may mean anything. */
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

/** The amount is sold with or without the fee; where that does not show, only the fee is open. */
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

/** Money that has left and came back came back without its fee. */
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

/**
 * True if the fee of an exchange is part of what was sold: the service does not say, but what was
 * bought, at the rate that it shows, does. Absent where both would fit.
 */
function isFeeInside(quote: CurrencyExchangeQuote): boolean | undefined {
  const { source, target, fee, conversionRate } = quote;
  if (!fee || fee.currency !== source.currency) return false;
  const [sold, bought, part] = [source, target, fee].map(({ amount }) => parseSigned(amount)) as [
    Decimal,
    Decimal,
    Decimal,
  ];
  if (isZero(part)) return false;
  if (conversionRate.sourceCurrency !== source.currency) return undefined;
  const rate = parseSigned(conversionRate.amount);
  const isInside = buys(subtract(sold, part), rate, bought);
  const isOnTop = buys(sold, rate, bought);
  return isInside === isOnTop ? undefined : isInside;
}

/**
 * The rate that is shown is rounded to its last digit, and either amount to one of its own, however
 * the exchange was asked for.
 */
function buys(net: Decimal, rate: Decimal, bought: Decimal): boolean {
  const soldStep = multiply(stepOf(net), rate);
  const step = compare(soldStep, stepOf(bought)) > 0 ? soldStep : stepOf(bought);
  const off = subtract(multiply(net, rate), bought);
  const size = off.digits < 0n ? { ...off, digits: -off.digits } : off;
  return compare(size, add(multiply(net, stepOf(rate)), step)) <= 0;
}

/** One of the last digit. */
function stepOf({ scale }: Decimal): Decimal {
  return { digits: 1n, scale };
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Reads a decimal text that may begin with a minus, as those of balances do. */
export function parseSigned(text: string): Decimal {
  return text.startsWith('-') ? negate(parseDecimal(text.slice(1))) : parseDecimal(text);
}

/** Writes a decimal with a minus where it is below zero. */
export function signedText({ digits, scale }: Decimal): string {
  return digits < 0n
    ? `-${decimalText({ digits: -digits, scale })}`
    : decimalText({ digits, scale });
}

function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function isZero(value: Decimal): boolean {
  return compare(value, ZERO) === 0;
}

/** The exact sum, with the digits of the finest. */
export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce(add, ZERO);
}

const COLUMNS = [
  'kind',
  'id',
  'state',
  'created',
  'completed',
  'currency',
  'amount',
  'effect',
  'rate',
  'reference',
  'source',
] as const;

/** The first line of the file. */
export const csvHead: string = COLUMNS.join(',');

/** A line as a program takes it: decimals are texts. */
export function plainLine(line: ExportLine): Readonly<Record<(typeof COLUMNS)[number], string>> {
  const { effect } = line;
  const texts = COLUMNS.map((name) =>
    name === 'effect'
      ? [name, effect === undefined ? '' : signedText(effect)]
      : [name, line[name] ?? ''],
  );
  return Object.fromEntries(texts) as never;
}

/** A line of the file (RFC 4180), without its end. */
export function csvLine(line: ExportLine): string {
  const plain = plainLine(line);
  return COLUMNS.map((name) => cellOf(plain[name], name === 'effect' || name === 'amount')).join(
    ',',
  );
}

/** A text that a spreadsheet would take for a formula is kept from being one. */
function cellOf(text: string, isNumber: boolean): string {
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
