/** Assumed of invoices, events, payments and logins. */
export const assumedOfPayments = {
  'invoices.one-payer': {
    says: ['One payer settles an invoice; an older quote can be paid until it expires.'],
    money: true,
    on: [
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/payment-quotes/* PROCESSING_PAYMENT',
    ],
  },
  'events.order': {
    says: [
      'Without a subscription deliverySuccess is false. Newest first where no order is asked.',
    ],
  },
  'events.verdict': {
    says: ['deliverySuccess is true when every subscriber has the event, and false until then.'],
  },
  'subscriptions.limits': {
    says: [
      'A 51st subscription: UNPROCESSABLE_ENTITY. Unknown event types, versions: INVALID_DATA.',
      'Addresses may repeat; http is for loopback only.',
    ],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY', '* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: [
      'Each attempt uses the present address, version and secret.',
      'Deleting or disabling a subscription ends its retries.',
    ],
  },
  'deliveries.redirects': {
    says: [
      'Redirects are failures.',
      'Deliveries run side by side, over the real network one after the other.',
    ],
  },
  'deliveries.order': {
    says: [
      'The first attempt follows at once; what is due together goes by event and subscription id.',
    ],
  },
  'invoices.reversed': {
    says: ['PAID can become REVERSED: the money goes back, the balance may be negative.'],
    money: true,
  },
  'invoices.others-terms': {
    says: [
      'Issuer and receiver read an invoice for a handle and get its events.',
      'Unknown or private handle: 404 NOT_FOUND. One that cannot receive: INVALID_RECIPIENT.',
    ],
    on: ['POST /v1/invoices/handle/* *'],
  },
  'payment-quotes.terms': {
    says: [
      '60 s; conversionRate is that of bitcoin. Debits are rounded up, credits down;',
      'a part of a satoshi is paid as a whole one.',
    ],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.keys': {
    says: ['An idempotency key names one payment quote of any kind. Refused requests use none up.'],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.balance': {
    says: [
      'The balance is checked when quoted and when executed.',
      'A currency of the amount that the account does not have: CURRENCY_UNSUPPORTED.',
    ],
    money: true,
    on: [
      'POST /v1/payment-quotes/* BALANCE_TOO_LOW',
      'POST /v1/payment-quotes/* CURRENCY_UNSUPPORTED',
      'POST /v1/payment-quotes/* AMOUNT_TOO_LOW',
    ],
  },
  'payment-quotes.routes': {
    says: [
      'A BOLT11 text of no wallet here, or without a route: LN_ROUTE_NOT_FOUND.',
      'Expired: INVALID_STATE_FOR_INVOICE_EXPIRED. activeNetwork is testnet.',
    ],
    on: [
      '* /v1/payment-quotes/* LN_ROUTE_NOT_FOUND',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_EXPIRED',
      '* /v1/payment-quotes/* INVALID_RECIPIENT',
    ],
  },
  'payments.fees': {
    says: [
      'Lightning: a satoshi and a thousandth, rounded up. On-chain: as the tier says.',
      'Between accounts: none.',
    ],
    money: true,
  },
  'onchain.terms': {
    says: [
      'Tiers of 10, 60 and 1,440 minutes, after which it is COMPLETED.',
      "Less than 546 satoshi or the tier's least: AMOUNT_TOO_LOW.",
    ],
    money: true,
    on: [
      'POST /v1/payment-quotes/onchain* ok',
      'POST /v1/payment-quotes/onchain AMOUNT_TOO_LOW',
      'POST /v1/payment-quotes/onchain* INVALID_BITCOIN_ADDRESS',
    ],
  },
  'payments.checks': {
    says: [
      'Executing checks first `processed`, then `expired`, then `balance`; see `firstCheck`.',
      'A payment that failed has used its quote up.',
    ],
    money: true,
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
      'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW',
    ],
  },
  'payments.rewards': {
    says: ['None, or the part that the option of the account sets, rounded down, at the end.'],
    money: true,
  },
  'lightning.away': {
    says: ['A state rule for `lightning`: LN_UNAVAILABLE for everything that needs Lightning.'],
    on: ['* * LN_UNAVAILABLE'],
  },
  'service.rests': {
    says: [
      'A state rule for `service`: MAINTENANCE gives MAINTENANCE_MODE, others SERVICE_UNAVAILABLE.',
    ],
    on: ['* * MAINTENANCE_MODE', '* * SERVICE_UNAVAILABLE'],
  },
  'payments.conflict': {
    says: [
      'A state rule for `payment` with PROCESSING_CONFLICT refuses executing; the quote stays.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.events': {
    says: [
      'payment.created first, then payment.updated, also where it is settled at once.',
      'Over 100 PENDING payments: TOO_MANY_TRANSACTIONS.',
    ],
    on: ['PATCH /v1/payment-quotes/* ok', 'PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: [
      'A payment to another account is booked in one step, exactly where the currency is the same.',
    ],
    money: true,
  },
  'lnurl.names': {
    says: [
      'ada, ben and lost at wallet.example, each handle at sandbox.invalid, by an invoice.',
      'Others: 404 NOT_FOUND.',
    ],
    on: ['* /v1/payment-quotes/lightning/lnurl* *'],
  },
  'payments.travel-rule': {
    says: ['With the option travelRule destinationType is required, else INVALID_DATA.'],
  },
  'receive-requests.terms': {
    says: [
      'An hour where no expiry is given. A BOLT11 text is paid once: LN_INVOICE_PROCESSED.',
      'An address is paid any number of times, with any amount.',
    ],
    on: ['POST /v1/receive-request ok'],
  },
  'receives.terms': {
    says: [
      'At the rate of the credit, ten minutes on the chain.',
      'receive-pending where it is seen before.',
      'One whose payment fails leaves nothing.',
    ],
    money: true,
  },
  'logins.lives': {
    says: [
      'Codes live 60 s and work once, access tokens an hour, refresh tokens 30 days; these rotate.',
      'What comes twice ends its login.',
    ],
  },
  'logins.rules': {
    says: [
      'PKCE is required. Tokens are signed with a secret of the sandbox.',
      'Users agree at once; requests count towards no limit.',
    ],
  },
} as const;
