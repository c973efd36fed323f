/** What the service's own description says. */
export const documented = {
  'invoices.life': {
    says: 'invoices: created UNPAID with invoice.created; every change of state gives invoice.updated',
    on: ['POST /v1/invoices ok'],
  },
  'invoices.cancel': {
    says: 'invoices: cancelled by issuer or receiver while unpaid',
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.duplicate': {
    says: 'a second invoice with the same correlationId: 409 DUPLICATE_INVOICE with values.correlationId',
    on: ['POST /v1/invoices* DUPLICATE_INVOICE'],
  },
  'errors.envelope': {
    says: 'errors: envelope with traceId, data.code, message, status, values, validationErrors',
    on: ['* * refused'],
  },
  keys: {
    says: '401 UNAUTHORIZED for a missing or unknown key; 403 FORBIDDEN for a key without the scope',
    on: ['* * UNAUTHORIZED', '* * FORBIDDEN'],
  },
  'lists.query': {
    says: 'a bad $filter, $orderby, $top or $skip: 400 INVALID_DATA_QUERY',
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: 'payment quotes: a second one for an idempotency key: 422 DUPLICATE_PAYMENT_QUOTE with values.paymentQuoteId; there is no way to read a payment quote',
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.draft': {
    says: "payment quotes: an amount for a BOLT11 text without one only; EXCLUSIVE where no fee policy is named; the account's default currency where none is named",
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.once': {
    says: 'executing a quote again: 422 PAYMENT_PROCESSED with values.paymentId; after its end: PAYMENT_QUOTE_EXPIRED',
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
    ],
  },
  'payments.shape': {
    says: 'payments: payment.created, payment.updated with state; lightning with networkFee, onchain with txnId, beside the deprecated members',
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'bolt11.refusals': {
    says: "a BOLT11 text of another network: INVALID_LN_INVOICE with values.activeNetwork; a paid one: LN_INVOICE_PROCESSED; one's own: SELF_PAYMENT_NOT_ALLOWED",
    on: [
      '* /v1/payment-quotes/* INVALID_LN_INVOICE',
      '* /v1/payment-quotes/* LN_INVOICE_PROCESSED',
      '* /v1/payment-quotes/* SELF_PAYMENT_NOT_ALLOWED',
    ],
  },
  'receive-requests.paths': {
    says: 'receive requests: made under /v1/receive-request; filters by address, BOLT11 text, payment hash, receive and request; receives say their request',
    on: ['POST /v1/receive-request ok', 'GET /v1/receive-requests* ok'],
  },
  'exchanges.once': {
    says: 'exchanges: a second quote for an idempotency key: 422 DUPLICATE_CURRENCY_EXCHANGE_QUOTE with values.currencyExchangeQuoteId; executed again: CURRENCY_EXCHANGE_QUOTE_PROCESSED; after its end: _EXPIRED',
    on: [
      '* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      '* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_*',
    ],
  },
  'deposits.once': {
    says: 'deposits: a second one for an idempotency key: 422 DUPLICATE_DEPOSIT with values.depositId; deposit.updated for each later change, nothing for the creation',
    on: ['POST /v1/deposits ok', 'POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'payouts.ready': {
    says: 'payouts need a bank method that is READY and an originator that is APPROVED; initiated again: PAYOUT_ALREADY_INITIATED',
    on: [
      '* /v1/payouts* PAYMENT_METHOD_NOT_READY',
      '* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED',
      '* /v1/payouts* PAYOUT_ALREADY_INITIATED',
    ],
  },
  'banks.events': {
    says: 'bank methods, originators, payouts: .created and .updated (state); exchanges: .updated only',
    on: [
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout-originators ok',
      'POST /v1/payouts ok',
      'PATCH /v1/currency-exchange-quotes/* ok',
    ],
  },
  'events.history': {
    says: 'events: kept for 30 days, whether or not a webhook is subscribed; count is that of the filter',
    on: ['GET /v1/events* ok'],
  },
  'events.success': {
    says: 'events: deliverySuccess is a boolean in lists',
    on: ['GET /v1/events* ok'],
  },
  'deliveries.ladder': {
    says: 'deliveries: five seconds to answer; a status that is not 2xx fails; retries 3, 9, 27 … s after the failure before; 410 and 501 end them',
  },
} as const;
