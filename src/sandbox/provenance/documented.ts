/** What the service's own description says. */
export const documented = {
  'invoices.created': {
    says: ['An invoice is created UNPAID.'],
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.created-event': {
    says: ['A new invoice makes invoice.created.'],
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.updated-event': {
    says: ['A change of its state makes invoice.updated.'],
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
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
    says: ['Every refusal has a body: traceId, and data with code, message, status, values.'],
    on: ['* * refused'],
  },
  'errors.fields': {
    says: ['INVALID_DATA names its fields in validationErrors.'],
    on: ['* * INVALID_DATA'],
  },
  'keys.identity': {
    says: ['A missing or unknown key: 401 UNAUTHORIZED.'],
    on: ['* * UNAUTHORIZED'],
  },
  'keys.scopes': {
    says: ['A key without the scope of the endpoint: 403 FORBIDDEN.'],
    on: ['* * FORBIDDEN'],
  },
  'lists.query': {
    says: ['A query that is not valid: 400 INVALID_DATA_QUERY.'],
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: [
      'A second payment quote for an idempotency key: 422 DUPLICATE_PAYMENT_QUOTE',
      'with values.paymentQuoteId.',
    ],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.amount': {
    says: ['An amount is for BOLT11 texts without one only.'],
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.defaults': {
    says: ["Where the draft does not say: EXCLUSIVE, and the account's default currency."],
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.once': {
    says: ['Executing again: 422 PAYMENT_PROCESSED with values.paymentId.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
  },
  'payment-quotes.expired': {
    says: ['Executing after its end: 422 PAYMENT_QUOTE_EXPIRED.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED'],
  },
  'payment-quotes.travel-rule': {
    says: ['destinationType is required under the travel rule.'],
  },
  'payments.created-event': {
    says: ['A new payment makes payment.created.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.updated-event': { says: ['A change of its state makes payment.updated.'] },
  'payments.rails': {
    says: ['A payment has `lightning` with networkFee, or `onchain` with txnId.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'bolt11.network': {
    says: ['A text of another network: INVALID_LN_INVOICE with values.activeNetwork.'],
    on: ['* /v1/payment-quotes/* INVALID_LN_INVOICE'],
  },
  'bolt11.paid': {
    says: ['A text that was paid: LN_INVOICE_PROCESSED.'],
    on: ['* /v1/payment-quotes/* LN_INVOICE_PROCESSED'],
  },
  'bolt11.own': {
    says: ['A text of the same account: SELF_PAYMENT_NOT_ALLOWED.'],
    on: ['* /v1/payment-quotes/* SELF_PAYMENT_NOT_ALLOWED'],
  },
  'receive-requests.path': {
    says: ['A receive request is created at /v1/receive-request.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.filters': {
    says: ['Filters of requests: address, BOLT11 text, payment hash.'],
    on: ['GET /v1/receive-requests ok'],
  },
  'receives.filters': {
    says: ['Filters of receives: those of requests, the receive, the request.'],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'receives.request': {
    says: ['A receive names its request.'],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'exchanges.duplicate': {
    says: [
      'A second exchange quote for an idempotency key: 422 DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      'with values.currencyExchangeQuoteId.',
    ],
    on: ['* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE'],
  },
  'exchanges.once': {
    says: ['Executing again: CURRENCY_EXCHANGE_QUOTE_PROCESSED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_PROCESSED'],
  },
  'exchanges.expired': {
    says: ['Executing after its end: CURRENCY_EXCHANGE_QUOTE_EXPIRED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_EXPIRED'],
  },
  'exchanges.event': {
    says: ['A change of its state makes currency-exchange-quote.updated.'],
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'deposits.duplicate': {
    says: ['A second deposit for an idempotency key: 422 DUPLICATE_DEPOSIT with values.depositId.'],
    on: ['POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'deposits.event': {
    says: ['A change of its state makes deposit.updated.'],
    on: ['POST /v1/deposits ok'],
  },
  'payouts.method': {
    says: ['A payout needs a READY bank method: PAYMENT_METHOD_NOT_READY.'],
    on: ['* /v1/payouts* PAYMENT_METHOD_NOT_READY'],
  },
  'payouts.originator': {
    says: ['A payout needs an APPROVED originator: PAYOUT_ORIGINATOR_NOT_APPROVED.'],
    on: ['* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED'],
  },
  'payouts.once': {
    says: ['Initiating again: PAYOUT_ALREADY_INITIATED.'],
    on: ['* /v1/payouts* PAYOUT_ALREADY_INITIATED'],
  },
  'payouts.events': {
    says: ['A new payout makes payout.created, a change of its state payout.updated.'],
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
  },
  'bank-methods.events': {
    says: [
      'A new bank method makes payment-method.bank.created,',
      'a change of its state payment-method.bank.updated.',
    ],
    on: ['POST /v1/payment-methods/bank ok', 'DELETE /v1/payment-methods/* ok'],
  },
  'originators.events': {
    says: [
      'A new originator makes payout-originator.created,',
      'a change of its state payout-originator.updated.',
    ],
    on: ['POST /v1/payout-originators ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'events.history': {
    says: ['Events are kept for 30 days.'],
    on: ['GET /v1/events* ok'],
  },
  'events.all': {
    says: ['The list has events without a subscription too.'],
    on: ['GET /v1/events ok'],
  },
  'events.count': {
    says: ['count is the number of events that satisfy the filter.'],
    on: ['GET /v1/events ok'],
  },
  'events.success': {
    says: ['deliverySuccess is a boolean.'],
    on: ['GET /v1/events* ok'],
  },
  'deliveries.timeout': { says: ['A receiver has five seconds.'] },
  'deliveries.statuses': { says: ['A status that is not 2xx is a failure.'] },
  'deliveries.gaps': { says: ['Retries follow 3, 9, 27 … s after the failure before.'] },
  'deliveries.end': { says: ['410 and 501 end the retries.'] },
} as const;
