/** Behaviors that the service's own description documents, each with a quotation. */
export const documented = {
  'invoices.created': {
    says: ['A new invoice is UNPAID.'],
    cites: '| state | string | Value UNPAID on creation |',
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.created-event': {
    says: ['A new invoice triggers invoice.created.'],
    cites: '| invoice.created | A new invoice has been created |',
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.updated-event': {
    says: ['A state change of an invoice triggers invoice.updated.'],
    cites: '| invoice.updated | The state of the invoice changed |',
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.cancel': {
    says: ['The issuer and the receiver can cancel an unpaid invoice.'],
    cites: 'invoice is unpaid; the issuing or the receiving user may cancel',
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.duplicate': {
    says: ['Reusing a correlationId returns 409 DUPLICATE_INVOICE with values.correlationId.'],
    cites: 'Invoice with the correlation id already exists | correlationId (string)',
    on: ['POST /v1/invoices* DUPLICATE_INVOICE'],
  },
  'errors.envelope': {
    says: ['Error bodies have a traceId, and data with code, message, status and values.'],
    cites: 'Every non-2xx response carries a JSON body',
    on: ['* * refused'],
  },
  'errors.fields': {
    says: ['INVALID_DATA lists the invalid fields in validationErrors.'],
    cites: 'keys are field names',
    on: ['* * INVALID_DATA'],
  },
  'errors.id': {
    says: ['NOT_FOUND returns the missing id in values.id.'],
    cites: 'also a form naming the resource id',
    on: ['* *{*Id}* NOT_FOUND', 'POST /v1/payouts NOT_FOUND', 'POST /v1/deposits* NOT_FOUND'],
  },
  'keys.identity': {
    says: ['A missing or unknown API key returns 401 UNAUTHORIZED.'],
    cites: 'invalid or missing credential gets HTTP 401',
    on: ['* * UNAUTHORIZED'],
  },
  'keys.scopes': {
    says: ['An API key without the required scope returns 403 FORBIDDEN.'],
    cites: 'lacking permission gets HTTP 403, code FORBIDDEN',
    on: ['* * FORBIDDEN'],
  },
  'lists.query': {
    says: ['An invalid query returns 400 INVALID_DATA_QUERY.'],
    cites: 'An invalid query yields 400 INVALID_DATA_QUERY',
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: [
      'Reusing an idempotency key for a payment quote returns 422 DUPLICATE_PAYMENT_QUOTE',
      'with values.paymentQuoteId.',
    ],
    cites: 'DUPLICATE_PAYMENT_QUOTE carrying the id of the original quote',
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.amount': {
    says: ['An amount is only allowed if the BOLT11 invoice has none.'],
    cites: 'Only for zero-amount invoices; must be omitted otherwise',
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.defaults': {
    says: [`A payment quote defaults to an EXCLUSIVE fee and the account's default currency.`],
    cites: "defaults to the user's default currency",
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.travel-rule': {
    says: ['The travel rule requires destinationType.'],
    cites: 'required when the travel rule flag',
  },
  'payments.created-event': {
    says: ['A new payment triggers payment.created.'],
    cites: '| payment.created | A new payment has been created |',
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.updated-event': {
    says: ['A state change of a payment triggers payment.updated.'],
    cites: '| payment.updated | The state of the payment changed |',
  },
  'payments.rails': {
    says: ['A payment has `lightning` with networkFee, or `onchain` with txnId.'],
    cites: 'lightning object (contains networkFee); onchain object (contains txnId)',
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'receive-requests.path': {
    says: ['POST /v1/receive-request creates a receive request.'],
    cites: '| POST | /v1/receive-request | Creates a receive request |',
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.filters': {
    says: ['You can filter receive requests by address, BOLT11 invoice and payment hash.'],
    cites: 'Filters $onchainAddress, $bolt11Invoice, $paymentHash |',
    on: ['GET /v1/receive-requests ok'],
  },
  'receives.filters': {
    says: [
      'You can filter receives by receiveId, receiveRequestId, address, BOLT11 invoice and payment hash.',
    ],
    cites: 'Filters $receiveId, $onchainAddress, $bolt11Invoice, $paymentHash, receiveRequestId',
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'receives.request': {
    says: ['Each receive contains the id of its receive request.'],
    cites: '| Receive | receiveRequestId |',
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'exchanges.duplicate': {
    says: [
      'Reusing an idempotency key for an exchange quote returns 422 DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      'with values.currencyExchangeQuoteId.',
    ],
    cites: 'A currency exchange quote for the idempotency key exists',
    on: ['* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE'],
  },
  'exchanges.event': {
    says: ['A state change of an exchange quote triggers currency-exchange-quote.updated.'],
    cites: 'The state of the currency exchange quote changed',
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'deposits.duplicate': {
    says: [
      'Reusing an idempotency key for a deposit returns 422 DUPLICATE_DEPOSIT with values.depositId.',
    ],
    cites: 'A deposit for the idempotency key exists | depositId (string)',
    on: ['POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'deposits.event': {
    says: ['A state change of a deposit triggers deposit.updated.'],
    cites: '| deposit.updated | The state of the deposit changed |',
    on: ['POST /v1/deposits ok'],
  },
  'payouts.method': {
    says: ['A payout without a READY bank method returns PAYMENT_METHOD_NOT_READY.'],
    cites: 'Payment method must be in READY state',
    on: ['* /v1/payouts* PAYMENT_METHOD_NOT_READY'],
  },
  'payouts.originator': {
    says: ['A payout without an APPROVED originator returns PAYOUT_ORIGINATOR_NOT_APPROVED.'],
    cites: 'Payout originator must be in APPROVED state',
    on: ['* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED'],
  },
  'payouts.events': {
    says: ['A new payout triggers payout.created, and state changes trigger payout.updated.'],
    cites: '| payout.created | A new payout has been created |',
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
  },
  'bank-methods.events': {
    says: [
      'A new bank method triggers payment-method.bank.created,',
      'and state changes trigger payment-method.bank.updated.',
    ],
    cites: 'A new bank payment method has been created',
    on: ['POST /v1/payment-methods/bank ok', 'DELETE /v1/payment-methods/* ok'],
  },
  'originators.events': {
    says: [
      'A new originator triggers payout-originator.created,',
      'and state changes trigger payout-originator.updated.',
    ],
    cites: 'A new payout originator has been created',
    on: ['POST /v1/payout-originators ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'events.history': {
    says: ['Events are kept for 30 days.'],
    cites: 'events of the account for the past 30 days',
    on: ['GET /v1/events* ok'],
  },
  'events.all': {
    says: ['Events are listed even without a subscription.'],
    cites: 'including events that have no active webhook subscription',
    on: ['GET /v1/events ok'],
  },
  'events.count': {
    says: ['The `count` of events is the number of events that match the filter.'],
    cites: 'total number of events that satisfy the filter',
    on: ['GET /v1/events ok'],
  },
  'events.success': {
    says: ['deliverySuccess is a boolean.'],
    cites: '| deliverySuccess | boolean |',
    on: ['GET /v1/events* ok'],
  },
  'deliveries.timeout': {
    says: ['A webhook receiver must respond within five seconds.'],
    cites: 'does not respond within 5 seconds',
  },
  'deliveries.statuses': {
    says: ['A webhook delivery fails with any status other than 2xx.'],
    cites: 'answers with a non-2xx status code',
  },
  'deliveries.gaps': {
    says: ['Webhook retries follow 3, 9, 27 … seconds after each failure.'],
    cites: 'first retry 3 seconds after the failure',
  },
  'deliveries.end': {
    says: ['A webhook receiver stops retries with a 410 or 501 response.'],
    cites: 'opts out of retries by answering 410 or 501',
  },
} as const;

/** Behaviors that are known from public material. */
export const published = {
  'responses.created': {
    says: ['Creating or quoting an invoice, like most other creations, returns 201.'],
    on: [
      'POST /v1/invoices* ok',
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout* ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'invoices.states': {
    says: ['Invoices can be UNPAID, PENDING, PAID or CANCELLED.'],
    on: ['* /v1/invoices* ok'],
  },
  'invoice-quotes.converted': {
    says: ['A quote with a conversion is valid for 30 s.'],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.bitcoin': {
    says: ['Invoices are paid in bitcoin.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: ['A descriptionHash replaces the description.'] },
  'payments.states': {
    says: ['Payments can be PENDING, COMPLETED or FAILED.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.charged': {
    says: ['PENDING payments are debited, and FAILED ones are refunded.'],
    money: true,
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.preimage': {
    says: ['preImage proves that a Lightning payment was made.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.at-once': {
    says: ['A Lightning payment is COMPLETED immediately.'],
    money: true,
  },
  'payment-quotes.names': {
    says: ['A business or person beneficiary has a name, and an exchange has an id or a name.'],
    on: ['POST /v1/payment-quotes/* INVALID_DATA'],
  },
  'lnurl.policy': {
    says: ['Quotes for Lightning addresses have no fee policy.'],
    on: ['POST /v1/payment-quotes/lightning/lnurl ok'],
  },
  'onchain.tiers': {
    says: ['On-chain tiers are returned as a bare array.'],
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: [
      "LNURL details are in millisatoshis, and commentAllowed is null if comments aren't allowed.",
    ],
    on: ['GET /v1/payment-quotes/lightning/lnurl/* ok'],
  },
  'receive-requests.plural': {
    says: ['POST /v1/receive-requests also creates a receive request.'],
  },
  'receive-requests.rails': {
    says: ['`{}` requests a BOLT11 invoice or an address without an amount.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.values': {
    says: ['To filter receive requests or receives by several values, repeat a parameter.'],
    on: ['GET /v1/receive-requests* ok'],
  },
  'receives.kinds': {
    says: [
      'A receive is LIGHTNING, ONCHAIN, or P2P if it comes from another account by any method.',
    ],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'receives.events': {
    says: ['In events, entityId is the receive request, and receiveId is the receive.'],
  },
  'invoices.others': {
    says: ['An invoice for a handle has different issuer and receiver.'],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'invoices.others-currency': {
    says: ["An invoice for a handle must use one of the receiver's currencies."],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'exchanges.states': {
    says: ['Exchanges can be NEW, PENDING, COMPLETED or FAILED.'],
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'exchanges.accepted': {
    says: ['Executing an exchange returns 202 without a body.'],
    on: ['PATCH /v1/currency-exchange-quotes/* ok'],
  },
  'exchanges.amount': {
    says: ['The amount of an exchange quote is either the amount sold or the amount bought.'],
    on: ['POST /v1/currency-exchange-quotes ok', 'POST /v1/currency-exchange-quotes INVALID_DATA'],
  },
  'bank-methods.states': {
    says: ['Bank methods can be PENDING, READY, SUSPENDED, INVALID or INACTIVE.'],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'bank-methods.currency': {
    says: ["A bank method's currency depends on its transfer type."],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'bank-methods.filter': {
    says: ['You can filter bank methods by $supportedAction.'],
    on: ['GET /v1/payment-methods/bank ok'],
  },
  'originators.states': {
    says: ['Originators can be PENDING_REVIEW, APPROVED, REJECTED or INACTIVE.'],
    on: ['* /v1/payout-originators* ok'],
  },
  'originators.details': {
    says: [`An originator's draft is flat, and its response has nested details.`],
    on: ['POST /v1/payout-originators ok', 'GET /v1/payout-originators* ok'],
  },
  'payouts.states': {
    says: ['Payouts can be NEW, INITIATED, COMPLETED, FAILED or REVERSED.'],
    on: ['* /v1/payouts* ok'],
  },
  'payouts.references': {
    says: [
      'Payout references can have up to 10 (ACH), 15 (wire), 128 (SEPA) or 5 (FPS) characters.',
    ],
    on: ['POST /v1/payouts ok', 'POST /v1/payouts INVALID_DATA'],
  },
  'payouts.amount': {
    says: ["A payout's amount excludes the fee."],
    money: true,
    on: ['* /v1/payouts* ok'],
  },
  'deposits.states': {
    says: ['Deposits can be NEW, PENDING, COMPLETED, FAILED or REVERSED.'],
    on: ['POST /v1/deposits ok', 'GET /v1/deposits* ok'],
  },
  'deposits.total': {
    says: ['A fee estimate has `total`, while a deposit has `totalAmount`.'],
    on: ['* /v1/deposits* ok'],
  },
  'deposits.settled': {
    says: ['settledAt is null if a deposit settles immediately.'],
    on: ['POST /v1/deposits/fee ok'],
  },
  'deposits.ach': {
    says: ['ACH deposits have no fee and take five days.'],
    money: true,
  },
  'deposits.ach-begin': { says: ['ACH deposits start out PENDING.'] },
  'accounts.arrays': {
    says: ['Balances and rates are returned as bare arrays.'],
    on: ['GET /v1/balances ok', 'GET /v1/rates/ticker ok'],
  },
  'accounts.limits': {
    says: ['Limits that are not set are null.'],
    on: ['GET /v1/accounts/limits ok'],
  },
  'accounts.private': {
    says: ['A private profile returns 404 NOT_FOUND.'],
    on: ['GET /v1/accounts/handle/* NOT_FOUND'],
  },
  'rates.digits': {
    says: ['Rates have four decimal places, or eight when converting to bitcoin.'],
    money: true,
    on: ['GET /v1/rates/ticker ok', 'POST /v1/currency-exchange-quotes ok'],
  },
  'limits.table': {
    says: [
      'Five rate limits allow 250 requests a minute each, and a sixth allows 1,000 in 10 minutes.',
    ],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.address': {
    says: ['Rate limits count the requests of each IP address.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.blocks': {
    says: ['You are blocked for a minute, or for an hour after exceeding the 10-minute limit.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.retry-after': {
    says: ['A 429 response has a retry-after header.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'invoices.filters': {
    says: [
      'You can filter invoices by invoiceId, created, currency, state, correlationId,',
      'issuerId, receiverId and payerId.',
    ],
    on: ['GET /v1/invoices ok'],
  },
  'events.filters': {
    says: ['Events can also be filtered by deliverySuccess, and with ge and le.'],
    on: ['GET /v1/events ok'],
  },
  'events.one': {
    says: ['GET /v1/events/{id} reads one event.'],
    on: ['GET /v1/events/{eventId} ok'],
  },
  'lists.top': {
    says: ['The query parameter $top is at most 100.'],
  },
  'filters.quotes': { says: ['Strings in filters are in single quotes.'] },
  'lists.orderby': { says: ['$orderby only supports created.'] },
  'lists.order': { says: ['Lists are sorted newest first by default.'] },
  'events.order': { says: ['Events are sorted newest first by default.'] },
  'responses.location': {
    says: ['A 201 response has a Location header with the full URL of the new resource.'],
    on: [
      'POST /v1/invoices* ok',
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout* ok',
      'POST /v1/subscriptions ok',
      'POST /v1/receive-request ok',
    ],
  },
  'subscriptions.scope': {
    says: ['Subscriptions require the scope partner.webhooks.manage.'],
    on: ['* /v1/subscriptions* ok'],
  },
  'subscriptions.list': {
    says: ['Subscriptions are returned as a bare array without paging.'],
    on: ['GET /v1/subscriptions ok'],
  },
  'subscriptions.most': {
    says: ['An account can have up to 50 subscriptions.'],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY'],
  },
  'subscriptions.secret': {
    says: ['A webhook secret has 10 to 50 characters and is never returned.'],
    on: ['POST /v1/subscriptions ok', 'PATCH /v1/subscriptions/* ok'],
  },
  'deliveries.receivers': {
    says: ["Each event goes to all of the account's subscriptions that include its type."],
  },
  'deliveries.signature': { says: ['X-Webhook-Signature is an HMAC-SHA-256 in uppercase hex.'] },
  'deliveries.body': { says: ["A webhook's body is the event without deliverySuccess."] },
  'logins.flow': {
    says: ['Logins use the authorization code flow with PKCE (S256) under /connect/.'],
  },
  'logins.discovery': { says: ['/.well-known/openid-configuration lists the endpoints.'] },
  'logins.secret': {
    says: ['The client secret is sent in the body or with Basic authentication.'],
  },
  'logins.offline': { says: ['Refresh tokens require the scope offline_access.'] },
  'logins.tokens': { says: ['Access tokens are JWTs with sub and name, and expire.'] },
  'logins.revocation': { says: ['Login tokens can be revoked.'] },
} as const;

/** Behaviors that follow from other facts. */
export const inferred = {
  'payment-quotes.once': {
    says: ['Executing a payment quote twice returns 422 PAYMENT_PROCESSED with values.paymentId.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
  },
  'payment-quotes.expired': {
    says: ['Executing an expired payment quote returns 422 PAYMENT_QUOTE_EXPIRED.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED'],
  },
  'bolt11.network': {
    says: [
      'Paying a BOLT11 invoice for another network returns INVALID_LN_INVOICE with values.activeNetwork.',
    ],
    on: ['* /v1/payment-quotes/* INVALID_LN_INVOICE'],
  },
  'bolt11.paid': {
    says: ['Paying a BOLT11 invoice that is already paid returns LN_INVOICE_PROCESSED.'],
    on: ['* /v1/payment-quotes/* LN_INVOICE_PROCESSED'],
  },
  'bolt11.own': {
    says: [`Paying the account's own invoice returns SELF_PAYMENT_NOT_ALLOWED.`],
    on: ['* /v1/payment-quotes/* SELF_PAYMENT_NOT_ALLOWED'],
  },
  'exchanges.once': {
    says: ['Executing an exchange quote twice returns CURRENCY_EXCHANGE_QUOTE_PROCESSED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_PROCESSED'],
  },
  'exchanges.expired': {
    says: ['Executing an expired exchange quote returns CURRENCY_EXCHANGE_QUOTE_EXPIRED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_EXPIRED'],
  },
  'payouts.once': {
    says: ['Initiating a payout twice returns PAYOUT_ALREADY_INITIATED.'],
    on: ['* /v1/payouts* PAYOUT_ALREADY_INITIATED'],
  },
  'invoice-quotes.end': {
    says: ['An invoice quote and its BOLT11 invoice expire in the same second.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': { says: ['A paid invoice goes from UNPAID to PENDING to PAID.'] },
  'invoices.back': { says: ['If its payment fails, an invoice becomes UNPAID again.'] },
  'invoices.reversed': { says: ['A PAID invoice can become REVERSED.'] },
  'invoices.refusals': {
    says: [
      'Cancelling or quoting an invoice in another state returns INVALID_STATE_FOR_INVOICE_….',
    ],
    on: ['* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*'],
  },
  'invoices.paying': {
    says: ["Cancelling or quoting an invoice while it's being paid returns PROCESSING_PAYMENT."],
    on: ['* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT'],
  },
  'times.digits': {
    says: ['Times are stored, listed and compared to six decimal places, without trailing zeros.'],
    on: ['GET /v1/events* ok'],
  },
  'times.seventh': {
    says: ['Creation responses and webhooks have a seventh decimal place.'],
    on: ['POST /v1/invoices ok'],
  },
  'filters.in': { says: ['Filters support `in` for ids and strings.'] },
  'deliveries.count': { says: ['Each webhook is attempted at most 13 times.'] },
  'events.none': {
    says: ['If a resource has no event type for creation, creating it triggers no event.'],
    on: [
      'POST /v1/*quote* ok',
      'POST /v1/deposits ok',
      'POST /v1/receive-request ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'payments.statuses': {
    says: ["Executing a quote returns 200 if it settles immediately, or 202 if it's PENDING."],
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.lacking': {
    says: ['A failed payment has neither `completed` nor `delivered`.'],
    on: ['GET /v1/payments/* ok'],
  },
  'ledger.invoices': {
    says: ['The receiver of a paid invoice gets the money.'],
    money: true,
  },
  'ledger.payments': {
    says: ["A payment's amount is held when it starts, then sent or released."],
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.exchanges': {
    says: ['The amount sold is held, and the amount bought is credited on completion.'],
    money: true,
    on: ['PATCH /v1/currency-exchange-quotes/* ok'],
  },
  'ledger.payouts': {
    says: ["A payout's amount and fee are held on initiation."],
    money: true,
    on: ['PATCH /v1/payouts/* ok'],
  },
  'ledger.deposits': {
    says: ["A deposit is pending until it's COMPLETED, when its money becomes available."],
    money: true,
    on: ['POST /v1/deposits ok'],
  },
  'ledger.lacking': {
    says: ['Spending more than the balance returns BALANCE_TOO_LOW.'],
    money: true,
    on: ['* /v1/currency-exchange-quotes* BALANCE_TOO_LOW', 'PATCH /v1/payouts/* BALANCE_TOO_LOW'],
  },
  'balances.free': {
    says: ['The `total` of a balance is its available and held funds.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.held': {
    says: ['In a balance, `reserved` and `outgoing` are held funds, and `pending` is unsettled.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.current': {
    says: ['The `current` of a balance is its available, held and unsettled funds.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: ['Removed bank methods and originators become INACTIVE but remain readable.'],
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'deposits.reversed': { says: ['A COMPLETED deposit can be REVERSED.'], money: true },
  'receive-requests.status': {
    says: ['Creating a receive request returns 201.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.target': {
    says: ["targetCurrency defaults to the account's default currency."],
    money: true,
    on: ['POST /v1/receive-request ok'],
  },
  'receives.lightning': { says: ['A Lightning receive is COMPLETED immediately.'] },
  'receives.onchain': { says: ['An on-chain receive is PENDING until it is confirmed.'] },
} as const;
