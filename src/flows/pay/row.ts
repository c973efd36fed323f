import type { ErrorKind, Next } from '../../core/errors/index.ts';
import type { Money } from '../../money/index.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { Beneficiary, OnchainTierChoice } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';

// A row is all that the journal keeps of one intent: plain JSON, written whole. Times are
// milliseconds since 1970 by the service's clock, as far as it is known.

/** Keys of intents in a store begin with this; the name of the intent follows. */
export const JOURNAL_ROWS: string = 'pay/';

const PHASES = [
  'NEW',
  'EXECUTING',
  'UNCONFIRMED',
  'PENDING',
  'PAID',
  'FAILED',
  'REFUSED',
  'UNKNOWN',
  'STOPPED',
] as const;

/** The state of an intent; `transitions.ts` says what changes it. */
export type MovePhase = (typeof PHASES)[number];

/** A payment: its destination and its amount. */
export interface PayOrder {
  readonly rail: 'bolt11' | 'lnurl' | 'onchain';
  /** The text, address or LNURL that the service is given. */
  readonly destination: string;
  /** Payment hash of a BOLT11 text, hex. */
  readonly hash?: string | undefined;
  readonly sourceCurrency: string;
  readonly amount?: SpendAmount | undefined;
  readonly description?: string | undefined;
  readonly beneficiary?: Beneficiary | undefined;
  readonly onchainTierId?: string | undefined;
  /** The choice of the tier, where no id is given. */
  readonly onchainTier?: OnchainTierChoice | undefined;
  /** The receipt that a refund gives back: `invoice/` or `receive/` with its id. */
  readonly refundOf?: string | undefined;
}

/** An exchange of one currency for another. */
export interface ExchangeOrder {
  readonly rail: 'exchange';
  readonly sell: string;
  readonly buy: string;
  readonly amount: SpendAmount;
}

/** Money that goes to a bank account, or is drawn from it. */
export interface BankOrder {
  readonly rail: 'payout' | 'deposit';
  readonly bankPaymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  readonly feePolicy?: SpendAmount['feePolicy'];
  readonly reference?: string | undefined;
  readonly originatorId?: string | undefined;
}

/** The order of an intent; it never changes after the first write. */
export type MoneyOrder = PayOrder | ExchangeOrder | BankOrder;

/** The way in which money moves. */
export type RailName = MoneyOrder['rail'];

/** The resource that moves the money, as the service shows it. */
export type Moved = Payment | CurrencyExchangeQuote | Payout | Deposit;

/** A share of an amount. */
export interface Percentage {
  /** Decimal text such as `1.5`. */
  readonly percent: string;
}

/** Limits that a quote must keep; another round may have other limits. */
export interface MoveLimits {
  readonly maxFee: Money | Percentage | 'any';
  readonly maxTotal?: Money | undefined;
  readonly maxRateSlip: Percentage | 'any';
  /** The least that an exchange must bring. */
  readonly minReceived?: Money | undefined;
  /** Longest wait of a payout for its bank method and originator, milliseconds. */
  readonly readyTimeout?: number | undefined;
}

/** Terms that were read and found within the limits. */
export interface AgreedQuote {
  /**
   * Id of what is executed: a quote, a prepared payout, or the key under which a deposit is made.
   */
  readonly id: string;
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
  /**
   * When the quote can no longer be executed: two minutes after the request where the service names
   * no end. A payout and a deposit are tried for ten minutes at most.
   */
  readonly endsAt: number;
  /** The service's time before a deposit's key was first sent, where the service told it. */
  readonly toldAt?: number | undefined;
  /** The quote is only read from now on, and never sent again. */
  readonly isReadOnly?: boolean | undefined;
  /** Name of the reservation of its total, for a limit per day. */
  readonly day?: string | undefined;
}

/**
 * The end of a try: `doubt` its effect is not known · `refused` it has no effect and will have none
 * · `accepted` the service accepted it.
 */
export type TryEnd = 'open' | 'doubt' | 'refused' | 'accepted';

/** One request to execute the quote, written before it is sent. */
export interface MoveTry {
  readonly n: number;
  /** Name of the run that sends it. */
  readonly by: string;
  readonly sentAt: number;
  readonly end: TryEnd;
  readonly endedAt?: number | undefined;
  /** The code with which the service or this package ended it. */
  readonly code?: string | undefined;
}

/** Why an intent was refused. */
export interface MoveReason {
  readonly code: string;
  readonly text: string;
  readonly kind: ErrorKind;
  readonly next?: Next | undefined;
  readonly status?: number | undefined;
  readonly guard?: PayGuard | undefined;
}

/** The guard that refused a movement; some refusals of the service count as a guard's. */
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
  | 'tier'
  | 'received'
  | 'bank-method'
  | 'originator'
  | 'acknowledge'
  | 'intent-reused'
  | 'refund';

/** The result of a search for an unconfirmed movement. */
export interface SearchEvidence {
  readonly searchedAt: number;
  /** Ids of movements that may be the one. */
  readonly candidates: readonly string[];
  /** The scope that the credential needs for the search. */
  readonly neededScope?: string | undefined;
  /** The search could not read everything. */
  readonly isIncomplete?: boolean | undefined;
  /**
   * The search was made after the end of the quote, and shows that another round pays nothing
   * twice.
   */
  readonly isUnused?: boolean | undefined;
}

