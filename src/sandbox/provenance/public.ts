/** What public material says. */
export const published = {
  'invoices.states': {
    says: [
      'Invoice states: UNPAID, PENDING, PAID, CANCELLED.',
      'Create and quote respond with 201, all else with 200.',
    ],
    on: ['* /v1/invoices* ok'],
  },
  'invoice-quotes.terms': {
    says: ['30 s where the amount is converted. BOLT11 of the test network, source in BTC.'],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: ['A descriptionHash replaces the description.'] },
  'payments.states': {
    says: [
      'Payment states: PENDING, COMPLETED, FAILED.',
      'PENDING is charged, FAILED is given back.',
      'Executing: 200 where it is settled at once, 202 where it is PENDING.',
    ],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.preimage': {
    says: ['preImage is the proof of a Lightning payment.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'onchain.tiers': {
    says: ['A bare array. A business or person has a name, an exchange an id or a name.'],
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: [
      'LNURL details: millisatoshi, metadata, commentAllowed (null where no comment is taken).',
    ],
    on: ['GET /v1/payment-quotes/lightning/lnurl/* ok'],
  },
  'receive-requests.filters': {
    says: [
      'Also at /v1/receive-requests. Filters repeat their key; receiveRequestId with or without $.',
      '`{}` asks for BOLT11 or an address without an amount.',
    ],
    on: ['* /v1/receive-request* ok'],
  },
  'receives.kinds': {
    says: [
      'LIGHTNING, ONCHAIN, or P2P from another account, however it pays.',
      'Events have the request as entityId and the receive as receiveId.',
    ],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'invoices.others': {
    says: ["Issuer and receiver differ; the currency must be one of the receiver's."],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'exchanges.states': {
    says: [
      'Exchange states: NEW, PENDING, COMPLETED, FAILED.',
      'Executing: 202 without a body. The amount is of what is sold or bought.',
    ],
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'bank-methods.shape': {
    says: [
      'Bank method states: PENDING, READY, SUSPENDED, INVALID, INACTIVE.',
      'The currency follows from the transfer type. DELETE: 204. Filter: $supportedAction.',
    ],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'originators.shape': {
    says: [
      'Originator states: PENDING_REVIEW, APPROVED, REJECTED, INACTIVE.',
      'The draft is flat, the response has details.',
    ],
    on: ['* /v1/payout-originators* ok'],
  },
  'payouts.shape': {
    says: [
      'Payout states: NEW, INITIATED, COMPLETED, FAILED, REVERSED.',
      'References: at most 10 (ACH), 15 (wire), 128 (SEPA), 5 (FPS) characters.',
      'The amount is without the fee.',
    ],
    on: ['* /v1/payouts* ok'],
  },
  'deposits.shape': {
    says: [
      'A deposit is created NEW or PENDING.',
      'The estimate has total, the deposit totalAmount. settledAt null: at once.',
      'ACH has no fee and takes five days.',
    ],
    on: ['* /v1/deposits* ok'],
  },
  'accounts.shape': {
    says: [
      'Balances and rates are bare arrays.',
      'Limits that are not set are null.',
      'A private profile: 404 NOT_FOUND.',
    ],
    on: ['GET /v1/balances ok', 'GET /v1/rates/ticker ok', 'GET /v1/accounts/* ok'],
  },
  'limits.table': {
    says: [
      '250 a minute for five buckets, 1,000 in 10 minutes for the rest, by address.',
      'Blocks last a minute and an hour.',
    ],
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
    says: ['Filters of events: deliverySuccess, ge and le. GET /v1/events/{id} reads one.'],
    on: ['GET /v1/events* ok'],
  },
  'lists.bounds': {
    says: ['$top is at most 100.', '$orderby takes created only.'],
    on: ['GET /v1/invoices ok', 'GET /v1/events ok'],
  },
  'subscriptions.shape': {
    says: [
      'Five operations under partner.webhooks.manage; at most 50; a list without pages.',
      'A secret of 10 to 50 characters, in no response.',
    ],
    on: ['* /v1/subscriptions* ok'],
  },
  'deliveries.signature': {
    says: [
      'An event goes to every subscription of the account that names its type.',
      'X-Webhook-Signature: HMAC-SHA-256, hex in upper case.',
    ],
  },
  'deliveries.body': {
    says: ['The body is the event without deliverySuccess, its time with seven fraction digits.'],
  },
  'logins.flow': {
    says: [
      'Code flow with PKCE (S256) below /connect/; see /.well-known/openid-configuration.',
      'Client secret in the body or as Basic. A refresh token needs offline_access.',
    ],
  },
  'logins.tokens': {
    says: ['Access tokens are JWTs with sub and name, and expire. Revocation and userinfo.'],
  },
} as const;
