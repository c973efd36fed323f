/** What the service's own description says. */
export const documented = {
  'invoices.life': {
    says: [
      'An invoice is created UNPAID, with invoice.created.',
      'Every change of state makes invoice.updated.',
    ],
    on: ['POST /v1/invoices ok'],
  },
  'invoices.cancel': {
    says: ['Issuer and receiver can cancel an invoice while it is unpaid.'],
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.duplicate': {
    says: [
      'A second invoice with a correlationId: 409 DUPLICATE_INVOICE with values.correlationId.',
    ],
    on: ['POST /v1/invoices* DUPLICATE_INVOICE'],
  },
  'errors.envelope': {
    says: ['Refusals have traceId and data: code, message, status, values, validationErrors.'],
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
    says: [
      'An invalid $filter, $orderby, $top or $skip, or a name that a list does not have:',
      '400 INVALID_DATA_QUERY.',
    ],
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: [
      'A second payment quote for an idempotency key: 422 DUPLICATE_PAYMENT_QUOTE',
      'with values.paymentQuoteId. A payment quote cannot be read.',
    ],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.draft': {
    says: [
      'An amount for a BOLT11 text without one only.',
      "Defaults: EXCLUSIVE, and the account's default currency.",
    ],
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.once': {
    says: [
      'Executing again: 422 PAYMENT_PROCESSED with values.paymentId;',
      'after it has expired PAYMENT_QUOTE_EXPIRED.',
    ],
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
    ],
  },
  'payments.shape': {
    says: [
      'Payments make payment.created, and payment.updated for their state.',
      'They have `lightning` with networkFee or `onchain` with txnId, and the deprecated members.',
    ],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'bolt11.refusals': {
    says: [
      'Of another network: INVALID_LN_INVOICE with values.activeNetwork.',
      'Paid: LN_INVOICE_PROCESSED. Of the same account: SELF_PAYMENT_NOT_ALLOWED.',
    ],
    on: [
      '* /v1/payment-quotes/* INVALID_LN_INVOICE',
      '* /v1/payment-quotes/* LN_INVOICE_PROCESSED',
      '* /v1/payment-quotes/* SELF_PAYMENT_NOT_ALLOWED',
    ],
  },
  'receive-requests.paths': {
    says: [
      'Created at /v1/receive-request.',
      'Filters: address, BOLT11 text, payment hash, receive, request. Receives name their request.',
    ],
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests* ok'],
  },
  'exchanges.once': {
    says: [
      'A second exchange quote for an idempotency key: 422 DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      'with values.currencyExchangeQuoteId. Executing again: CURRENCY_EXCHANGE_QUOTE_PROCESSED,',
      'after it has expired CURRENCY_EXCHANGE_QUOTE_EXPIRED.',
    ],
    on: [
      '* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      '* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_*',
    ],
  },
  'deposits.once': {
    says: [
      'A second deposit for an idempotency key: 422 DUPLICATE_DEPOSIT with values.depositId.',
      'Later changes make deposit.updated, the creation no event.',
    ],
    on: ['POST /v1/deposits ok', 'POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'payouts.ready': {
    says: [
      'A payout needs a READY bank method and an APPROVED originator.',
      'Initiating it again: PAYOUT_ALREADY_INITIATED.',
    ],
    on: [
      '* /v1/payouts* PAYMENT_METHOD_NOT_READY',
      '* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED',
      '* /v1/payouts* PAYOUT_ALREADY_INITIATED',
    ],
  },
  'banks.events': {
    says: [
      'Bank methods, originators, payouts: `.created`, and `.updated` for their state.',
      'Exchanges: `.updated` only.',
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
      'Events are kept for 30 days, with or without a subscription; count is that of the filter.',
    ],
    on: ['GET /v1/events* ok'],
  },
  'events.success': {
    says: ['In lists of events deliverySuccess is a boolean.'],
    on: ['GET /v1/events* ok'],
  },
  'deliveries.ladder': {
    says: [
      'A receiver has five seconds; a status that is not 2xx is a failure.',
      'Retries 3, 9, 27 … s after the failure before; 410 and 501 end them.',
    ],
  },
} as const;
