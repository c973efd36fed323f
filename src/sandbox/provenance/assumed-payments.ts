/** Assumed of invoices, events, payments and logins. */
export const assumedOfPayments = {
  'invoices.one-payer': {
    says: ['One payer settles an invoice.', 'An older quote can be paid until it expires.'],
    money: true,
    on: [
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/payment-quotes/* PROCESSING_PAYMENT',
    ],
  },
  'events.order': {
    says: [
      'Without a subscription deliverySuccess is false.',
      'Lists of events without an order are newest first.',
    ],
  },
  'events.verdict': {
    says: [
      'deliverySuccess is true when every subscriber has the event.',
      'It is false when the last attempt is over and one subscriber has not.',
    ],
  },
  'subscriptions.limits': {
    says: [
      'A 51st subscription: UNPROCESSABLE_ENTITY.',
      'Unknown event types and versions: INVALID_DATA.',
      'Two subscriptions may have the same address; http is for loopback only.',
    ],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY', '* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: [
      'Each attempt uses the address, version and secret that the subscription has then.',
      'Deleting or disabling a subscription ends its retries.',
    ],
  },
  'deliveries.redirects': {
    says: [
      'Redirects are not followed; they are failures.',
      'Deliveries run side by side, over the real network one after the other.',
    ],
  },
  'deliveries.order': {
    says: [
      'The first attempt follows the event at once.',
      'What is due at the same time is sent by event id and subscription id.',
    ],
  },
  'invoices.reversed': {
    says: [
      'A PAID invoice can become REVERSED.',
      'Its money goes back, which may make the balance negative.',
    ],
    money: true,
  },
  'invoices.others-terms': {
    says: [
      'Issuer and receiver both read an invoice for a handle and get its events.',
      'An unknown or private handle: 404 NOT_FOUND.',
      'An account that cannot receive: INVALID_RECIPIENT.',
    ],
    on: ['POST /v1/invoices/handle/* *'],
  },
  'payment-quotes.terms': {
    says: [
      'A payment quote lives 60 s; conversionRate is that of bitcoin.',
      'Debits are rounded up, credits down.',
      'A part of a satoshi is paid as a whole one.',
    ],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.keys': {
    says: [
      'An idempotency key names one payment quote of the account, of whatever kind.',
      'A request that is refused does not use its key up.',
    ],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.balance': {
    says: [
      'The balance is checked when a payment is quoted and when it is executed.',
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
      'A BOLT11 text of no wallet of the sandbox, or of one without a route: LN_ROUTE_NOT_FOUND.',
      'One that has expired: INVALID_STATE_FOR_INVOICE_EXPIRED.',
      'activeNetwork is testnet.',
    ],
    on: [
      '* /v1/payment-quotes/* LN_ROUTE_NOT_FOUND',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_EXPIRED',
      '* /v1/payment-quotes/* INVALID_RECIPIENT',
    ],
  },
  'payments.fees': {
    says: [
      'The fee over Lightning is a satoshi and a thousandth of the amount, rounded up.',
      'The fee on the chain is that of the tier.',
      'Payments between accounts have no fee.',
    ],
    money: true,
  },
  'onchain.terms': {
    says: [
      'There are three on-chain tiers, of 10, 60 and 1,440 minutes.',
      "Less than 546 satoshi, or than the tier's minimum: AMOUNT_TOO_LOW.",
      'A payment is COMPLETED after the minutes of its tier.',
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
      'Executing checks first whether the quote is processed, then expiry, then the balance.',
      'The option `firstCheck` changes the order.',
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
    says: [
      'There is no reward unless the option of the account sets one.',
      'It is a part of the amount, rounded down, credited when the payment is settled.',
    ],
    money: true,
  },
  'lightning.away': {
    says: ['A state rule for `lightning`: LN_UNAVAILABLE for everything that needs Lightning.'],
    on: ['* * LN_UNAVAILABLE'],
  },
  'service.rests': {
    says: [
      'A state rule for `service` with MAINTENANCE: MAINTENANCE_MODE for every request.',
      'With any other state: SERVICE_UNAVAILABLE.',
    ],
    on: ['* * MAINTENANCE_MODE', '* * SERVICE_UNAVAILABLE'],
  },
  'payments.conflict': {
    says: [
      'A state rule for `payment` with PROCESSING_CONFLICT: executing is refused with this code.',
      'The quote stays as it was.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.events': {
    says: [
      'payment.created comes first, then payment.updated.',
      'Both come also where the response shows a settled payment.',
      'More than 100 PENDING payments: TOO_MANY_TRANSACTIONS.',
    ],
    on: ['PATCH /v1/payment-quotes/* ok', 'PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: [
      'A payment to another account is booked for both in one step.',
      'Where the currencies are the same the exact amount is paid.',
    ],
    money: true,
  },
  'lnurl.names': {
    says: [
      'There are ada, ben and lost at wallet.example, and each handle at sandbox.invalid.',
      'A handle responds with an invoice. Others: 404 NOT_FOUND.',
    ],
    on: ['* /v1/payment-quotes/lightning/lnurl* *'],
  },
  'payments.travel-rule': {
    says: ['With the option travelRule destinationType is required, else INVALID_DATA.'],
  },
  'receive-requests.terms': {
    says: [
      'A receive request lives an hour where no expiry is given.',
      'A BOLT11 text is paid once, then LN_INVOICE_PROCESSED.',
      'An address is paid any number of times, with any amount.',
    ],
    on: ['POST /v1/receive-request ok'],
  },
  'receives.terms': {
    says: [
      'A receive is converted at the rate of its credit; on the chain it takes ten minutes.',
      'One that is seen before its credit makes receive-pending.',
      'One whose payment fails leaves nothing.',
    ],
    money: true,
  },
  'logins.lives': {
    says: [
      'Codes live 60 s and work once; access tokens live an hour.',
      'Refresh tokens live 30 days, and each refresh replaces them.',
      'A code or refresh token that comes twice ends all tokens of its login.',
    ],
  },
  'logins.rules': {
    says: [
      'PKCE is required.',
      'Id tokens and access tokens are signed with a secret of the sandbox.',
      'Users agree at once; requests count towards no limit.',
    ],
  },
} as const;
