import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { type KeyKind, keyOf } from './account.ts';
import { objection } from './guards.ts';
import type { PayJournal } from './journal.ts';
import { type Asking, refusalOf, type RowDecision } from './rail.ts';
import type { AgreedQuote, PayReason, PayRow } from './row.ts';
import { LEAST_LEFT } from './schedule.ts';
import type { PayEvent } from './transitions.ts';

/** Terms of one round whose answers may be lost. */
const MOST_LOSSES = 3;

/**
 * Asks for terms: an answer that is lost is asked for again, a refusal is the end. Nothing moves by
 * it. `decide` says what follows where the service has something under the number already;
 * `undefined`: the next number is taken.
 */
export async function askForTerms(
  { quoteLosses, round }: PayRow,
  ask: () => Promise<RowDecision>,
  decide: (taken: TakenNumber) => Promise<RowDecision | undefined> = async () => undefined,
): Promise<RowDecision> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof PastAsking) return { is: 'quote-lost', round };
    const decided = thrown instanceof TakenNumber ? await decide(thrown) : undefined;
    if (decided) return decided;
    const error = thrown instanceof TakenNumber ? thrown.cause : thrown;
    if (!isPaystateError(error)) throw error;
    const why = refusalOf(error);
    return mayBeAskedAgain(error)
      ? lose({ quoteLosses, round }, why)
      : { is: 'quote-refused', why };
  }
}

/** The terms are asked for again, until that has been in vain too often. */
export function lose(
  { quoteLosses, round }: Pick<PayRow, 'quoteLosses' | 'round'>,
  why: PayReason,
): RowDecision {
  return quoteLosses + 1 < MOST_LOSSES ? { is: 'quote-lost', round } : { is: 'quote-refused', why };
}

/** The service answered with terms that another request was given. */
export const FOREIGN: PayReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the service answered with what another request had made',
};

/** Nothing was decided: the answer was lost, or names a quote whose terms cannot be read. */
export function mayBeAskedAgain({ kind, code }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response' || code === 'DUPLICATE_PAYMENT_QUOTE';
}

/** What something would cost. */
export type MoneyTerms = Pick<AgreedQuote, 'amount' | 'totalFee' | 'totalAmount'>;

/** MoneyTerms that nothing is against are agreed to, unless they end too soon. */
export function agreeTo(
  { round }: PayRow,
  quote: AgreedQuote,
  { now }: Pick<Asking, 'now'>,
): RowDecision {
  return quote.endsAt - now() < LEAST_LEFT
    ? { is: 'guard-failed', why: objection('quote-end', 'the quote ends too soon to be executed') }
    : { is: 'agreed', quote, round };
}

/** The service has something under a number, and has not said what. */
export class TakenNumber extends Error {
  override readonly cause: PaystateError;
  /** Of what the service has. */
  readonly id: string;
  /** No request under this number was lost: another life of the intent has made it. */
  readonly isFirst: boolean;

  constructor(cause: PaystateError, id: string, isFirst: boolean) {
    super('the number is taken');
    this.cause = cause;
    this.id = id;
    this.isFirst = isFirst;
  }
}

/** Another process has gone on with the intent: nothing is asked for any more. */
class PastAsking extends Error {}

interface HeldNumber {
  readonly claim: string;
  readonly key: string;
  /** A request under it was lost. */
  isLost: boolean;
  /** The service has something under it. */
  isUsed: boolean;
}

/** The numbers under which one run asks for terms. */
export class QuoteNumbers {
  readonly #client: Connection;
  readonly #journal: PayJournal;
  readonly #kind: KeyKind;
  #held: HeldNumber | undefined;

  constructor(client: Connection, journal: PayJournal, kind: KeyKind) {
    this.#client = client;
    this.#journal = journal;
    this.#kind = kind;
  }

  /**
   * Asks under a number that the row has given to this run alone. What was lost is asked for again
   * under the same one. Throws `TakenNumber`, `PastAsking`, and what `send` throws.
   */
  async ask<T>(
    { intent, round }: PayRow,
    at: number,
    send: (idempotencyKey: string) => Promise<T>,
  ): Promise<T> {
    const held = (this.#held ??= await this.#claim(intent, round, at));
    try {
      const value = await send(held.key);
      held.isUsed = true;
      return value;
    } catch (thrown) {
      const wasLost = held.isLost;
      if (!isPaystateError(thrown)) held.isLost = true;
      else if (/^(DUPLICATE_|EXISTS_UNREAD$)/.test(thrown.code)) {
        held.isUsed = true;
        throw new TakenNumber(thrown, idIn(thrown), !wasLost && !thrown.maybeCreated);
      } else held.isLost ||= thrown.outcome === 'unknown';
      throw thrown;
    }
  }

  /** What is written of the number with a decision: one that was not used is given back. */
  settle(is: PayEvent['is']): Pick<PayEvent, 'claim' | 'isFree' | 'isLost'> | undefined {
    const held = this.#held;
    if (is !== 'quote-lost' || held?.isUsed) this.#held = undefined;
    return held && { claim: held.claim, isFree: !held.isUsed, isLost: held.isLost };
  }

  async #claim(intent: string, round: number, at: number): Promise<HeldNumber> {
    const claim = this.#client[internals].uuid();
    const row = await this.#journal.write(intent, { is: 'number', at, round, claim });
    const number = row.asked.find((one) => one.claim === claim);
    if (!number || row.phase !== 'NEW' || row.round !== round) throw new PastAsking();
    const { pin } = await this.#journal.pin();
    const { isLost = false } = number;
    return { claim, key: keyOf(this.#kind, pin, intent, number), isLost, isUsed: false };
  }
}

/** The one id that a duplicate names. */
function idIn({ values }: PaystateError): string {
  const { paymentQuoteId, currencyExchangeQuoteId } = values ?? {};
  const id = paymentQuoteId ?? currencyExchangeQuoteId;
  return typeof id === 'string' ? id : '';
}
