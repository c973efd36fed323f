import { printable } from '../../core/text.ts';
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

/** An export line, with an amount and its effect on the balance in that currency. */
export interface ExportLine {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly created?: string | undefined;
  readonly completed?: string | undefined;
  readonly currency: string;
  readonly amount: string;
  /** Balance change. Absent if unknown. */
  readonly effect: Decimal | undefined;
  readonly rate?: string | undefined;
  /** Reference that the account's owner chose, such as a correlation id. */
  readonly reference?: string | undefined;
  /** Source of the line's id: a list, an event, or the `--keep` file. */
  readonly source: 'list' | 'event' | 'kept';
}

type Head = Pick<
  ExportLine,
  'id' | 'state' | 'created' | 'completed' | 'source' | 'rate' | 'reference'
>;

/** Effect of an amount on the balance. 1 adds it, -1 subtracts it, and 0 has no effect. */
type Sign = 1 | 0 | -1;

/** How an amount affects the balance, by resource state. Unknown for states that aren't listed. */
type Signs = Readonly<Record<string, Sign | undefined>>;

const INVOICE: Signs = { UNPAID: 0, PENDING: 0, CANCELLED: 0, REVERSED: 0, PAID: 1 };
/** While a payment is pending, its money is reserved but still part of the balance. */
const PAYMENT: Signs = { PENDING: 0, FAILED: 0, COMPLETED: -1 };
const EXCHANGE: Signs = { NEW: 0, ...PAYMENT };
const PAYOUT: Signs = { NEW: 0, INITIATED: 0, COMPLETED: -1, FAILED: 0, REVERSED: 0 };
/** The balance includes deposits that aren't settled yet. */
const DEPOSIT: Signs = { NEW: 0, PENDING: 1, COMPLETED: 1, FAILED: 0, REVERSED: 0 };

const signIn = (signs: Signs, state: string): Sign | undefined =>
  Object.hasOwn(signs, state) ? signs[state] : undefined;

function makeLine(
  kind: string,
  head: Head,
  { amount, currency }: Money,
  sign: Sign | undefined,
): ExportLine {
  const moved = sign && multiply(parseDecimal(amount), { digits: BigInt(sign), scale: 0 });
  return { ...head, kind, currency, amount, effect: moved === 0 ? ZERO : moved };
}

const rateText = (rate: Payment['conversionRate']): string | undefined =>
  rate && `${rate.amount} ${rate.sourceCurrency}/${rate.targetCurrency}`;

function makeFeeLines(
  kind: string,
  head: Head,
  fee: Money | undefined,
  sign: Sign | undefined,
): readonly ExportLine[] {
  return fee && !isZero(parseDecimal(fee.amount)) ? [makeLine(kind, head, fee, sign)] : [];
}

function difference(one: Money, other: Money): Money {
  const amount = subtract(parseDecimal(one.amount), parseDecimal(other.amount));
  return { amount: decimalText(amount), currency: one.currency };
}

/**
 * Returns the lines for an invoice. An invoice for another account has no effect on the balance.
 */
export function invoiceLines(
  invoice: Invoice,
  accountId: string | undefined,
): readonly ExportLine[] {
  const { invoiceId: id, state, created, amount, receiverId, correlationId } = invoice;
  const head: Head = { id, state, created, source: 'list', reference: correlationId };
  return receiverId === accountId
    ? [makeLine('invoice', head, amount, signIn(INVOICE, state))]
    : [makeLine('invoice for another', head, amount, 0)];
}

export function receiveLines(receive: Receive): readonly ExportLine[] {
  const { receiveId: id, state, created, completed, amountReceived, amountCredited } = receive;
  const rate = rateText(receive.conversionRate);
  const reference = receive.receiveRequestId;
  const head: Head = { id, state, created, completed, source: 'list', rate, reference };
  const sign = signIn({ PENDING: 0, COMPLETED: amountCredited && 1 }, state);
  return [makeLine('receive', head, amountCredited ?? amountReceived, sign)];
}

export function paymentLines(
  payment: Payment,
  from: Pick<Head, 'created' | 'source'>,
): readonly ExportLine[] {
  const { paymentId: id, state, completed, amount, totalAmount, reward } = payment;
  const head: Head = { id, state, completed, rate: rateText(payment.conversionRate), ...from };
  const sign = signIn(PAYMENT, state);
  const isOne = totalAmount.currency === amount.currency;
  const fee = isOne ? difference(totalAmount, amount) : undefined;
  return [
    makeLine('payment', head, amount, isOne ? sign : undefined),
    ...makeFeeLines('payment fee', head, fee, sign),
    ...(reward ? [makeLine('payment reward', head, reward, opposite(sign))] : []),
  ];
}

