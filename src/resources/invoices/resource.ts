import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import { list } from './endpoints.ts';
import type { Invoice } from './model.ts';
import { get } from './operations.ts';
import {
  InvoicePageSchema,
  InvoiceSchema,
  InvoiceStateSchema,
  TransactionStateSchema,
} from './schemas.ts';
import { invoiceStates } from './states.ts';

export const resource: WatchedResource<'invoice', Invoice> = {
  name: 'invoice',
  events: 'invoice',
  states: invoiceStates,
  idOf: ({ invoiceId }) => invoiceId,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    list: { endpoint: list, id: 'invoiceId' },
    schema: InvoiceSchema,
    page: InvoicePageSchema,
    bare(invoice) {
      const { transactions: _, ...bare } = invoice;
      return bare;
    },
  },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(InvoiceStateSchema, invoiceStates.transitions),
    knownTexts(TransactionStateSchema, { PENDING: true, COMPLETED: true }),
  ];
}
