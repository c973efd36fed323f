/** What public material says. */
export const published = {
  'invoices.states': {
    says: 'invoices: states UNPAID, PENDING, PAID, CANCELLED; create and quote answer 201, all else 200',
    on: ['* /v1/invoices* ok'],
  },
  'invoice-quotes.terms': {
    says: 'invoice quotes: 30 s where the amount is converted; BOLT11 on the test network; bitcoin as source',
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: 'descriptionHash replaces the description' },
  'payments.states': {
    says: 'payments: PENDING, COMPLETED, FAILED; a PENDING one has been charged, a FAILED one is given back; 200 where it ends at once, 202 where it is PENDING',
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.preimage': {
    says: 'payments: preImage is the proof over Lightning',
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'onchain.tiers': {
    says: 'on-chain tiers: a bare array; the beneficiary of a business or a person has a name; an exchange has an id or a name',
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: 'LNURL details: millisatoshi, metadata, commentAllowed null where no comment is taken',
    on: ['GET /v1/payment-quotes/lightning/lnurl/* ok'],
  },
  'receive-requests.filters': {
    says: 'receive requests: also under /v1/receive-requests; filters repeat their key; receiveRequestId with and without a dollar; {} asks for a way without an amount',
    on: ['* /v1/receive-request* ok'],
  },
  'receives.kinds': {
    says: 'receives: LIGHTNING, ONCHAIN, P2P for another account whatever the way; events name the request as entityId and the receive as receiveId',
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'invoices.others': {
    says: "invoices for a handle: issuer and receiver differ; the currency must be the receiver's",
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'exchanges.states': {
    says: 'exchanges: NEW, PENDING, COMPLETED or FAILED; executing answers 202 without a body; the amount is of what is sold or bought',
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'bank-methods.shape': {
    says: 'bank methods: PENDING, READY, SUSPENDED, INVALID, INACTIVE; the currency follows from the transfer type; DELETE answers 204; filter $supportedAction',
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'originators.shape': {
    says: 'originators: PENDING_REVIEW, APPROVED, REJECTED, INACTIVE; asked flat, answered in details',
    on: ['* /v1/payout-originators* ok'],
  },
  'payouts.shape': {
    says: 'payouts: NEW, INITIATED, COMPLETED, FAILED, REVERSED; references of at most 10 (ACH), 15 (wire), 128 (SEPA) and 5 (FPS) characters; the amount is without the fee',
    on: ['* /v1/payouts* ok'],
  },
  'deposits.shape': {
    says: 'deposits: born NEW or PENDING; the estimate says total where the deposit says totalAmount; settledAt null is at once; ACH is free and takes five days',
    on: ['* /v1/deposits* ok'],
  },
  'accounts.shape': {
    says: 'balances and rates: bare arrays; limits: members that are not set are null; a private profile is not found',
    on: ['GET /v1/balances ok', 'GET /v1/rates/ticker ok', 'GET /v1/accounts/* ok'],
  },
  'limits.table': {
    says: 'rate table: 250 a minute for five groups, 1,000 in 10 minutes for the rest; blocks of a minute and an hour; by address',
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.retry-after': { says: '429 carries retry-after', on: ['* * RATE_LIMIT_EXCEEDED'] },
  'invoices.filters': {
    says: 'invoices can be filtered by invoiceId, created, currency, state, issuerId, receiverId, payerId, correlationId',
    on: ['GET /v1/invoices ok'],
  },
  'events.filters': {
    says: 'events can be filtered by deliverySuccess and with ge and le; GET /v1/events/{id}',
    on: ['GET /v1/events* ok'],
  },
  'lists.bounds': {
    says: '$top is at most 100; $orderby takes created only',
    on: ['GET /v1/invoices ok', 'GET /v1/events ok'],
  },
  'subscriptions.shape': {
    says: 'subscriptions: five operations under partner.webhooks.manage; at most 50; a secret of 10 to 50 characters that is never given back; a list without pages',
    on: ['* /v1/subscriptions* ok'],
  },
  'deliveries.signature': {
    says: 'deliveries: go to every subscription of the account that names the type; HMAC-SHA-256 in X-Webhook-Signature, hex in upper case',
  },
  'deliveries.body': {
    says: 'deliveries: the body is the event without deliverySuccess, its time with seven digits',
  },
  'logins.flow': {
    says: 'logins: code flow with PKCE S256 below /connect/, told under /.well-known/openid-configuration; client secret in the body or as Basic; a refresh token with offline_access only',
  },
  'logins.tokens': {
    says: 'logins: access tokens are JWTs with sub and name, and end; revocation; userinfo',
  },
} as const;