/** Numbers the requests for terms of an intent; the idempotency key of each derives from it. */
export interface QuoteNumber {
  /** The round that used the number first. */
  readonly round: number;
  readonly n: number;
}

/** A number that was claimed before a request used it. */
interface AskedNumber extends QuoteNumber {
  /** Names the claim that holds the number: no other run uses it. */
  readonly claim: string;
  /** The number was given back: no response has said that the service has something under it. */
  readonly isFree?: boolean | undefined;
  /** A response to a request under the number was lost: the service may have something under it. */
  readonly isLost?: boolean | undefined;
}

/** A quote that is not executed any more. */
interface PastQuote {
  readonly quote?: AgreedQuote | undefined;
  readonly tries: readonly MoveTry[];
  readonly why?: MoveReason | undefined;
  /** The movement of that quote, which has failed. */
  readonly movementId?: string | undefined;
}

/**
 * The result of comparing the preimage with the payment hash; `none` where there is no preimage or
 * no hash.
 */
export type PayProof = 'ok' | 'bad' | 'none';

/** One intent as the journal keeps it. */
export interface MoveRow<Order extends MoneyOrder = MoneyOrder> {
  /** Version of the row's format. */
  readonly format: 1;
  readonly intent: string;
  /** Hash of the order: another order under the same intent has another one. */
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: MoveLimits;
  /** 1, and 1 more for each `retry`. */
  readonly round: number;
  /** When this round was begun. */
  readonly startedAt: number;
  /** When the round ended; absent while it goes on. */
  readonly endedAt?: number | undefined;
  /** When a caller acknowledged that end. */
  readonly ackedAt?: number | undefined;
  /** Quotes of this round that were replaced because they ended unused. */
  readonly renewals: number;
  /** Requests for terms of this round whose responses were lost. */
  readonly quoteLosses: number;
  /** Numbers of all requests for terms, of all rounds. */
  readonly asked: readonly AskedNumber[];
  /**
   * Id of what the service has under a key of this intent that this journal has not sent: the
   * journal was lost, or another one is used too.
   */
  readonly original?: string | undefined;
  readonly phase: MovePhase;
  readonly quote?: AgreedQuote | undefined;
  /** Tries of the current quote. */
  readonly tries: readonly MoveTry[];
  /** Number of tries of all quotes. */
  readonly sent: number;
  /** The service said that the quote was executed. */
  readonly executed: boolean;
  /** Id of the payment, exchange, payout or deposit. */
  readonly movementId?: string | undefined;
  /** The movement as it was last read; a payment is kept without its preimage. */
  readonly movement?: Moved | undefined;
  readonly pendingSince?: number | undefined;
  readonly proof?: PayProof | undefined;
  readonly why?: MoveReason | undefined;
  readonly evidence?: SearchEvidence | undefined;
  /** The finding of a person. */
  readonly verdict?: { readonly is: 'paid' | 'not-paid'; readonly at: number } | undefined;
  /** Number of responses that contradict an earlier one. */
  readonly contradictions: number;
  readonly past: readonly PastQuote[];
}

const RAILS: readonly RailName[] = ['bolt11', 'lnurl', 'onchain', 'exchange', 'payout', 'deposit'];

/**
 * Tells whether a stored value is a row of this format, by the members that everything else needs.
 */
export function isRow(value: unknown): value is MoveRow {
  const { format, phase, order, tries, past, limits } = Object(value) as Partial<MoveRow>;
  return (
    format === 1 &&
    PHASES.some((one) => one === phase) &&
    RAILS.some((one) => one === order?.rail) &&
    typeof limits === 'object' &&
    Array.isArray(tries) &&
    Array.isArray(past)
  );
}

/** Returns the first row of an intent. */
export function newRow(
  intent: string,
  fingerprint: string,
  order: MoneyOrder,
  limits: MoveLimits,
  at: number,
): MoveRow {
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
 * Returns the number of the next request: the first one that was given back, or a new one. Low
 * numbers are used first, so that the first request after the loss of a journal shows the loss.
 */
export function nextNumber({ asked, round }: Pick<MoveRow, 'asked' | 'round'>): QuoteNumber {
  const free = asked.find(({ isFree }) => isFree);
  const n = 1 + asked.filter((one) => one.round === round).length;
  return free ? { round: free.round, n: free.n } : { round, n };
}

/**
 * Returns the row's numbers after a claim of the next one, or the same list where the claim already
 * holds one.
 */
export function claimNumber(
  row: Pick<MoveRow, 'asked' | 'round'>,
  claim: string,
): MoveRow['asked'] {
  const { asked } = row;
  if (asked.some((one) => one.claim === claim)) return asked;
  const { round, n } = nextNumber(row);
  const isIt = (one: QuoteNumber) => one.round === round && one.n === n;
  const isLost = asked.find(isIt)?.isLost;
  return [...asked.filter((one) => !isIt(one)), { round, n, claim, isLost }];
}
