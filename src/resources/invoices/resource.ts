import { known, type WatchedResource } from '../resource.ts';
import { list } from './endpoints.ts';
import type { Invoice } from './model.ts';
import { get } from './operations.ts';
import { InvoiceStateSchema, TransactionStateSchema } from './schemas.ts';
import { invoiceStates } from './states.ts';

export const invoice: WatchedResource<'invoice', Invoice> = {
  name: 'invoice',
  events: 'invoice',
  states: invoiceStates,
  idOf: ({ invoiceId }) => invoiceId,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', list: { endpoint: list, id: 'invoiceId' } },
  known: () => [
    known(InvoiceStateSchema, invoiceStates.transitions),
    known(TransactionStateSchema, { PENDING: true, COMPLETED: true }),
  ],
};
