import { RefusedError } from '../../core/errors.ts';
import { SERVICE_CODES, type ServiceCode } from '../../core/service-codes.ts';
import { invoiceLife, type InvoiceState } from '../../resources/invoices/states.ts';
import type { World } from '../world.ts';
import { allInvoices, moveInvoice } from './invoice-book.ts';

/** Moves one entity to a state, with postings and events, as the world outside would. */
type Mover = (world: World, id: string, state: string) => void;

/** Nouns that can be moved by hand. */
export type Movable = 'invoice';

const MOVERS: Readonly<Record<Movable, Mover>> = {
  invoice(world, id, state) {
    const invoice = allInvoices(world).get(id);
    if (!invoice) throw unmoved('NOT_FOUND', 'no invoice has this id');
    if (!invoiceLife.canMove(invoice.state, state)) throw unmoved('UNPROCESSABLE_ENTITY', `an invoice does not move from ${invoice.state} to ${state}`);
    moveInvoice(world, invoice, state as InvoiceState);
  },
};

/** Does what only the world outside can: fails, approves, returns, reverses. */
export function move(world: World, noun: Movable, id: string, state: string): void {
  if (!Object.hasOwn(MOVERS, noun)) throw unmoved('NOT_FOUND', 'no such noun');
  MOVERS[noun](world, id, state);
}

/** Why the world does not do it. */
export function unmoved(code: ServiceCode, text: string): RefusedError {
  return new RefusedError(`sandbox: ${text}`, { code, outcome: 'not-done', status: SERVICE_CODES[code] });
}
