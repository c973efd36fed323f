import type { CallOptions, Connection } from '../../core/http/index.ts';
import { idKey } from '../../resources/plain-id.ts';
import type { PayEvent } from './apply-event.ts';
import type { Executed } from './execute-try.ts';
import type { PayJournal } from './journal.ts';
import type { KeyKind } from './quote-number.ts';
import type { MoneyOrder, Moved, PayRow } from './row.ts';

/** What is decided about a row; who and when is added. */
export type RowDecision = Omit<PayEvent, 'at' | 'by'>;

/** What asking for terms needs. */
export interface Asking {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly signal: AbortSignal;
  /** Longest wait for a place in the rate limit, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /**
   * Asks under an idempotency key that no other request has; a key of its own for each where it is
   * not said. Throws `TakenNumber`, `PastAsking`, and what `send` throws.
   */
  ask?<T>(send: (idempotencyKey?: string) => Promise<T>): Promise<T>;
  /** Told when the service's clock is known. */
  setSkew(skew: number): void;
  /** By the service's clock. */
  now(): number;
}

/** What a search needs. */
export interface Search {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly signal: AbortSignal;
  /** By the clock of the row. */
  readonly now: number;
}

/** One way that money takes: what differs between a payment, an exchange, a payout and a deposit. */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  /** The function that begins it, as errors name it. */
  readonly operation: string;
  /** What its idempotency keys are of; absent where the service takes none. */
  readonly kind?: KeyKind;
  /** Its member of a result. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Asks for terms and checks them: what happened is that they are agreed to, or why not. */
  quote(row: PayRow<Order>, asking: Asking): Promise<RowDecision>;
  /** Sends the one request that moves the money, and says what came of it; never rejects. */
  execute(client: Connection, row: PayRow<Order>, now: number): Promise<Executed>;
  /** Reads what moves the money: what that says. */
  read(
    client: Connection,
    row: PayRow<Order>,
    options: CallOptions,
  ): Promise<Pick<PayEvent, 'is' | 'proof'> & { readonly payment: Moved }>;
  /** Name of what it reserves before it moves money; given back where nothing was moved. */
  reservationOf?(row: PayRow<Order>): string;
  /** Looks for what may have been done. */
  search(row: PayRow<Order>, search: Search): Promise<PayEvent>;
}

/** Name of the claim that an intent has on what moves its money. */
export function claimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/**
 * Name of the claim that an intent has on its terms before they are executed: what can be read is
 * claimed itself, a payment quote by its own id. A deposit has a key that no other intent has.
 */
export function termsClaimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return member === 'payment' ? `pay-quote/${idKey(id)}` : claimOf({ member }, id);
}
