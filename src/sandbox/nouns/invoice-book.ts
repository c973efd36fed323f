import type { Ticks } from '../../core/instant.ts';
import type { WireMoney } from '../../resources/amounts/model.ts';
import { invoiceLife, type InvoiceState } from '../../resources/invoices/states.ts';
import { emit } from './events.ts';
import { Refusal } from '../http/refusals.ts';
import { type Account, bookOf, type World } from '../world.ts';

export interface StoredInvoice {
  readonly invoiceId: string;
  readonly issuer: Account;
  readonly receiver: Account;
  readonly amount: WireMoney;
  readonly correlationId: string | undefined;
  readonly description: string | undefined;
  readonly created: Ticks;
  state: InvoiceState;
  readonly transactions: StoredTransaction[];
}

export interface StoredTransaction {
  readonly transactionId: string;
  readonly created: Ticks;
  completed: Ticks | undefined;
}

/** The invoices of one account. */
export interface Invoices {
  /** Ascending by `created`. */
  readonly list: StoredInvoice[];
  readonly byCorrelationId: Map<string, StoredInvoice>;
}

export function invoicesOf(world: World, account: Account): Invoices {
  return bookOf(world, `invoices/${account.id}`, () => ({ list: [], byCorrelationId: new Map() }));
}

/** All invoices by their ids. */
export function allInvoices(world: World): Map<string, StoredInvoice> {
  return bookOf(world, 'invoices', () => new Map());
}

/** Moves an invoice along its life and tells both sides. */
export function moveInvoice(world: World, invoice: StoredInvoice, to: InvoiceState): void {
  if (!invoiceLife.canMove(invoice.state, to)) throw new Error(`an invoice does not move from ${invoice.state} to ${to}`);
  invoice.state = to;
  for (const side of sides(invoice)) emit(world, side, 'invoice.updated', invoice.invoiceId, ['state']);
}

export function sides({ issuer, receiver }: StoredInvoice): ReadonlySet<Account> {
  return new Set([issuer, receiver]);
}

/** Why an invoice in its present state takes no payment, quote or cancellation. */
export function stateRefusal(state: InvoiceState): Refusal | undefined {
  switch (state) {
    case 'UNPAID': return undefined;
    case 'PENDING': return new Refusal('PROCESSING_PAYMENT');
    default: return new Refusal(`INVALID_STATE_FOR_INVOICE_${state}`);
  }
}
