/** What follows by reasoning. */
export const inferred = {
  'invoice-quotes.end': {
    says: 'quotes: the BOLT11 text and the quote end together, to the second',
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': {
    says: 'invoices: UNPAID, PENDING, PAID in this order; UNPAID again when a payment comes back',
  },
  'invoices.refusals': {
    says: 'cancelling or quoting in another state: INVALID_STATE_FOR_INVOICE_* or PROCESSING_PAYMENT',
    on: [
      '* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT',
    ],
  },
  'times.digits': {
    says: 'times: seven fraction digits stored, six printed, zeros at the end cut',
    on: ['GET /v1/events* ok'],
  },
  'filters.in': { says: 'filters: `in` on ids and texts' },
  'deliveries.count': {
    says: 'deliveries: 13 requests in all; deliverySuccess is null while undecided',
  },
  'events.none': {
    says: 'an invoice quote, a payment quote, a receive request and a subscription make no event',
    on: [
      'POST /v1/invoices/{invoiceId}/quote ok',
      'POST /v1/payment-quotes/* ok',
      'POST /v1/receive-request ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'ledger.payments': {
    says: 'paid invoices, completed payments and receives move money between accounts and the world; every currency sums to zero after every posting',
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.banks': {
    says: 'exchanges, payouts, deposits: postings of money that is held, gone and credited; BALANCE_TOO_LOW where it is not there',
    money: true,
    on: [
      'PATCH /v1/currency-exchange-quotes/* ok',
      'PATCH /v1/payouts/* ok',
      'POST /v1/deposits ok',
      '* /v1/currency-exchange-quotes* BALANCE_TOO_LOW',
      'PATCH /v1/payouts/* BALANCE_TOO_LOW',
    ],
  },
  'balances.sums': {
    says: 'balances: available is free, reserved and outgoing are held, pending is unsettled, current is all three, total is free and held',
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: 'a removed bank method or originator is INACTIVE and still found; COMPLETED deposits can be REVERSED',
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'receives.states': {
    says: "receives: a Lightning one is COMPLETED at once, an on-chain one is PENDING until it is confirmed; 201 for a new request; targetCurrency is the account's default where none is named",
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests/*receives ok'],
  },
} as const;
