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

/** 1 adds an amount to the balance, -1 takes it from there, 0 leaves the balance as it was. */
type Sign = 1 | 0 | -1;

/** The sign by state; a state that is not here may mean anything. */
type Signs = Readonly<Record<string, Sign | undefined>>;

const INVOICE: Signs = { UNPAID: 0, PENDING: 0, CANCELLED: 0, REVERSED: 0, PAID: 1 };
/** What is on its way is reserved, and still part of the balance. */
const PAYMENT: Signs = { PENDING: 0, FAILED: 0, COMPLETED: -1 };
const EXCHANGE: Signs = { NEW: 0, ...PAYMENT };
const PAYOUT: Signs = { NEW: 0, INITIATED: 0, COMPLETED: -1, FAILED: 0, REVERSED: 0 };
/** What is not settled yet is part of the balance. */
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

/** No line for a fee of nothing. */
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

/** An invoice of the account, or one that it made for another one: that is no money of its own. */
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

/** The other side of what has left. */
function opposite(sign: Sign | undefined): Sign | undefined {
  return sign === -1 ? 1 : sign;
}

/** The amount is sold with or without the fee; where that does not show, only the fee is open. */
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

/** Money that has left and came back came back without its fee. */
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

/** Its fee is charged to the bank account. */
export function depositLines({ id, state, amount }: Deposit): readonly ExportLine[] {
  return [makeLine('deposit', { id, state, source: 'list' }, amount, signIn(DEPOSIT, state))];
}

/**
 * True if the fee of an exchange is part of what was sold: the service does not say, but what was
 * bought, at the rate that it shows, does. Absent where both would fit.
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
 * The rate that is shown is rounded to its last digit, and either amount to one of its own, however
 * the exchange was asked for.
 */
function buys(net: Decimal, rate: Decimal, bought: Decimal): boolean {
  const soldStep = multiply(lastDigit(net), rate);
  const boughtStep = lastDigit(bought);
  const step = compare(soldStep, boughtStep) > 0 ? soldStep : boughtStep;
  const off = subtract(multiply(net, rate), bought);
  const size = off.digits < 0n ? subtract(ZERO, off) : off;
  return compare(size, add(multiply(net, lastDigit(rate)), step)) <= 0;
}

/** One of the last digit. */
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

/** The first line of the file. */
export const csvHead: string = COLUMNS.join(',');

/** A line as a program takes it: decimals are texts. */
export function plainLine(line: ExportLine): Cells {
  const texts = { ...line, effect: line.effect && decimalText(line.effect) };
  return Object.fromEntries(COLUMNS.map((name) => [name, texts[name] ?? ''])) as Cells;
}

/** A line of the file (RFC 4180), without its end. */
export function csvLine(line: ExportLine): string {
  const cells = plainLine(line);
  return COLUMNS.map((name) => csvCell(cells[name], name === 'effect' || name === 'amount')).join(
    ',',
  );
}

/** A text that a spreadsheet may take for a formula, however wide its signs, is kept from being one. */
function csvCell(text: string, isNumber: boolean): string {
  const isFormula = /^[\t\r\n]|^[\s\p{C}]*[=+\-\u2212@]/u.test(text.normalize('NFKC'));
  const safe = printable(!isNumber && isFormula ? `'${text}` : text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
