/**
 * Statements from the service's own description, each with words from the line that contains it.
 */
export const documented = {
  'invoices.created': {
    says: ['An invoice is created UNPAID.'],
    cites: '| state | string | Value UNPAID on creation |',
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.created-event': {
    says: ['A new invoice causes invoice.created.'],
    cites: '| invoice.created | A new invoice has been created |',
    on: ['POST /v1/invoices ok', 'POST /v1/invoices/handle/* ok'],
  },
  'invoices.updated-event': {
    says: ['A change of its state causes invoice.updated.'],
    cites: '| invoice.updated | The state of the invoice changed |',
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.cancel': {
    says: ['Issuer and receiver can cancel an invoice while it is unpaid.'],
    cites: 'invoice is unpaid; the issuing or the receiving user may cancel',
    on: ['PATCH /v1/invoices/{invoiceId}/cancel ok'],
  },
  'invoices.duplicate': {
    says: [
      'A second invoice with a correlationId: 409 DUPLICATE_INVOICE with values.correlationId.',
    ],
    cites: 'Invoice with the correlation id already exists | correlationId (string)',
    on: ['POST /v1/invoices* DUPLICATE_INVOICE'],
  },
  'errors.envelope': {
    says: ['Every refusal has a body: traceId, and data with code, message, status, values.'],
    cites: 'Every non-2xx response carries a JSON body',
    on: ['* * refused'],
  },
  'errors.fields': {
    says: ['INVALID_DATA names its fields in validationErrors.'],
    cites: 'keys are field names',
    on: ['* * INVALID_DATA'],
  },
  'errors.id': {
    says: ['NOT_FOUND has values.id, the id that was not found.'],
    cites: 'also a form naming the resource id',
    on: ['* *{*Id}* NOT_FOUND', 'POST /v1/payouts NOT_FOUND', 'POST /v1/deposits* NOT_FOUND'],
  },
  'keys.identity': {
    says: ['A missing or unknown key: 401 UNAUTHORIZED.'],
    cites: 'invalid or missing credential gets HTTP 401',
    on: ['* * UNAUTHORIZED'],
  },
  'keys.scopes': {
    says: ['A key without the scope of the endpoint: 403 FORBIDDEN.'],
    cites: 'lacking permission gets HTTP 403, code FORBIDDEN',
    on: ['* * FORBIDDEN'],
  },
  'lists.query': {
    says: ['A query that is not valid: 400 INVALID_DATA_QUERY.'],
    cites: 'An invalid query yields 400 INVALID_DATA_QUERY',
    on: ['* * INVALID_DATA_QUERY'],
  },
  'payment-quotes.duplicate': {
    says: [
      'A second payment quote for an idempotency key: 422 DUPLICATE_PAYMENT_QUOTE',
      'with values.paymentQuoteId.',
    ],
    cites: 'DUPLICATE_PAYMENT_QUOTE carrying the id of the original quote',
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.amount': {
    says: ['An amount is only for BOLT11 texts without one.'],
    cites: 'Only for zero-amount invoices; must be omitted otherwise',
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.defaults': {
    says: ["Without a value in the draft: EXCLUSIVE, and the account's default currency."],
    cites: "defaults to the user's default currency",
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.travel-rule': {
    says: ['destinationType is required under the travel rule.'],
    cites: 'required when the travel rule flag',
  },
  'payments.created-event': {
    says: ['A new payment causes payment.created.'],
    cites: '| payment.created | A new payment has been created |',
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.updated-event': {
    says: ['A change of its state causes payment.updated.'],
    cites: '| payment.updated | The state of the payment changed |',
  },
  'payments.rails': {
    says: ['A payment has `lightning` with networkFee, or `onchain` with txnId.'],
    cites: 'lightning object (contains networkFee); onchain object (contains txnId)',
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'receive-requests.path': {
    says: ['A receive request is created at /v1/receive-request.'],
    cites: '| POST | /v1/receive-request | Creates a receive request |',
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.filters': {
    says: ['Filters of requests: address, BOLT11 text, payment hash.'],
    cites: 'Filters $onchainAddress, $bolt11Invoice, $paymentHash |',
    on: ['GET /v1/receive-requests ok'],
  },
  'receives.filters': {
    says: ['Filters of receives: those of requests, and the ids of receive and request.'],
    cites: 'Filters $receiveId, $onchainAddress, $bolt11Invoice, $paymentHash, receiveRequestId',
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'receives.request': {
    says: ['A receive names its request.'],
    cites: '| Receive | receiveRequestId |',
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'exchanges.duplicate': {
    says: [
      'A second exchange quote for an idempotency key: 422 DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
      'with values.currencyExchangeQuoteId.',
    ],
    cites: 'A currency exchange quote for the idempotency key exists',
    on: ['* /v1/currency-exchange-quotes* DUPLICATE_CURRENCY_EXCHANGE_QUOTE'],
  },
  'exchanges.event': {
    says: ['A change of its state causes currency-exchange-quote.updated.'],
    cites: 'The state of the currency exchange quote changed',
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'deposits.duplicate': {
    says: ['A second deposit for an idempotency key: 422 DUPLICATE_DEPOSIT with values.depositId.'],
    cites: 'A deposit for the idempotency key exists | depositId (string)',
    on: ['POST /v1/deposits DUPLICATE_DEPOSIT'],
  },
  'deposits.event': {
    says: ['A change of its state causes deposit.updated.'],
    cites: '| deposit.updated | The state of the deposit changed |',
    on: ['POST /v1/deposits ok'],
  },
  'payouts.method': {
    says: ['A payout needs a READY bank method: PAYMENT_METHOD_NOT_READY.'],
    cites: 'Payment method must be in READY state',
    on: ['* /v1/payouts* PAYMENT_METHOD_NOT_READY'],
  },
  'payouts.originator': {
    says: ['A payout needs an APPROVED originator: PAYOUT_ORIGINATOR_NOT_APPROVED.'],
    cites: 'Payout originator must be in APPROVED state',
    on: ['* /v1/payouts* PAYOUT_ORIGINATOR_NOT_APPROVED'],
  },
  'payouts.events': {
    says: ['A new payout causes payout.created, a change of its state payout.updated.'],
    cites: '| payout.created | A new payout has been created |',
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
  },
  'bank-methods.events': {
    says: [
      'A new bank method causes payment-method.bank.created,',
      'a change of its state payment-method.bank.updated.',
    ],
    cites: 'A new bank payment method has been created',
    on: ['POST /v1/payment-methods/bank ok', 'DELETE /v1/payment-methods/* ok'],
  },
  'originators.events': {
    says: [
      'A new originator causes payout-originator.created,',
      'a change of its state payout-originator.updated.',
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
    says: ['The list has events without a subscription too.'],
    cites: 'including events that have no active webhook subscription',
    on: ['GET /v1/events ok'],
  },
  'events.count': {
    says: ['count is the number of events that satisfy the filter.'],
    cites: 'total number of events that satisfy the filter',
    on: ['GET /v1/events ok'],
  },
  'events.success': {
    says: ['deliverySuccess is a boolean.'],
    cites: '| deliverySuccess | boolean |',
    on: ['GET /v1/events* ok'],
  },
  'deliveries.timeout': {
    says: ['A receiver has five seconds to respond.'],
    cites: 'does not respond within 5 seconds',
  },
  'deliveries.statuses': {
    says: ['A status that is not 2xx is a failure.'],
    cites: 'answers with a non-2xx status code',
  },
  'deliveries.gaps': {
    says: ['Retries follow 3, 9, 27 … s after the previous failure.'],
    cites: 'first retry 3 seconds after the failure',
  },
  'deliveries.end': {
    says: ['410 and 501 end the retries.'],
    cites: 'opts out of retries by answering 410 or 501',
  },
} as const;

/** Statements from public material. */
export const published = {
  'responses.created': {
    says: ['Creating or quoting an invoice, and most other creations: 201.'],
    on: [
      'POST /v1/invoices* ok',
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout* ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'invoices.states': {
    says: ['Invoice states: UNPAID, PENDING, PAID, CANCELLED.'],
    on: ['* /v1/invoices* ok'],
  },
  'invoice-quotes.converted': {
    says: ['A quote that converts lives 30 s.'],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.bitcoin': {
    says: ['Invoices are paid in bitcoin.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: ['A descriptionHash replaces the description.'] },
  'payments.states': {
    says: ['Payment states: PENDING, COMPLETED, FAILED.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.charged': {
    says: ['PENDING payments are debited, FAILED ones are given back.'],
    money: true,
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.preimage': {
    says: ['preImage is the proof of a Lightning payment.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.at-once': {
    says: ['A Lightning payment is COMPLETED at once.'],
    money: true,
  },
  'payment-quotes.names': {
    says: ['A beneficiary that is a business or a person has a name, an exchange an id or a name.'],
    on: ['POST /v1/payment-quotes/* INVALID_DATA'],
  },
  'lnurl.policy': {
    says: ['A quote to a Lightning address has no fee policy.'],
    on: ['POST /v1/payment-quotes/lightning/lnurl ok'],
  },
  'onchain.tiers': {
    says: ['Tiers are a bare array.'],
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: ['LNURL details are in millisatoshi, and commentAllowed is null without comments.'],
    on: ['GET /v1/payment-quotes/lightning/lnurl/* ok'],
  },
  'receive-requests.plural': {
    says: ['A receive request is also created at /v1/receive-requests.'],
  },
  'receive-requests.rails': {
    says: ['`{}` asks for a BOLT11 text or an address without an amount.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.values': {
    says: ['Filters of requests and receives repeat their name.'],
    on: ['GET /v1/receive-requests* ok'],
  },
  'receives.kinds': {
    says: ['A receive is LIGHTNING or ONCHAIN, or P2P from another account, however it pays.'],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'receives.events': { says: ['Events have the request as entityId, the receive as receiveId.'] },
  'invoices.others': {
    says: ['For a handle issuer and receiver differ.'],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'invoices.others-currency': {
    says: ["For a handle the currency must be one of the receiver's."],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'exchanges.states': {
    says: ['Exchange states: NEW, PENDING, COMPLETED, FAILED.'],
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'exchanges.accepted': {
    says: ['Executing an exchange: 202 without a body.'],
    on: ['PATCH /v1/currency-exchange-quotes/* ok'],
  },
  'exchanges.amount': {
    says: ['The amount is the sold or the bought one.'],
    on: ['POST /v1/currency-exchange-quotes ok', 'POST /v1/currency-exchange-quotes INVALID_DATA'],
  },
  'bank-methods.states': {
    says: ['Bank method states: PENDING, READY, SUSPENDED, INVALID, INACTIVE.'],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'bank-methods.currency': {
    says: ['The currency of a bank method depends on its transfer type.'],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'bank-methods.filter': {
    says: ['Bank methods are filtered by $supportedAction.'],
    on: ['GET /v1/payment-methods/bank ok'],
  },
  'originators.states': {
    says: ['Originator states: PENDING_REVIEW, APPROVED, REJECTED, INACTIVE.'],
    on: ['* /v1/payout-originators* ok'],
  },
  'originators.details': {
    says: ['The draft of an originator is flat, the response has details.'],
    on: ['POST /v1/payout-originators ok', 'GET /v1/payout-originators* ok'],
  },
  'payouts.states': {
    says: ['Payout states: NEW, INITIATED, COMPLETED, FAILED, REVERSED.'],
    on: ['* /v1/payouts* ok'],
  },
  'payouts.references': {
    says: ['References have at most 10 (ACH), 15 (wire), 128 (SEPA), 5 (FPS) characters.'],
    on: ['POST /v1/payouts ok', 'POST /v1/payouts INVALID_DATA'],
  },
  'payouts.amount': {
    says: ['The amount of a payout is without the fee.'],
    money: true,
    on: ['* /v1/payouts* ok'],
  },
  'deposits.states': {
    says: ['Deposit states: NEW, PENDING, COMPLETED, FAILED, REVERSED.'],
    on: ['POST /v1/deposits ok', 'GET /v1/deposits* ok'],
  },
  'deposits.total': {
    says: ['The estimate has total, the deposit totalAmount.'],
    on: ['* /v1/deposits* ok'],
  },
  'deposits.settled': {
    says: ['settledAt is null if a deposit settles at once.'],
    on: ['POST /v1/deposits/fee ok'],
  },
  'deposits.ach': {
    says: ['A deposit by ACH has no fee and takes five days.'],
    money: true,
  },
  'deposits.ach-begin': { says: ['A deposit by ACH is created PENDING.'] },
  'accounts.arrays': {
    says: ['Balances and rates are bare arrays.'],
    on: ['GET /v1/balances ok', 'GET /v1/rates/ticker ok'],
  },
  'accounts.limits': {
    says: ['Unset limits are null.'],
    on: ['GET /v1/accounts/limits ok'],
  },
  'accounts.private': {
    says: ['A private profile: 404 NOT_FOUND.'],
    on: ['GET /v1/accounts/handle/* NOT_FOUND'],
  },
  'rates.digits': {
    says: ['Rates have four decimal places, and eight into bitcoin.'],
    money: true,
    on: ['GET /v1/rates/ticker ok', 'POST /v1/currency-exchange-quotes ok'],
  },
  'limits.table': {
    says: ['250 requests a minute in each of five buckets, 1,000 in 10 minutes in the rest.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.address': {
    says: ['Requests are counted by address.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.blocks': {
    says: ['Blocks last a minute, in the last bucket an hour.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.retry-after': {
    says: ['A 429 has the header retry-after.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'invoices.filters': {
    says: [
      'Filters of invoices: invoiceId, created, currency, state, correlationId,',
      'issuerId, receiverId, payerId.',
    ],
    on: ['GET /v1/invoices ok'],
  },
  'events.filters': {
    says: ['Events are filtered by deliverySuccess too, and by ge and le.'],
    on: ['GET /v1/events ok'],
  },
  'events.one': {
    says: ['GET /v1/events/{id} reads one event.'],
    on: ['GET /v1/events/{eventId} ok'],
  },
  'lists.top': {
    says: ['$top is at most 100.'],
  },
  'filters.quotes': { says: ['Texts are in single quotes.'] },
  'lists.orderby': { says: ['$orderby takes created only.'] },
  'lists.order': { says: ['Lists without an order are newest first.'] },
  'events.order': { says: ['Events without an order are newest first.'] },
  'responses.location': {
    says: ['A 201 has Location: the whole address of the new resource.'],
    on: [
      'POST /v1/invoices* ok',
      'POST /v1/payment-methods/bank ok',
      'POST /v1/payout* ok',
      'POST /v1/subscriptions ok',
      'POST /v1/receive-request ok',
    ],
  },
  'subscriptions.scope': {
    says: ['Subscriptions are under partner.webhooks.manage.'],
    on: ['* /v1/subscriptions* ok'],
  },
  'subscriptions.list': {
    says: ['Subscriptions are a bare array without pages.'],
    on: ['GET /v1/subscriptions ok'],
  },
  'subscriptions.most': {
    says: ['An account has at most 50 subscriptions.'],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY'],
  },
  'subscriptions.secret': {
    says: ['A secret has 10 to 50 characters, and appears in no response.'],
    on: ['POST /v1/subscriptions ok', 'PATCH /v1/subscriptions/* ok'],
  },
  'deliveries.receivers': {
    says: ['An event goes to every subscription of the account that names its type.'],
  },
  'deliveries.signature': { says: ['X-Webhook-Signature is HMAC-SHA-256, hex in upper case.'] },
  'deliveries.body': { says: ['The body of a webhook is the event without deliverySuccess.'] },
  'logins.flow': { says: ['Logins are a code flow with PKCE (S256) below /connect/.'] },
  'logins.discovery': { says: ['/.well-known/openid-configuration names the endpoints.'] },
  'logins.secret': { says: ['The client secret comes in the body or as Basic.'] },
  'logins.offline': { says: ['A refresh token needs offline_access.'] },
  'logins.tokens': { says: ['Access tokens are JWTs with sub and name, and expire.'] },
  'logins.revocation': { says: ['Tokens can be revoked.'] },
} as const;

/** Behaviour that follows by reasoning. */
export const inferred = {
  'payment-quotes.once': {
    says: ['Executing again: 422 PAYMENT_PROCESSED with values.paymentId.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
  },
  'payment-quotes.expired': {
    says: ['Executing after its end: 422 PAYMENT_QUOTE_EXPIRED.'],
    on: ['PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED'],
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
  'exchanges.once': {
    says: ['Executing again: CURRENCY_EXCHANGE_QUOTE_PROCESSED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_PROCESSED'],
  },
  'exchanges.expired': {
    says: ['Executing after its end: CURRENCY_EXCHANGE_QUOTE_EXPIRED.'],
    on: ['* /v1/currency-exchange-quotes* CURRENCY_EXCHANGE_QUOTE_EXPIRED'],
  },
  'payouts.once': {
    says: ['Initiating again: PAYOUT_ALREADY_INITIATED.'],
    on: ['* /v1/payouts* PAYOUT_ALREADY_INITIATED'],
  },
  'invoice-quotes.end': {
    says: ['A quote and its BOLT11 text expire at the same second.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoices.order': { says: ['A paid invoice goes through UNPAID, PENDING and PAID.'] },
  'invoices.back': { says: ['An invoice is UNPAID again when its payment fails.'] },
  'invoices.reversed': { says: ['PAID can become REVERSED.'] },
  'invoices.refusals': {
    says: ['Cancelling or quoting in another state: INVALID_STATE_FOR_INVOICE_….'],
    on: ['* /v1/invoices/{invoiceId}/* INVALID_STATE_FOR_INVOICE_*'],
  },
  'invoices.paying': {
    says: ['Cancelling or quoting while it is being paid: PROCESSING_PAYMENT.'],
    on: ['* /v1/invoices/{invoiceId}/* PROCESSING_PAYMENT'],
  },
  'times.digits': {
    says: ['Times are stored, listed and compared with six digits, without zeros at the end.'],
    on: ['GET /v1/events* ok'],
  },
  'times.seventh': {
    says: ['The response to a creation and webhooks have a seventh digit.'],
    on: ['POST /v1/invoices ok'],
  },
  'filters.in': { says: ['Filters take `in` for ids and texts.'] },
  'deliveries.count': { says: ['A delivery has at most 13 attempts.'] },
  'events.none': {
    says: ['A creation without an event type of its own causes no event.'],
    on: [
      'POST /v1/*quote* ok',
      'POST /v1/deposits ok',
      'POST /v1/receive-request ok',
      'POST /v1/subscriptions ok',
    ],
  },
  'payments.statuses': {
    says: ['Executing: 200 if it settles at once, 202 if it is PENDING.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.lacking': {
    says: ['A failed payment has neither `completed` nor `delivered`.'],
    on: ['GET /v1/payments/* ok'],
  },
  'ledger.invoices': {
    says: ['A paid invoice is credited to its receiver.'],
    money: true,
  },
  'ledger.payments': {
    says: ['A payment is held when it begins, and sent or given back when it ends.'],
    money: true,
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'ledger.exchanges': {
    says: ['The sold amount is held, and the bought one is credited at the end.'],
    money: true,
    on: ['PATCH /v1/currency-exchange-quotes/* ok'],
  },
  'ledger.payouts': {
    says: ['A payout and its fee are held when it is initiated.'],
    money: true,
    on: ['PATCH /v1/payouts/* ok'],
  },
  'ledger.deposits': {
    says: ['A deposit is pending until it is COMPLETED, and then free.'],
    money: true,
    on: ['POST /v1/deposits ok'],
  },
  'ledger.lacking': {
    says: ['More than the account has: BALANCE_TOO_LOW.'],
    money: true,
    on: ['* /v1/currency-exchange-quotes* BALANCE_TOO_LOW', 'PATCH /v1/payouts/* BALANCE_TOO_LOW'],
  },
  'balances.free': {
    says: ['available is the free amount, total the free and held ones.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.held': {
    says: ['reserved and outgoing are held amounts, pending is not settled yet.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'balances.current': {
    says: ['current is everything free, held or not settled yet.'],
    money: true,
    on: ['GET /v1/balances ok'],
  },
  'banks.removed': {
    says: ['Removed bank methods and originators are INACTIVE and can still be read.'],
    on: ['DELETE /v1/payment-methods/* ok', 'DELETE /v1/payout-originators/* ok'],
  },
  'deposits.reversed': { says: ['A COMPLETED deposit can be REVERSED.'], money: true },
  'receive-requests.status': {
    says: ['A new receive request: 201.'],
    on: ['POST /v1/receive-request ok'],
  },
  'receive-requests.target': {
    says: ["targetCurrency defaults to the account's default currency."],
    money: true,
    on: ['POST /v1/receive-request ok'],
  },
  'receives.lightning': { says: ['A Lightning receive is COMPLETED at once.'] },
  'receives.onchain': { says: ['An on-chain receive is PENDING until it is confirmed.'] },
} as const;
