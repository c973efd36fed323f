import type { NamedResource } from '../resource.ts';
import type { PaymentQuote } from './model.ts';

/** Shown once, when it is made: the service has no endpoint to read it again. */
export const resource: NamedResource<'paymentQuote', PaymentQuote> = {
  name: 'paymentQuote',
  idOf: ({ paymentQuoteId }) => paymentQuoteId,
};
