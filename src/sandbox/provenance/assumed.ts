/** Our best guess; each may be wrong. */
export const assumed = {
  'filters.cost': {
    says: 'filters: at most 16 comparisons, each member of an `in` counts; more is INVALID_DATA_QUERY',
  },
  'requests.line': { says: 'a request line over 8,192 bytes: 414 without the envelope' },
  'lists.pages': { says: '$top above 100 or below 1: INVALID_DATA_QUERY; without $top 50 items' },
  'filters.case': {
    says: 'filters: names and words in the case that is published; ids in either case; blanks and tabs between words, no other white space',
  },
  'filters.times': {
    says: 'filters: times are compared with the seven digits that are stored; digits beyond them are cut; an absent field matches nothing',
  },
  'lists.count': {
    says: 'lists: count is exact; isCountUnknown only where a fault says so',
    on: [
      'GET /v1/invoices ok',
      'GET /v1/events ok',
      'GET /v1/payouts ok',
      'GET /v1/deposits ok',
      'GET /v1/payout-originators ok',
      'GET /v1/payment-methods/bank ok',
      'GET /v1/receive-requests ok',
      'GET /v1/receive-requests/*receives ok',
    ],
  },
  faults: {
    says: 'what a fault changes is no fact of the service; its books stay as they would be without',
  },
  'lists.order': { says: 'lists: newest first where no order is asked' },
  'filters.texts': {
    says: 'filters: texts in single quotes and compared exactly with eq and in; times bare; ids either way; 32 levels of parentheses',
  },
  'routes.unknown': {
    says: 'unknown route or method: 404 without the envelope, before the credential is looked at; counts as others',
  },
  'others.not-found': { says: 'a resource of another account: 404 NOT_FOUND with values.id' },
  'limits.counting': {
    says: 'requests that are refused count towards the limits; those during a block do not lengthen it; retry-after in seconds',
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'bodies.bad': {
    says: 'a body that is not JSON: INVALID_DATA; a body of another content type: 415 without the envelope',
  },
  'amounts.digits': {
    says: 'amounts: printed with the digits of their currency; more digits are INVALID_DATA, zero is INVALID_AMOUNT',
    money: true,
    on: ['* * INVALID_AMOUNT'],
  },
  'amounts.highest': {
    says: 'amounts: at most 1,000,000 or 20 BTC, else AMOUNT_TOO_HIGH',
    money: true,
    on: ['* * AMOUNT_TOO_HIGH'],
  },
  'amounts.currencies': {
    says: 'a currency that the account does not take: USER_CURRENCY_UNAVAILABLE; one that the service does not name: INVALID_DATA_CURRENCY',
    on: ['* * USER_CURRENCY_UNAVAILABLE'],
  },
  'invoice-quotes.rates': {
    says: 'quotes: an hour where the invoice is in BTC; whole satoshi, rounded up; rates hold for ten seconds',
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'exchanges.terms': {
    says: 'exchanges: quotes live 30 s; a fee of 0.5 % of what is sold, rounded up; INCLUSIVE: the fee is part of source; COMPLETED after a second; FAILED gives all back',
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
  },
  'exchanges.refusals': {
    says: 'exchanges: at least 0.01 or 0.000001 BTC, else CURRENCY_EXCHANGE_AMOUNT_TOO_LOW; one currency twice: _PAIR_NOT_SUPPORTED; one that the service does not name: CURRENCY_UNSUPPORTED',
    on: ['POST /v1/currency-exchange-quotes CURRENCY_*'],
  },
  'rates.pairs': {
    says: 'rates: every currency against every other; a state rule for `rates` with the state UNAVAILABLE: EXCHANGE_RATE_NOT_AVAILABLE for new exchange quotes',
    money: true,
    on: ['GET /v1/rates/ticker ok', '* * EXCHANGE_RATE_NOT_AVAILABLE'],
  },
  'bank-methods.forms': {
    says: 'bank methods: READY after 3 s; wire and BSB are for withdrawals only; an ACH account number of zeros: PLAID_LINKING_FAILED, after five of them in ten minutes TOO_MANY_ATTEMPTS; forms of numbers by transfer type; a BIC that is not given is NOTPROVIDED',
    on: ['POST /v1/payment-methods/bank *'],
  },
  'bank-methods.fitness': {
    says: 'bank methods: PENDING and SUSPENDED are PAYMENT_METHOD_NOT_READY, INVALID and INACTIVE are INVALID_PAYMENT_METHOD, a deposit by a method without it is UNSUPPORTED_PAYMENT_METHOD; removed twice: NOT_FOUND',
    on: [
      '* * PAYMENT_METHOD_NOT_READY',
      '* * INVALID_PAYMENT_METHOD',
      '* * UNSUPPORTED_PAYMENT_METHOD',
    ],
  },
  'originators.review': {
    says: 'originators: APPROVED after 5 s; a date of birth is for individuals',
    on: ['POST /v1/payout-originators *'],
  },
  'payouts.terms': {
    says: 'payouts: method and originator are looked at when it is made and when it is initiated; fixed fees by transfer type; COMPLETED after 2 s; references of BSB at most 18 characters',
    money: true,
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
  },
  'payouts.returns': {
    says: 'payouts: FAILED before it has left gives the fee back, FAILED and REVERSED after that do not',
    money: true,
  },
  'deposits.terms': {
    says: 'deposits: 0.1 % but nothing by ACH; born PENDING by ACH, else NEW, PENDING after a second and COMPLETED after two more; DECLINED_BY_BANK where it has failed',
    money: true,
    on: ['POST /v1/deposits* ok', 'POST /v1/deposits* AMOUNT_TOO_LOW'],
  },
  'deposits.returns': {
    says: 'deposits: FAILED gives the fee back; REVERSED keeps it and may leave less than nothing',
    money: true,
  },
  'accounts.allowances': {
    says: "limits: 10 deposits in 7 days (5 by ACH), else DEPOSIT_LIMIT_EXCEEDED; 50 payouts a day, else TOO_MANY_TRANSACTIONS; amounts at once and in all, else AMOUNT_TOO_HIGH; counted in the account's own currency",
    on: [
      'PATCH /v1/payouts/* TOO_MANY_TRANSACTIONS',
      '* * DEPOSIT_LIMIT_EXCEEDED',
      'PATCH /v1/payouts/* AMOUNT_TOO_HIGH',
      'POST /v1/deposits AMOUNT_TOO_HIGH',
      'GET /v1/accounts/limits ok',
    ],
  },
  'accounts.ready': {
    says: 'accounts: one that is not ready answers ACCOUNT_NOT_READY to everything; profiles list all currencies of the service; the own profile is found though it is private',
    on: ['* * ACCOUNT_NOT_READY'],
  },
  'invoices.one-payer': {
    says: 'one invoice is settled by one payer; an older quote can be paid until its own end',
    money: true,
    on: [
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_*',
      '* /v1/payment-quotes/* PROCESSING_PAYMENT',
    ],
  },
  'events.order': {
    says: 'events: without a subscription deliverySuccess is false; default order newest first',
  },
  'events.verdict': {
    says: 'events: deliverySuccess is true where every subscriber has it, false where one never will',
  },
  'subscriptions.limits': {
    says: 'subscriptions: a 51st is UNPROCESSABLE_ENTITY; unknown event types and versions are INVALID_DATA; addresses may repeat; http for this machine',
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY', '* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: 'deliveries: each attempt uses address, version and secret as they are then; a deleted or disabled subscription ends its retries',
  },
  'deliveries.redirects': {
    says: 'deliveries: redirects are not followed and count as failures; several go on at once, over the real network one after the other',
  },
  'deliveries.order': {
    says: 'deliveries: the first attempt follows the event without a pause; what is due together goes by event id and subscription id',
  },
  'invoices.reversed': {
    says: 'invoices: PAID can become REVERSED; its money goes back and may leave a debt',
    money: true,
  },
  'invoices.others-terms': {
    says: 'invoices for a handle: both sides see them and hear of them; an unknown or private handle: 404 NOT_FOUND; an account that takes nothing: INVALID_RECIPIENT',
    on: ['POST /v1/invoices/handle/* *'],
  },
  'payment-quotes.terms': {
    says: 'payment quotes: 60 s; conversionRate is that of bitcoin; debits are rounded up, credits down; a part of a satoshi is paid as a whole one',
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.keys': {
    says: 'payment quotes: one key names one quote of the account, whatever its kind; a refused request uses no key up',
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
  },
  'payment-quotes.balance': {
    says: 'payment quotes: the balance is looked at when quoted and when executed; a currency of the amount that the account does not have: CURRENCY_UNSUPPORTED',
    money: true,
    on: [
      'POST /v1/payment-quotes/* BALANCE_TOO_LOW',
      'POST /v1/payment-quotes/* CURRENCY_UNSUPPORTED',
      'POST /v1/payment-quotes/* AMOUNT_TOO_LOW',
    ],
  },
  'payment-quotes.routes': {
    says: 'payment quotes: a BOLT11 text that nobody of this world wrote, or one marked so: LN_ROUTE_NOT_FOUND; an ended one: INVALID_STATE_FOR_INVOICE_EXPIRED; activeNetwork is testnet',
    on: [
      '* /v1/payment-quotes/* LN_ROUTE_NOT_FOUND',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_EXPIRED',
      '* /v1/payment-quotes/* INVALID_RECIPIENT',
    ],
  },
  'payments.fees': {
    says: 'fees: Lightning takes a satoshi and a thousandth, rounded up; the chain takes what its tier says; accounts pay each other without',
    money: true,
  },
  'onchain.terms': {
    says: "on-chain: three tiers of 10, 60 and 1,440 minutes; less than 546 satoshi or the tier's least: AMOUNT_TOO_LOW; COMPLETED after the minutes of the tier",
    money: true,
    on: [
      'POST /v1/payment-quotes/onchain* ok',
      'POST /v1/payment-quotes/onchain AMOUNT_TOO_LOW',
      'POST /v1/payment-quotes/onchain* INVALID_BITCOIN_ADDRESS',
    ],
  },
  'payments.checks': {
    says: 'executing: processed is looked at before expired, and that before the balance; an option changes it; a payment that failed has used its quote up',
    money: true,
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
      'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW',
    ],
  },
  'payments.rewards': {
    says: 'rewards: none, or the part that an option of the account says, rounded down, with the end of the payment',
    money: true,
  },
  'lightning.away': {
    says: 'Lightning: LN_UNAVAILABLE for all that needs it while a state rule for `lightning` says so',
    on: ['* * LN_UNAVAILABLE'],
  },
  'service.rests': {
    says: 'service: a state rule for `service` with the state MAINTENANCE: MAINTENANCE_MODE, with any other SERVICE_UNAVAILABLE, for everything',
    on: ['* * MAINTENANCE_MODE', '* * SERVICE_UNAVAILABLE'],
  },
  'payments.conflict': {
    says: 'executing: PROCESSING_CONFLICT where a state rule for `payment` says so; the quote is as it was',
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.events': {
    says: 'payments: always payment.created first, then payment.updated, also where the answer shows the end; a hundred PENDING at most, else TOO_MANY_TRANSACTIONS',
    on: ['PATCH /v1/payment-quotes/* ok', 'PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: 'payments to another account: both sides are booked in one step; the exact amount where the currencies are the same',
    money: true,
  },
  'lnurl.names': {
    says: 'LNURL: ada, ben and lost at wallet.example, and every handle at sandbox.invalid, which answers with an invoice; others: 404 NOT_FOUND',
    on: ['* /v1/payment-quotes/lightning/lnurl* *'],
  },
  'payments.travel-rule': {
    says: 'travel rule: an account that has it must name destinationType, else INVALID_DATA',
  },
  'receive-requests.terms': {
    says: 'receive requests: an hour where no expiry is named; a BOLT11 text is paid once, else LN_INVOICE_PROCESSED; an address any number of times, with any amount',
    on: ['POST /v1/receive-request ok'],
  },
  'receives.terms': {
    says: 'receives: converted at the rate of the credit, ten minutes on the chain; receive-pending where it is seen before it is credited; one that comes back leaves nothing',
    money: true,
  },
  'logins.lives': {
    says: 'logins: codes live 60 s and work once, refresh tokens rotate and live 30 days, access tokens an hour; what comes twice ends all that came of one login',
  },
  'logins.rules': {
    says: 'logins: PKCE is demanded; id tokens and access tokens are signed with a secret of the sandbox; users say yes at once; requests count towards no limit',
  },
} as const;
