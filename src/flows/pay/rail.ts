import type { CallOptions, Connection } from '../../core/http/index.ts';
import type { PayEvent } from './apply-event.ts';
import type { Executed } from './execute-try.ts';
import type { PayJournal } from './journal.ts';
import type { MoneyOrder, Moved, PayOrder, PayRow } from './row.ts';

/** What is decided about a row; who and when is added. */
export type RowDecision = Omit<PayEvent, 'at' | 'by'>;

/** What asking for terms needs. */
export interface Asking {
  readonly client: Connection;
  readonly journal: PayJournal;
  readonly signal: AbortSignal;
  /** Longest wait for a place in the rate limit, milliseconds. */
  readonly queueTimeout?: number | undefined;
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
  /** The reservation that is given back where nothing was moved, and nothing can be any more. */
  reservationOf?(row: PayRow<Order>, now: number): string | undefined;
  /** Looks for what may have been done. */
  search(row: PayRow<Order>, search: Search): Promise<PayEvent>;
}

/** Name of the claim that an intent has on what moves its money. */
export function claimOf({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${id}`;
}

/** The payment hash of what is paid, where it has one. */
export function hashOf(order: MoneyOrder): string | undefined {
  return (order as Partial<PayOrder>).hash;
}