function opposite(sign: Sign | undefined): Sign | undefined {
  return sign === -1 ? 1 : sign;
}

/**
 * Returns the lines for an exchange. The sold amount may include the fee. If that's unclear, the
 * fee's effect is unknown.
 */
export function exchangeLines(
  quote: CurrencyExchangeQuote,
  source: Head['source'],
): readonly ExportLine[] {
  const { id, state, created, completed, target, fee } = quote;
  const rate = rateText(quote.conversionRate);
  const head: Head = { id, state, created, completed, rate, source };
  const sign = signIn(EXCHANGE, state);
  const isInside = isFeeInside(quote);
  const sold = isInside && fee ? difference(quote.source, fee) : quote.source;
  const isOpen = sign === -1 && isInside === undefined;
  return [
    makeLine('exchange sold', head, sold, sign),
    ...makeFeeLines('exchange fee', head, fee, isOpen ? undefined : sign),
    makeLine('exchange bought', head, target, opposite(sign)),
  ];
}

/** Returns the lines for a payout. If the bank returns a payout, its fee isn't refunded. */
export function payoutLines(payout: Payout): readonly ExportLine[] {
  const { id, state, created, completed, amount, fee, reference } = payout;
  const head: Head = { id, state, created, completed, source: 'list', reference };
  const sign = signIn(PAYOUT, state);
  const isBack = completed !== undefined && (state === 'FAILED' || state === 'REVERSED');
  return [
    makeLine('payout', head, amount, sign),
    ...makeFeeLines('payout fee', head, fee, isBack ? -1 : sign),
  ];
}

/** Returns the line for a deposit. Its fee is charged to the bank account, so it isn't included. */
export function depositLines({ id, state, amount }: Deposit): readonly ExportLine[] {
  return [makeLine('deposit', { id, state, source: 'list' }, amount, signIn(DEPOSIT, state))];
}

/**
 * Returns whether the sold amount of an exchange includes the fee. The service doesn't document
 * this, so it's computed from the bought amount and the rate. Returns `undefined` if both are
 * possible.
 */
function isFeeInside(quote: CurrencyExchangeQuote): boolean | undefined {
  const { source, target, fee, conversionRate } = quote;
  if (!fee || fee.currency !== source.currency) return false;
  const part = parseDecimal(fee.amount);
  if (isZero(part)) return false;
  if (conversionRate.sourceCurrency !== source.currency) return undefined;
  const [sold, bought] = [parseDecimal(source.amount), parseDecimal(target.amount)];
  const rate = parseDecimal(conversionRate.amount);
  const isInside = buys(subtract(sold, part), rate, bought);
  const isOnTop = buys(sold, rate, bought);
  return isInside === isOnTop ? undefined : isInside;
}

/**
 * Returns whether an amount buys another amount at this rate. Tolerates rounding in the last
 * digits.
 */
function buys(net: Decimal, rate: Decimal, bought: Decimal): boolean {
  const soldStep = multiply(lastDigit(net), rate);
  const boughtStep = lastDigit(bought);
  const step = compare(soldStep, boughtStep) > 0 ? soldStep : boughtStep;
  const off = subtract(multiply(net, rate), bought);
  const size = off.digits < 0n ? subtract(ZERO, off) : off;
  return compare(size, add(multiply(net, lastDigit(rate)), step)) <= 0;
}

function lastDigit({ scale }: Decimal): Decimal {
  return { digits: 1n, scale };
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

export function isZero({ digits }: Decimal): boolean {
  return digits === 0n;
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

type Cells = Readonly<Record<(typeof COLUMNS)[number], string>>;

export const csvHead: string = COLUMNS.join(',');

/** Converts a line to strings, keyed by column. */
export function plainLine(line: ExportLine): Cells {
  const texts = { ...line, effect: line.effect && decimalText(line.effect) };
  return Object.fromEntries(COLUMNS.map((name) => [name, texts[name] ?? ''])) as Cells;
}

/** Formats a line as CSV (RFC 4180), without a line break. */
export function csvLine(line: ExportLine): string {
  const cells = plainLine(line);
  return COLUMNS.map((name) => csvCell(cells[name], name === 'effect' || name === 'amount')).join(
    ',',
  );
}

/**
 * Formats a CSV cell. Escapes text that a spreadsheet might interpret as a formula, even with
 * full-width characters.
 */
function csvCell(text: string, isNumber: boolean): string {
  const isFormula = /^[\t\r\n]|^[\s\p{C}]*[=+\-\u2212@]/u.test(text.normalize('NFKC'));
  const safe = printable(!isNumber && isFormula ? `'${text}` : text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
