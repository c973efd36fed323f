import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { type KeyKind, keyOf } from './account.ts';
import { objection } from './guards.ts';
import type { MoveJournal } from './journal.ts';
import { type Asking, refusalOf, type RowDecision } from './rail.ts';
import type { AgreedQuote, MoveReason, MoveRow } from './row.ts';
import { MIN_QUOTE_LEFT_MS } from './schedule.ts';
import type { MoveEvent } from './transitions.ts';

/** Requests for terms of one round are repeated until this many responses were lost. */
const MAX_LOSSES = 3;

/**
 * Requests terms, which moves nothing. A request whose response is lost is repeated; a refusal ends
 * the intent. Where the service already has something under the number, `decide` says what follows;
 * `undefined`: the next number is used.
 */
export async function askForTerms(
  { quoteLosses, round }: MoveRow,
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

/** Requests the terms again, until that has failed too often. */
export function lose(
  { quoteLosses, round }: Pick<MoveRow, 'quoteLosses' | 'round'>,
  why: MoveReason,
): RowDecision {
  return quoteLosses + 1 < MAX_LOSSES ? { is: 'quote-lost', round } : { is: 'quote-refused', why };
}

/** The service responded with what belongs to another request. */
export const FOREIGN: MoveReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the service responded with the result of another request',
};

/**
 * Tells whether nothing was decided: the response was lost, or names a quote that cannot be read.
 */
export function mayBeAskedAgain({ kind, code }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response' || code === 'DUPLICATE_PAYMENT_QUOTE';
}

/** The amounts of a quote. */
export type MoneyTerms = Pick<AgreedQuote, 'amount' | 'totalFee' | 'totalAmount'>;

/** Agrees to terms that no guard refuses, unless they end too soon. */
export function agreeTo(
  { round }: MoveRow,
  quote: AgreedQuote,
  { now }: Pick<Asking, 'now'>,
): RowDecision {
  return quote.endsAt - now() < MIN_QUOTE_LEFT_MS
    ? { is: 'guard-failed', why: objection('quote-end', 'the quote ends too soon to be executed') }
    : { is: 'agreed', quote, round };
}

/** The service has something under a number, and has not said what it is. */
export class TakenNumber extends Error {
  override readonly cause: PaystateError;
  /** Id of what the service has. */
  readonly id: string;
  /** No request under this number was lost, so another life of the intent has made it. */
  readonly isFirst: boolean;

  constructor(cause: PaystateError, id: string, isFirst: boolean) {
    super('the number is taken');
    this.cause = cause;
    this.id = id;
    this.isFirst = isFirst;
  }
}

/** Another process has gone on with the intent, so no terms are requested any more. */
class PastAsking extends Error {}

interface HeldNumber {
  readonly claim: string;
  readonly key: string;
  /** A response to a request under the number was lost. */
  isLost: boolean;
  /** The service has something under the number. */
  isUsed: boolean;
}

/** The numbers under which one run requests terms. */
export class QuoteNumbers {
  readonly #client: Connection;
  readonly #journal: MoveJournal;
  readonly #kind: KeyKind;
  #held: HeldNumber | undefined;

  constructor(client: Connection, journal: MoveJournal, kind: KeyKind) {
    this.#client = client;
    this.#journal = journal;
    this.#kind = kind;
  }

  /**
   * Sends a request under a number that only this run uses. A request whose response was lost is
   * repeated under the same number. Throws `TakenNumber`, `PastAsking`, and what `send` throws.
   */
  async ask<T>(
    { intent, round }: MoveRow,
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

  /** Returns what a decision writes about the number: one that was not used is given back. */
  settle(is: MoveEvent['is']): Pick<MoveEvent, 'claim' | 'isFree' | 'isLost'> | undefined {
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

/** Returns the id that the refusal of a duplicate names. */
function idIn({ values }: PaystateError): string {
  const { paymentQuoteId, currencyExchangeQuoteId } = values ?? {};
  const id = paymentQuoteId ?? currencyExchangeQuoteId;
  return typeof id === 'string' ? id : '';
}
