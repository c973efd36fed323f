import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import type { PayEvent } from './apply-event.ts';
import type { PayJournal } from './journal.ts';
import { type KeyKind, keyOf } from './quote-number.ts';
import type { PayRow } from './row.ts';

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
export class PastAsking extends Error {}

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
