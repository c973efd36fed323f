/** What public material says. */
export const published = {
  'invoices.states': {
    says: [
      'The states of an invoice are UNPAID, PENDING, PAID and CANCELLED.',
      'Create and quote respond with 201, all other operations with 200.',
    ],
    on: ['* /v1/invoices* ok'],
  },
  'invoice-quotes.terms': {
    says: [
      'An invoice quote lives 30 s where the amount is converted.',
      'Its BOLT11 text is of the test network; its source is in BTC.',
    ],
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'invoice-quotes.hash': { says: ['A descriptionHash replaces the description.'] },
  'payments.states': {
    says: [
      'The states of a payment are PENDING, COMPLETED and FAILED.',
      'A PENDING payment is charged, a FAILED one is given back.',
      '200 where it is settled at once, 202 where it is PENDING.',
    ],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'payments.preimage': {
    says: ['preImage is the proof of a Lightning payment.'],
    on: ['GET /v1/payments/* ok', 'PATCH /v1/payment-quotes/* ok'],
  },
  'onchain.tiers': {
    says: [
      'On-chain tiers are a bare array.',
      'The beneficiary of a business or a person has a name.',
      'A beneficiary at an exchange has an id or a name.',
    ],
    on: ['POST /v1/payment-quotes/onchain/tiers ok'],
  },
  'lnurl.details': {
    says: [
      'LNURL details have amounts in millisatoshi and metadata.',
      'commentAllowed is null where no comment is taken.',
    ],
    on: ['GET /v1/payment-quotes/lightning/lnurl/* ok'],
  },
  'receive-requests.filters': {
    says: [
      'Receive requests are also at /v1/receive-requests.',
      'A filter with several values repeats its key.',
      'receiveRequestId may have a dollar before it or not.',
      '`{}` asks for BOLT11 or an address without an amount.',
    ],
    on: ['* /v1/receive-request* ok'],
  },
  'receives.kinds': {
    says: [
      'Receives are LIGHTNING, ONCHAIN, or P2P from another account, however it pays.',
      'Events have the receive request as entityId and the receive as receiveId.',
    ],
    on: ['GET /v1/receive-requests/*receives ok'],
  },
  'invoices.others': {
    says: [
      'An invoice for a handle has another receiver than issuer.',
      "Its currency must be one of the receiver's.",
    ],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'exchanges.states': {
    says: [
      'The states of an exchange are NEW, PENDING, COMPLETED and FAILED.',
      'Executing responds with 202 and no body.',
      'The amount is of the currency that is sold or of the one that is bought.',
    ],
    on: ['* /v1/currency-exchange-quotes* ok'],
  },
  'bank-methods.shape': {
    says: [
      'The states of a bank method are PENDING, READY, SUSPENDED, INVALID and INACTIVE.',
      'Its currency follows from its transfer type.',
      'DELETE responds with 204; lists take the filter $supportedAction.',
    ],
    on: ['* /v1/payment-methods/bank* ok'],
  },
  'originators.shape': {
    says: [
      'The states of an originator are PENDING_REVIEW, APPROVED, REJECTED and INACTIVE.',
      'The request has its members at the top, the response in details.',
    ],
    on: ['* /v1/payout-originators* ok'],
  },
  'payouts.shape': {
    says: [
      'The states of a payout are NEW, INITIATED, COMPLETED, FAILED and REVERSED.',
      'A reference has at most 10 (ACH), 15 (wire), 128 (SEPA) or 5 (FPS) characters.',
      'The amount does not include the fee.',
    ],
    on: ['* /v1/payouts* ok'],
  },
  'deposits.shape': {
    says: [
      'A deposit is created NEW or PENDING.',
      'The estimate has total where the deposit has totalAmount.',
      'settledAt is null where it settles at once.',
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
      'Five buckets allow 250 requests a minute, the rest 1,000 in ten minutes.',
      'Blocks last a minute and an hour; requests are counted by address.',
    ],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.retry-after': {
    says: ['A 429 has the header retry-after.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'invoices.filters': {
    says: [
      'Invoices are filtered by invoiceId, created, currency, state and correlationId.',
      'They are also filtered by issuerId, receiverId and payerId.',
    ],
    on: ['GET /v1/invoices ok'],
  },
  'events.filters': {
    says: [
      'Events are filtered by deliverySuccess, and with ge and le.',
      'One event is read at GET /v1/events/{id}.',
    ],
    on: ['GET /v1/events* ok'],
  },
  'lists.bounds': {
    says: ['$top is at most 100.', '$orderby takes created only.'],
    on: ['GET /v1/invoices ok', 'GET /v1/events ok'],
  },
  'subscriptions.shape': {
    says: [
      'Five operations need the scope partner.webhooks.manage.',
      'An account has at most 50 subscriptions; their list has no pages.',
      'A secret has 10 to 50 characters and is in no response.',
    ],
    on: ['* /v1/subscriptions* ok'],
  },
  'deliveries.signature': {
    says: [
      'An event goes to every subscription of the account that names its type.',
      'X-Webhook-Signature is HMAC-SHA-256, hex in upper case.',
    ],
  },
  'deliveries.body': {
    says: [
      'The body of a delivery is the event without deliverySuccess.',
      'Its time has seven fraction digits.',
    ],
  },
  'logins.flow': {
    says: [
      'A login is the code flow with PKCE (S256), below /connect/.',
      'Its addresses are at /.well-known/openid-configuration.',
      'The client secret is in the body or a Basic header.',
      'A refresh token needs the scope offline_access.',
    ],
  },
  'logins.tokens': {
    says: [
      'Access tokens are JWTs with sub and name, and they expire.',
      'There are endpoints for revocation and userinfo.',
    ],
  },
} as const;
