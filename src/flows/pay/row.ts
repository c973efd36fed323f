import type { ErrorKind, Next } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { Beneficiary } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';

/** Rows of runs begin so in a store. */
export const JOURNAL_ROWS: string = 'pay/';

// What the journal keeps of one intent: plain JSON, written whole. Times are milliseconds since
// 1970 by the service's clock, as far as it is known.

/** Where an intent stands. */
export type PayPhase =
  | 'NEW'
  | 'EXECUTING'
  | 'DOUBT'
  | 'PENDING'
  | 'PAID'
  | 'FAILED'
  | 'REFUSED'
  | 'UNKNOWN'
  | 'STOPPED';

/** Who is paid, and what. */
export interface PayOrder {
  readonly rail: 'bolt11' | 'lnurl' | 'onchain';
  /** What the service is given: the text, address or LNURL. */
  readonly destination: string;
  /** Of a BOLT11 text, hex. */
  readonly hash?: string | undefined;
  readonly sourceCurrency: string;
  readonly amount?: SpendAmount | undefined;
  readonly description?: string | undefined;
  readonly beneficiary?: Beneficiary | undefined;
  readonly onchainTierId?: string | undefined;
  /** What came in and is given back: `invoice/` or `receive/` with its id. */
  readonly refundOf?: string | undefined;
}

/** What is sold for what. */
export interface ExchangeOrder {
  readonly rail: 'exchange';
  readonly sell: string;
  readonly buy: string;
  readonly amount: SpendAmount;
}

/** Money to a bank account, or drawn from it. */
export interface BankOrder {
  readonly rail: 'payout' | 'deposit';
  readonly bankPaymentMethodId: string;
  /** In the currency of the bank method. */
  readonly amount: string;
  readonly feePolicy?: SpendAmount['feePolicy'];
  readonly reference?: string | undefined;
  readonly originatorId?: string | undefined;
}

/** What is to be moved: never changed after the first write. */
export type MoneyOrder = PayOrder | ExchangeOrder | BankOrder;

/** The way that money takes. */
export type RailName = MoneyOrder['rail'];

/** What moves the money, as the service shows it. */
export type Moved = Payment | CurrencyExchangeQuote | Payout | Deposit;

/** A share of an amount. */
export interface Percentage {
  /** Decimal text such as `1.5`. */
  readonly percent: string;
}

/** What a quote must keep; a new round may have others. */
export interface PayLimits {
  readonly maxFee: Money | Percentage | 'any';
  readonly maxTotal?: Money | undefined;
  readonly maxRateSlip: Percentage | 'any';
  /** Of an exchange. */
  readonly minReceived?: Money | undefined;
  /** How long a payout waits for its bank method and originator, milliseconds. */
  readonly readyTimeout?: number | undefined;
}

/** Terms that were read and agreed to. */
export interface AgreedQuote {
  /** Of what is executed: a quote, a prepared payout, or the key under which a deposit is made. */
  readonly id: string;
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
  /**
   * From then on it cannot be executed; where the service names no end, two minutes after it was asked
   * for. A payout and a deposit are not tried for longer than ten minutes.
   */
  readonly endsAt: number;
  /** The service's time before a deposit's key was first sent, where it told it. */
  readonly toldAt?: number | undefined;
  /** It is only read from now on, and never sent again. */
  readonly isReadOnly?: boolean | undefined;
  /** Where its total is reserved, for a limit of the day. */
  readonly day?: string | undefined;
}

/**
 * How a try ended: `doubt` nobody knows · `refused` it has and will have no effect · `accepted` the
 * service took it.
 */
export type TryEnd = 'open' | 'doubt' | 'refused' | 'accepted';

/** One request to execute the quote, written before it is sent. */
export interface PayTry {
  readonly n: number;
  /** The run that sends it. */
  readonly by: string;
  readonly sentAt: number;
  readonly end: TryEnd;
  readonly endedAt?: number | undefined;
  /** What the service or this package said. */
  readonly code?: string | undefined;
}

/** Why an intent was refused. */
export interface PayReason {
  readonly code: string;
  readonly text: string;
  readonly kind: ErrorKind;
  readonly next?: Next | undefined;
  readonly status?: number | undefined;
  readonly guard?: PayGuard | undefined;
}

/** Which guard held a payment back, or which answer of the service is as good as one. */
export type PayGuard =
  | 'amounts'
  | 'currency'
  | 'fee'
  | 'total'
  | 'amount'
  | 'rate'
  | 'quote-end'
  | 'network'
  | 'expired'
  | 'per-day'
  | 'per-run'
  | 'known-text'
  | 'own-invoice'
  | 'already-paid'
  | 'range'
  | 'received'
  | 'bank-method'
  | 'originator'
  | 'acknowledge'
  | 'intent-reused'
  | 'refund';

/** What a search found of an intent in doubt. */
export interface PayEvidence {
  readonly searchedAt: number;
  /** Ids of payments that may be it. */
  readonly candidates: readonly string[];
  /** The search needs it. */
  readonly neededScope?: string | undefined;
  /** Not everything could be read. */
  readonly isIncomplete?: boolean | undefined;
}

