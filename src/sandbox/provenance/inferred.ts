/** What follows by reasoning. */
export const inferred = {
  'invoice-quotes.end': {
    says: ['A quote and its BOLT11 text expire at the same second.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': {
    says: ['UNPAID, PENDING, PAID in this order; UNPAID again when a payment fails.'],
  },
  'invoices.refusals': {
    says: [
      'Cancelling or quoting in another state: INVALID_STATE_FOR_INVOICE_… or PROCESSING_PAYMENT.',
    ],
    on: [
      '* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT',
    ],
  },
  'times.digits': {
    says: [
      'Times are stored and printed with six fraction digits, without zeros at the end;',
      'the response to a creation and deliveries have a seventh.',
    ],
    on: ['GET /v1/events* ok'],
  },
  'filters.in': { says: ['Filters take `in` for ids and texts.'] },
  'deliveries.count': {
    says: ['A delivery has at most 13 attempts.'],
  },
  'events.none': {
    says: ['Invoice quotes, payment quotes, receive requests and subscriptions make no events.'],
    on: [
      'POST /v1/invoices/{invoiceId}/quote ok',
      'POST /v1/payment-quotes/* ok',
      'POST /v1/receive-request ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'ledger.payments': {
    says: [
      'Paid invoices, completed payments and receives are posted.',
      'The sum of each currency is zero after every posting.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.banks': {
    says: [
      'Exchanges, payouts and deposits are posted as held, sent and credited.',
      'BALANCE_TOO_LOW where the account has less.',
    ],
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
    says: [
      'available is free; reserved and outgoing are held; pending is not settled yet.',
      'current is all three, total is free and held.',
    ],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: [
      'Removed bank methods and originators are INACTIVE and still found.',
      'COMPLETED deposits can be REVERSED.',
    ],
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'receives.states': {
    says: [
      'Lightning: COMPLETED at once. On-chain: PENDING until confirmed. New requests: 201.',
      "targetCurrency is the account's default where none is given.",
    ],
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests/*receives ok'],
  },
} as const;
