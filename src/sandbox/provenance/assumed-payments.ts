/** Assumed of invoices, events, payments and logins. */
export const assumedOfPayments = {
  'invoices.one-payer': {
    says: ['One payer settles an invoice.'],
    money: true,
    on: [
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_PAID',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_REVERSED',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_CANCELLED',
      '* /v1/payment-quotes/* PROCESSING_PAYMENT',
    ],
  },
  'events.unsubscribed': {
    says: ['Without a subscription deliverySuccess is false.'],
    on: ['GET /v1/events* ok'],
  },
  'events.order': { says: ['Events are newest first where no order is asked.'] },
  'events.verdict': {
    says: ['deliverySuccess is true when every subscriber has the event, and false until then.'],
    on: ['GET /v1/events* ok'],
  },
  'subscriptions.over': {
    says: ['A 51st subscription: UNPROCESSABLE_ENTITY.'],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY'],
  },
  'subscriptions.words': {
    says: ['Event types and versions that are not known: INVALID_DATA.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'subscriptions.addresses': {
    says: ['Addresses may repeat; http is for loopback only.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: ['Each attempt uses the present address, version and secret.'],
  },
  'deliveries.ended': { says: ['Deleting or disabling a subscription ends its retries.'] },
  'deliveries.redirects': { says: ['Redirects are failures.'] },
  'deliveries.order': { says: ['The first attempt follows its event at once.'] },
  'invoices.returned': {
    says: ['The money of a REVERSED invoice goes back; the balance may be negative.'],
    money: true,
  },
  'invoices.sides': {
    says: ['Issuer and receiver read an invoice for a handle and get its events.'],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'invoices.handles': {
    says: ['Unknown or private handle: 404 NOT_FOUND.'],
    on: ['POST /v1/invoices/handle/* NOT_FOUND'],
  },
  'invoices.receivers': {
    says: ['An account that cannot receive: INVALID_RECIPIENT.'],
    on: ['* * INVALID_RECIPIENT'],
  },
  'payment-quotes.life': {
    says: ['A payment quote lives 60 s.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.rate': {
    says: ['conversionRate is the price of bitcoin in the currency that is spent.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.rounding': {
    says: ['Debits are rounded up, credits down.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.msat': {
    says: ['A part of a satoshi is paid as a whole one.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.keys': {
    says: ['An idempotency key names one payment quote of any kind.'],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.balance': {
    says: ['The balance is checked when quoted and when executed.'],
    money: true,
    on: ['POST /v1/payment-quotes/* BALANCE_TOO_LOW', 'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW'],
  },
  'payment-quotes.currency': {
    says: ['An amount in a currency that the account does not have: CURRENCY_UNSUPPORTED.'],
    on: ['POST /v1/payment-quotes/* CURRENCY_UNSUPPORTED'],
  },
  'payment-quotes.lowest': {
    says: ['What leaves nothing to send: AMOUNT_TOO_LOW.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* AMOUNT_TOO_LOW'],
  },
  'payment-quotes.routes': {
    says: ['A BOLT11 text of no wallet here, or without a route: LN_ROUTE_NOT_FOUND.'],
    on: ['* /v1/payment-quotes/* LN_ROUTE_NOT_FOUND'],
  },
  'payment-quotes.late': {
    says: ['A BOLT11 text that has expired: INVALID_STATE_FOR_INVOICE_EXPIRED.'],
    on: ['* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_EXPIRED'],
  },
  'payment-quotes.network': {
    says: ['activeNetwork is testnet.'],
    on: ['* /v1/payment-quotes/* INVALID_LN_INVOICE'],
  },
  'payments.fees': {
    says: ['Lightning takes a satoshi and a thousandth, rounded up; the chain what the tier says.'],
    money: true,
  },
  'onchain.terms': {
    says: ['There are tiers of 10, 60 and 1,440 minutes.'],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* ok'],
  },
  'onchain.lowest': {
    says: ["Less than 546 satoshi or the tier's least: AMOUNT_TOO_LOW."],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* AMOUNT_TOO_LOW'],
  },
  'onchain.addresses': {
    says: ['A text that is no address of the test network: INVALID_BITCOIN_ADDRESS.'],
    on: ['POST /v1/payment-quotes/onchain* INVALID_BITCOIN_ADDRESS'],
  },
  'onchain.outcome': {
    says: ['A payment on the chain is COMPLETED after the minutes of its tier.'],
    money: true,
  },
  'payments.checks': {
    says: ['Executing checks first `processed`, then `expired`, then `balance`; see `firstCheck`.'],
    money: true,
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
      'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW',
    ],
  },
  'payments.used': {
    says: ['A payment that failed has used its quote up.'],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
  },
  'payments.rewards': {
    says: ['A reward is the part that the option of the account sets, rounded down, at the end.'],
    money: true,
  },
  'lightning.away': {
    says: ['A state rule for `lightning`: LN_UNAVAILABLE for everything that needs Lightning.'],
    on: ['* * LN_UNAVAILABLE'],
  },
  'service.maintenance': {
    says: ['A state rule for `service` with MAINTENANCE: MAINTENANCE_MODE.'],
    on: ['* * MAINTENANCE_MODE'],
  },
  'service.away': {
    says: ['A state rule for `service` with another state: SERVICE_UNAVAILABLE.'],
    on: ['* * SERVICE_UNAVAILABLE'],
  },
  'payments.conflict': {
    says: [
      'A state rule for `payment` with PROCESSING_CONFLICT refuses executing; the quote stays.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.both-events': {
    says: ['A payment that is settled at once makes both events.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
  },
  'payments.most': {
    says: ['Over 100 PENDING payments: TOO_MANY_TRANSACTIONS.'],
    on: ['PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: ['A payment to another account is booked in one step, without a fee.'],
    money: true,
  },
  'lnurl.names': {
    says: ['ada, ben and lost at wallet.example take money, and each handle at sandbox.invalid.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* ok'],
  },
  'lnurl.nowhere': {
    says: ['A Lightning address that leads nowhere: 404 NOT_FOUND.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* NOT_FOUND'],
  },
  'lnurl.invoices': {
    says: ['A payment to the name of an account makes an invoice there when it begins.'],
  },
  'receive-requests.life': {
    says: ['A BOLT11 text of a request lives an hour where no expiry is given.'],
  },
  'receive-requests.once': { says: ['A BOLT11 text of a request is paid once.'], money: true },
  'receive-requests.reuse': {
    says: ['An address is paid any number of times, with any amount.'],
    money: true,
  },
  'receives.terms': {
    says: ['A receive is credited at the rate of the moment, rounded down.'],
    money: true,
  },
  'receives.outcome': { says: ['A receive on the chain is confirmed after ten minutes.'] },
  'receives.failed': { says: ['A receive whose payment fails leaves nothing.'], money: true },
  'logins.codes': { says: ['Codes live 60 s and work once.'] },
  'logins.lives': { says: ['Access tokens live an hour, refresh tokens 30 days; these rotate.'] },
  'logins.twice': { says: ['A code or refresh token that comes twice ends its login.'] },
  'logins.rules': { says: ['PKCE is required; users agree at once.'] },
  'logins.limits': { says: ['Requests of logins count towards no limit.'] },
} as const;
