/** What public material says. */
export const published = {
  'responses.created': {
    says: ['What creates or quotes an invoice, and most creations: 201.'],
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
    says: ['What is sent for an invoice is bitcoin.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: ['A descriptionHash replaces the description.'] },
  'payments.states': {
    says: ['Payment states: PENDING, COMPLETED, FAILED.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.charged': {
    says: ['PENDING is charged, FAILED is given back.'],
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
    says: ['A quote to a Lightning address takes no fee policy.'],
    on: ['POST /v1/payment-quotes/lightning/lnurl ok'],
  },
  'onchain.tiers': {
    says: ['Tiers are a bare array.'],
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: ['LNURL details have millisatoshi; commentAllowed is null where no comment is taken.'],
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
    says: ['The amount is of what is sold or of what is bought.'],
    on: ['POST /v1/currency-exchange-quotes ok', 'POST /v1/currency-exchange-quotes INVALID_DATA'],
  },
  'bank-methods.states': {
    says: ['Bank method states: PENDING, READY, SUSPENDED, INVALID, INACTIVE.'],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'bank-methods.currency': {
    says: ['The currency of a bank method follows from its transfer type.'],
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
    says: ['settledAt is null where a deposit settles at once.'],
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
    says: ['Limits that are not set are null.'],
    on: ['GET /v1/accounts/limits ok'],
  },
  'accounts.private': {
    says: ['A private profile: 404 NOT_FOUND.'],
    on: ['GET /v1/accounts/handle/* NOT_FOUND'],
  },
  'rates.digits': {
    says: ['Rates have four digits, and eight where they lead to bitcoin.'],
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
  'filters.quotes': { says: ['Texts stand in single quotes.'] },
  'lists.orderby': { says: ['$orderby takes created only.'] },
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
    says: ['A secret has 10 to 50 characters, and stands in no response.'],
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
