/** What follows by reasoning. */
export const inferred = {
  'invoice-quotes.end': {
    says: ['An invoice quote and its BOLT11 text expire at the same second.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': {
    says: [
      'An invoice goes from UNPAID by PENDING to PAID.',
      'It is UNPAID again when its payment fails.',
    ],
  },
  'invoices.refusals': {
    says: [
      'Cancelling or quoting an invoice in another state is refused.',
      'The codes are INVALID_STATE_FOR_INVOICE_… and PROCESSING_PAYMENT.',
    ],
    on: [
      '* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT',
    ],
  },
  'times.digits': {
    says: [
      'Times are stored with seven fraction digits and printed with six.',
      'Zeros at the end are left out.',
    ],
    on: ['GET /v1/events* ok'],
  },
  'filters.in': { says: ['Filters take `in` for ids and texts.'] },
  'deliveries.count': {
    says: [
      'A delivery is attempted at most 13 times.',
      'deliverySuccess is null until the outcome is known.',
    ],
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
      'Paid invoices, completed payments and receives are booked between accounts and networks.',
      'The sum of each currency is zero after every posting.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.banks': {
    says: [
      'Exchanges, payouts and deposits book money that is held, sent and credited.',
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
      'available is what is free; reserved and outgoing are what is held.',
      'pending is what is not settled yet; current is the sum of all three.',
      'total is what is free and what is held.',
    ],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: [
      'A bank method or originator that was removed is INACTIVE and can still be read.',
      'A COMPLETED deposit can be REVERSED.',
    ],
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'receives.states': {
    says: [
      'A Lightning receive is COMPLETED at once; an on-chain one is PENDING until confirmed.',
      'A new receive request: 201.',
      "targetCurrency is the account's default where none is given.",
    ],
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests/*receives ok'],
  },
} as const;
