/** What the service's own description says. */
export const documented = {
  'invoices.life': {
    says: [
      'An invoice is created UNPAID, with the event invoice.created.',
      'Every change of its state makes the event invoice.updated.',
    ],
    on: ['POST /v1/invoices ok'],
  },
  'invoices.cancel': {
    says: ['The issuer and the receiver can cancel an invoice while it is unpaid.'],
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.duplicate': {
    says: [
      'A second invoice with the same correlationId: 409 DUPLICATE_INVOICE.',
      'values.correlationId repeats it.',
    ],
    on: ['POST /v1/invoices* DUPLICATE_INVOICE'],
  },
  'errors.envelope': {
    says: [
      'A refusal has a body with traceId and data.',
      'data has code, message and status, and may have values and validationErrors.',
    ],
    on: ['* * refused'],
  },
  keys: {
    says: [
      'A missing or unknown key: 401 UNAUTHORIZED.',
      'A key without the scope: 403 FORBIDDEN.',
    ],
    on: ['* * UNAUTHORIZED', '* * FORBIDDEN'],
  },
  'lists.query': {
    says: ['An invalid $filter, $orderby, $top or $skip: 400 INVALID_DATA_QUERY.'],
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: [
      'A second payment quote with the same idempotency key: 422 DUPLICATE_PAYMENT_QUOTE.',
      'values.paymentQuoteId names the first one.',
      'A payment quote cannot be read.',
    ],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.draft': {
    says: [
      'A payment quote takes an amount only for a BOLT11 text without one.',
      'The fee policy is EXCLUSIVE where none is given.',
      "The source currency is the account's default where none is given.",
    ],
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.once': {
    says: [
      'Executing a payment quote again: 422 PAYMENT_PROCESSED with values.paymentId.',
      'Executing it after it has expired: PAYMENT_QUOTE_EXPIRED.',
    ],
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
    ],
  },
  'payments.shape': {
    says: [
      'A payment makes the events payment.created and payment.updated, the latter for its state.',
      'Lightning payments have `lightning` with networkFee, on-chain ones `onchain` with txnId.',
      'The deprecated members are there too.',
    ],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'bolt11.refusals': {
    says: [
      'A BOLT11 text of another network: INVALID_LN_INVOICE with values.activeNetwork.',
      'One that is paid: LN_INVOICE_PROCESSED.',
      'One of the same account: SELF_PAYMENT_NOT_ALLOWED.',
    ],
    on: [
      '* /v1/payment-quotes/* INVALID_LN_INVOICE',
      '* /v1/payment-quotes/* LN_INVOICE_PROCESSED',
      '* /v1/payment-quotes/* SELF_PAYMENT_NOT_ALLOWED',
    ],
  },
  'receive-requests.paths': {
    says: [
      'Receive requests are created at /v1/receive-request.',
      'They are filtered by address, BOLT11 text, payment hash, receive and request.',
      'A receive names its receive request.',
    ],
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests* ok'],
  },
  'exchanges.once': {
    says: [
      'A second exchange quote with the same idempotency key: 422.',
      'The code is DUPLICATE_CURRENCY_EXCHANGE_QUOTE.',
      'values.currencyExchangeQuoteId names the first.',
      'Executing an exchange quote again: CURRENCY_EXCHANGE_QUOTE_PROCESSED.',
      'Executing it after it has expired: CURRENCY_EXCHANGE_QUOTE_EXPIRED.',
    ],
    on: [
      '* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      '* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_*',
    ],
  },
  'deposits.once': {
    says: [
      'A second deposit with the same idempotency key: 422 DUPLICATE_DEPOSIT.',
      'values.depositId names the first.',
      'Each change after the creation makes the event deposit.updated; the creation makes none.',
    ],
    on: ['POST /v1/deposits ok', 'POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'payouts.ready': {
    says: [
      'A payout needs a bank method that is READY and an originator that is APPROVED.',
      'Initiating a payout again: PAYOUT_ALREADY_INITIATED.',
    ],
    on: [
      '* /v1/payouts* PAYMENT_METHOD_NOT_READY',
      '* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED',
      '* /v1/payouts* PAYOUT_ALREADY_INITIATED',
    ],
  },
  'banks.events': {
    says: [
      'Bank methods, originators and payouts make `.created`, and `.updated` for their state.',
      'Exchanges make `.updated` only.',
    ],
    on: [
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout-originators ok',
      'POST /v1/payouts ok',
      'PATCH /v1/currency-exchange-quotes/* ok',
    ],
  },
  'events.history': {
    says: [
      'Events are kept for 30 days, with or without a subscription.',
      'The count of a list of events is that of its filter.',
    ],
    on: ['GET /v1/events* ok'],
  },
  'events.success': {
    says: ['In lists of events deliverySuccess is a boolean.'],
    on: ['GET /v1/events* ok'],
  },
  'deliveries.ladder': {
    says: [
      'A receiver has five seconds to respond; any status but 2xx is a failure.',
      'Retries follow 3, 9, 27 … s after the failure before.',
      '410 and 501 end them.',
    ],
  },
} as const;