/** A number under which terms are asked for: its idempotency key derives from it. */
export interface QuoteNumber {
  /** The round that took it first. */
  readonly round: number;
  readonly n: number;
}

/** A number that was claimed before it was sent. */
interface AskedNumber extends QuoteNumber {
  /** The claim that holds it: no other one sends it. */
  readonly claim: string;
  /** It was given back: no answer has said that the service has something under it. */
  readonly isFree?: boolean | undefined;
  /** An answer to a request under it was lost: the service may have something under it. */
  readonly isLost?: boolean | undefined;
}

/** A quote that is not going to be executed any more. */
interface PastQuote {
  readonly quote?: AgreedQuote | undefined;
  readonly tries: readonly PayTry[];
  readonly why?: PayReason | undefined;
  /** What came of it; it has failed. */
  readonly paymentId?: string | undefined;
}

/** Whether the preimage fits the payment hash; `none` where there is none to compare. */
export type PayProof = 'ok' | 'bad' | 'none';

/** One intent as the journal keeps it. */
export interface PayRow<Order extends MoneyOrder = MoneyOrder> {
  /** Form of the row. */
  readonly format: 1;
  readonly intent: string;
  /** Tells another order under the same intent apart. */
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: PayLimits;
  /** 1, and one more for each `retry`. */
  readonly round: number;
  /** When this round was begun. */
  readonly startedAt: number;
  /** When it ended; absent while it has not. */
  readonly endedAt?: number | undefined;
  /** When a caller said that it has heard of that end. */
  readonly ackedAt?: number | undefined;
  /** Quotes of this round that were replaced because they ended unused. */
  readonly renewals: number;
  /** Quotes of this round whose answers were lost. */
  readonly quoteLosses: number;
  /** Numbers of all rounds under which terms were asked for. */
  readonly asked: readonly AskedNumber[];
  /**
   * What the service has under a key of this intent that this journal had not sent: the journal was
   * lost, or is not the only one.
   */
  readonly original?: string | undefined;
  readonly phase: PayPhase;
  readonly quote?: AgreedQuote | undefined;
  /** Of this quote. */
  readonly tries: readonly PayTry[];
  /** Tries of all quotes. */
  readonly sent: number;
  /** The service said that the quote was executed. */
  readonly executed: boolean;
  /** Of the payment, exchange, payout or deposit. */
  readonly paymentId?: string | undefined;
  /** As it was read last, a payment without its preimage. */
  readonly payment?: Moved | undefined;
  readonly pendingSince?: number | undefined;
  readonly proof?: PayProof | undefined;
  readonly why?: PayReason | undefined;
  readonly evidence?: PayEvidence | undefined;
  /** What a person found out. */
  readonly verdict?: { readonly is: 'paid' | 'not-paid'; readonly at: number } | undefined;
  /** Answers that cannot both be true. */
  readonly contradictions: number;
  readonly past: readonly PastQuote[];
}

const PHASES = /^(NEW|EXECUTING|DOUBT|PENDING|PAID|FAILED|REFUSED|UNKNOWN|STOPPED)$/;
const RAILS = /^(bolt11|lnurl|onchain|exchange|payout|deposit)$/;

/** Whether it is a row of this form, by what everything else rests on. */
export function isRow(value: unknown): value is PayRow {
  const { format, phase = '', order, tries, past, limits } = (value ?? {}) as Partial<PayRow>;
  return (
    format === 1 &&
    PHASES.test(phase) &&
    RAILS.test(order?.rail ?? '') &&
    typeof limits === 'object' &&
    Array.isArray(tries) &&
    Array.isArray(past)
  );
}

/** The first row of an intent. */
export function newRow(
  intent: string,
  fingerprint: string,
  order: MoneyOrder,
  limits: PayLimits,
  at: number,
): PayRow {
  return {
    format: 1,
    intent,
    fingerprint,
    order,
    limits,
    round: 1,
    startedAt: at,
    renewals: 0,
    quoteLosses: 0,
    asked: [],
    phase: 'NEW',
    tries: [],
    sent: 0,
    executed: false,
    contradictions: 0,
    past: [],
  };
}

/**
 * The number that is asked under next: the first one that was given back, else a new one. Low
 * numbers are used up first, so that a journal that was lost is noticed by its first request.
 */
export function nextNumber({ asked, round }: Pick<PayRow, 'asked' | 'round'>): QuoteNumber {
  const free = asked.find(({ isFree }) => isFree);
  const n = 1 + asked.filter((one) => one.round === round).length;
  return free ? { round: free.round, n: free.n } : { round, n };
}

/** The row's numbers after a claim of the next one; the same where the claim has one already. */
export function claimNumber(row: Pick<PayRow, 'asked' | 'round'>, claim: string): PayRow['asked'] {
  const { asked } = row;
  if (asked.some((one) => one.claim === claim)) return asked;
  const { round, n } = nextNumber(row);
  const isIt = (one: QuoteNumber) => one.round === round && one.n === n;
  const isLost = asked.find(isIt)?.isLost;
  return [...asked.filter((one) => !isIt(one)), { round, n, claim, isLost }];
}
