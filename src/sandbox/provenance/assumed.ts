/**
 * Our best guesses, each possibly wrong. Where the service's description leaves something open, a
 * program must work with each alternative in `or`. `usual` is the value for `says`.
 */
export const assumed = {
  // Requests, lists and amounts.
  'filters.cost': {
    says: ['More than 16 comparisons, with each member of an `in`: INVALID_DATA_QUERY.'],
  },
  'filters.orders': { says: ['Only times are compared by order, everything else by equality.'] },
  'requests.line': {
    says: ['A request line of more than 8,192 bytes: INVALID_DATA_QUERY.'],
  },
  'queries.names': {
    says: ['A GET refuses unknown names in its query: INVALID_DATA_QUERY.'],
  },
  'lists.bounds': {
    says: ['$top above 100 or below 1: INVALID_DATA_QUERY.'],
    usual: 'refused',
    or: { most: '$top above 100 gives 100 items.', fifty: 'A page has at most 50 items.' },
  },
  'lists.page': {
    says: ['Without $top a page has 50 items.'],
    usual: '50',
    or: {
      '20': 'Without $top a page has 20 items.',
      '100': 'Without $top a page has 100 items.',
    },
  },
  'filters.case': {
    says: ['Names and keywords are case-sensitive, with blanks or tabs around them.'],
  },
  'filters.times': { says: ['Digits of a time after the sixth are ignored.'] },
  'lists.count': {
    says: ['The count is exact; isCountUnknown is false.'],
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
    usual: 'exact',
    or: { unknown: 'The service does not count: isCountUnknown is true.' },
  },
  'reads.lag': {
    says: ['Reads show every change at once.'],
    usual: 'none',
    or: { second: 'Reads show the state of a second ago.' },
  },
  'filters.texts': {
    says: ['Texts are compared exactly.'],
    usual: 'exact',
    or: { 'any-case': 'Texts are compared without case.' },
  },
  'filters.ids': { says: ['Ids are compared without case, with quotes or without.'] },
  'receives.odata': {
    says: ['Receives take $filter with receiveId, bolt11Invoice, paymentHash and the like.'],
    usual: 'taken',
    or: { refused: '$filter of receives: INVALID_DATA_QUERY.' },
  },
  'payments.id': {
    says: ['Reading a payment by an id that is not a UUID: INVALID_DATA with the parameter.'],
    usual: 'refused',
    or: { 'not-found': 'Reading a payment by an id that is not a UUID: 404 NOT_FOUND.' },
  },
  'filters.depth': { says: ['More than 32 levels of parentheses: INVALID_DATA_QUERY.'] },
  'routes.unknown': {
    says: ['An unknown path or method: 404 NOT_FOUND, before the credential is checked.'],
    usual: 'first',
    or: {
      credential: 'An unknown path or method: 404 NOT_FOUND, after the credential is checked.',
    },
  },
  'requests.checks': {
    says: ['The credential and its scope are checked before query and body.'],
    usual: 'credential',
    or: { data: 'Query and body are checked before the credential and its scope.' },
  },
  'others.not-found': {
    says: ['A resource of another account: 404 NOT_FOUND.'],
    usual: '404',
    or: { '403': 'A resource of another account: 403 FORBIDDEN.' },
  },
  'limits.refused': {
    says: ['Refused requests count too.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'count',
    or: { free: 'Refused requests do not count.' },
  },
  'limits.fixed': {
    says: ['Requests during a block do not lengthen it.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'fixed',
    or: { extended: 'Each request during a block makes the block begin again.' },
  },
  'limits.unit': {
    says: ['retry-after is in seconds.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'seconds',
    or: { date: 'retry-after is an HTTP date.' },
  },
  'bodies.json': { says: ['A body that is not JSON: INVALID_DATA.'] },
  'bodies.type': { says: ['Another content type: INVALID_DATA.'] },
  'responses.form': {
    says: ['Responses repeat the sent values, and have a body only if one is published.'],
    usual: 'as-sent',
    or: {
      normalised:
        'Accounts are masked, texts cut, accents dropped, amounts rounded; members and bodies are added.',
    },
  },
  'amounts.digits': {
    says: ['Amounts with more digits than their currency: INVALID_DATA.'],
    money: true,
  },
  'amounts.zero': {
    says: ['An amount of zero: INVALID_AMOUNT.'],
    money: true,
    on: ['* * INVALID_AMOUNT'],
  },
  'amounts.highest': {
    says: ['Over 1,000,000 or 20 BTC: AMOUNT_TOO_HIGH.'],
    money: true,
    on: ['* * AMOUNT_TOO_HIGH'],
  },
  'amounts.own-currencies': {
    says: ['A currency that the account does not have: USER_CURRENCY_UNAVAILABLE.'],
    on: ['* * USER_CURRENCY_UNAVAILABLE'],
  },
  'amounts.currencies': {
    says: ['A currency that the service does not have: INVALID_DATA_CURRENCY.'],
  },
  'invoice-quotes.plain': {
    says: ['A quote in bitcoin lives an hour.'],
    money: true,
    usual: 'hour',
    or: {
      'half-minute': 'A quote in bitcoin lives 30 s.',
      day: 'A quote in bitcoin lives a day.',
    },
  },
  'invoice-quotes.rounding': {
    says: ['A quote is in whole satoshi, rounded up.'],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
    usual: 'up',
    or: {
      nearest: 'A quote is in whole satoshi, rounded to the nearest, but at least one.',
      down: 'A quote is in whole satoshi, rounded down, but at least one.',
    },
  },
  'rates.step': {
    says: ['Rates are valid for ten seconds.'],
    money: true,
    on: ['GET /v1/rates/ticker ok'],
    usual: '10-s',
    or: { second: 'Rates are valid for a second.', minute: 'Rates are valid for a minute.' },
  },

  // Exchanges, banks and accounts.
  'exchanges.life': {
    says: ['An exchange quote lives 30 s.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
    usual: '30-s',
    or: { '15-s': 'An exchange quote lives 15 s.', hour: 'An exchange quote lives an hour.' },
  },
  'exchanges.fee': {
    says: ['The fee is 0.5 % of the sold amount, rounded up.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
    usual: '0.5-percent',
    or: {
      none: 'An exchange has no fee.',
      '0.9-percent': 'The fee is 0.9 % of the sold amount, rounded up.',
    },
  },
  'exchanges.inside': {
    says: ['An INCLUSIVE fee is part of source.'],
    money: true,
    usual: 'source',
    or: {
      target: 'An INCLUSIVE fee is part of target, in its currency: target less the fee arrives.',
      apart: 'An INCLUSIVE fee is part of neither: source plus the fee is the requested amount.',
    },
  },
  'exchanges.on-top': {
    says: ['An EXCLUSIVE fee comes on top of source.'],
    money: true,
    usual: 'apart',
    or: { source: 'An EXCLUSIVE fee is added to source, so source is the whole debit.' },
  },
  'exchanges.outcome': {
    says: ['An exchange is COMPLETED a second after it was executed.'],
    money: true,
    usual: 'second',
    or: {
      'at-once': 'An exchange is COMPLETED when it is executed.',
      hour: 'An exchange is COMPLETED an hour after it was executed.',
    },
  },
  'exchanges.failed': {
    says: ['A failed exchange gives everything back.'],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': 'A failed exchange keeps the fee.' },
  },
  'exchanges.lowest': {
    says: ['Less than 0.01 or 0.000001 BTC: CURRENCY_EXCHANGE_AMOUNT_TOO_LOW.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_AMOUNT_TOO_LOW'],
  },
  'exchanges.pairs': {
    says: ['The same currency twice: CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED'],
  },
  'exchanges.currencies': {
    says: ['A currency that the service does not have: CURRENCY_UNSUPPORTED.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_UNSUPPORTED'],
  },
  'rates.pairs': {
    says: ['There is a rate for each pair of currencies.'],
    money: true,
    on: ['GET /v1/rates/ticker ok'],
  },
  'rates.away': {
    says: ['A state rule for `rates` with UNAVAILABLE: EXCHANGE_RATE_NOT_AVAILABLE.'],
    on: ['* * EXCHANGE_RATE_NOT_AVAILABLE'],
  },
  'bank-methods.outcome': {
    says: ['A bank method is READY after 3 s.'],
    usual: '3-s',
    or: {
      'at-once': 'A bank method is created READY, which causes no second event.',
      day: 'A bank method is READY after a day.',
    },
  },
  'bank-methods.actions': {
    says: ['Wire and BSB are for withdrawals only.'],
    on: ['POST /v1/payment-methods/bank ok', '* * UNSUPPORTED_PAYMENT_METHOD'],
  },
  'bank-methods.linking': {
    says: ['An ACH number of zeros: PLAID_LINKING_FAILED.'],
    on: ['POST /v1/payment-methods/bank PLAID_LINKING_FAILED'],
  },
  'bank-methods.attempts': {
    says: ['Linking after five failures in ten minutes: TOO_MANY_ATTEMPTS.'],
    on: ['POST /v1/payment-methods/bank TOO_MANY_ATTEMPTS'],
  },
  'bank-methods.numbers': {
    says: ['Numbers have the form of their transfer type.'],
    on: ['POST /v1/payment-methods/bank ok', 'POST /v1/payment-methods/bank INVALID_DATA'],
  },
  'bank-methods.bic': { says: ['A missing BIC is NOTPROVIDED.'] },
  'bank-methods.unready': {
    says: ['PENDING, SUSPENDED: PAYMENT_METHOD_NOT_READY.'],
    on: ['* * PAYMENT_METHOD_NOT_READY'],
  },
  'bank-methods.unfit': {
    says: ['INVALID, INACTIVE: INVALID_PAYMENT_METHOD.'],
    on: ['* * INVALID_PAYMENT_METHOD'],
  },
  'banks.removed-twice': {
    says: ['Removing something a second time: NOT_FOUND.'],
    on: ['DELETE /v1/payment-methods/* NOT_FOUND', 'DELETE /v1/payout-originators/* NOT_FOUND'],
    usual: '404',
    or: { '204': 'Removing something a second time: 204.' },
  },
  'originators.outcome': {
    says: ['An originator is APPROVED after 5 s.'],
    usual: '5-s',
    or: {
      'at-once': 'An originator is created APPROVED, which causes no second event.',
      day: 'An originator is APPROVED after a day.',
    },
  },
  'originators.birth': {
    says: ['Only individuals have a date of birth.'],
    on: ['POST /v1/payout-originators INVALID_DATA'],
  },
  'payouts.checks': {
    says: ['Method and originator are checked at creation and initiation.'],
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
    usual: 'both',
    or: { initiation: 'Method and originator are checked at initiation, not at creation.' },
  },
  'payouts.fees': {
    says: ['The fee of a payout depends on its transfer type.'],
    money: true,
    on: ['POST /v1/payouts ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
    usual: 'by-type',
    or: { none: 'A payout has no fee.', percent: 'The fee of a payout is a percent, rounded up.' },
  },
  'payouts.outcome': {
    says: ['A payout is COMPLETED 2 s after it was initiated.'],
    money: true,
    usual: '2-s',
    or: {
      'at-once': 'A payout is COMPLETED when it is initiated.',
      days: 'A payout is COMPLETED two days after it was initiated.',
    },
  },
  'payouts.bsb': { says: ['References of BSB have at most 18 characters.'] },
  'payouts.failed': {
    says: ['A payout that fails before it was sent gives the fee back.'],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': 'A payout that fails before it was sent keeps the fee.' },
  },
  'payouts.returned': {
    says: ['A payout that fails or is REVERSED later keeps the fee.'],
    money: true,
    usual: 'fee-kept',
    or: { 'all-back': 'A payout that fails or is REVERSED later gives the fee back.' },
  },
  'deposits.fee': {
    says: ['A deposit without ACH has a fee of 0.1 %.'],
    money: true,
    on: ['POST /v1/deposits* AMOUNT_TOO_LOW'],
    usual: 'thousandth',
    or: {
      none: 'A deposit without ACH has no fee.',
      fixed: 'A deposit without ACH has a fee of 0.25.',
    },
  },
  'deposits.rounding': {
    says: ['The fee of a deposit is rounded up.'],
    money: true,
    usual: 'up',
    or: {
      down: 'The fee of a deposit is rounded down.',
      nearest: 'The fee of a deposit is rounded to the nearest.',
    },
  },
  'deposits.begin': {
    says: ['A deposit without ACH is created NEW.'],
    usual: 'new',
    or: {
      pending: 'A deposit without ACH is created PENDING.',
      completed: 'A deposit without ACH is created COMPLETED, which causes no event.',
    },
  },
  'deposits.arrival': { says: ['A NEW deposit is PENDING after a second.'], money: true },
  'deposits.outcome': {
    says: ['A deposit without ACH is COMPLETED two seconds after it is PENDING.'],
    money: true,
    usual: '2-s',
    or: { hour: 'A deposit without ACH is COMPLETED an hour after it is PENDING.' },
  },
  'deposits.reason': { says: ['A failed deposit has DECLINED_BY_BANK.'] },
  'deposits.failed': {
    says: ['A failed deposit gives the fee back.'],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': 'A failed deposit keeps the fee.' },
  },
  'deposits.returned': {
    says: ['A REVERSED deposit keeps the fee, and the balance may be negative.'],
    money: true,
    usual: 'fee-kept',
    or: { 'all-back': 'A REVERSED deposit gives the fee back.' },
  },
  'accounts.deposits': {
    says: ['Over 10 deposits in 7 days (5 by ACH): DEPOSIT_LIMIT_EXCEEDED.'],
    on: ['* * DEPOSIT_LIMIT_EXCEEDED', 'GET /v1/accounts/limits ok'],
  },
  'accounts.payouts': {
    says: ['Over 50 payouts a day: TOO_MANY_TRANSACTIONS.'],
    on: ['PATCH /v1/payouts/* TOO_MANY_TRANSACTIONS', 'GET /v1/accounts/limits ok'],
  },
  'accounts.amounts': {
    says: ['Above an allowed amount, alone or in total: AMOUNT_TOO_HIGH.'],
    on: ['PATCH /v1/payouts/* AMOUNT_TOO_HIGH', 'POST /v1/deposits AMOUNT_TOO_HIGH'],
  },
  'accounts.limit-currency': {
    says: ["Limits are counted in the account's default currency."],
    on: ['GET /v1/accounts/limits ok'],
  },
  'accounts.ready': {
    says: ['An account that is not ready: ACCOUNT_NOT_READY for every request.'],
    on: ['* * ACCOUNT_NOT_READY'],
  },
  'accounts.currencies': {
    says: ['Profiles list all currencies of the service.'],
    on: ['GET /v1/accounts/*profile ok'],
  },
  'accounts.own': {
    says: ['An account finds its own profile, even a private one.'],
  },

  // Invoices, events, payments and logins.
  'invoices.checks': {
    says: ['The amount of an invoice is checked before its correlationId.'],
    usual: 'amount',
    or: { correlation: 'A used correlationId is refused before the amount is checked.' },
  },
  'keys.checks': {
    says: ['A used idempotency key is refused before all other checks.'],
    usual: 'first',
    or: { last: 'A used idempotency key is refused after all other checks.' },
  },
  'keys.kept': {
    says: ['A used idempotency key is kept for good, on every replica.'],
    money: true,
    usual: 'kept',
    or: {
      ignored: 'Idempotency keys are ignored, so a used one creates something new.',
      'quarter-hour': 'An idempotency key is forgotten within a quarter of an hour.',
    },
  },
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
    usual: 'false',
    or: { true: 'Without a subscription deliverySuccess is true.' },
  },
  'invoices.events': {
    says: ['Each state of an invoice causes an event, even PENDING.'],
    usual: 'each',
    or: { settled: 'An invoice that becomes PENDING causes no event; any other change does.' },
  },
  'events.repeats': {
    says: ['A change causes one event.'],
    usual: 'once',
    or: { twice: 'A change of a state causes two events, which differ in their ids.' },
  },
  'events.lag': {
    says: ['An event is in the list together with its change.'],
    usual: 'none',
    or: {
      seconds: 'An event is in the list two seconds after its change.',
      '10-min': 'An event is in the list ten minutes after its change.',
    },
  },
  'events.verdict': {
    says: ['deliverySuccess is true when every subscriber has the event, and false until then.'],
    on: ['GET /v1/events* ok'],
  },
  'subscriptions.over': {
    says: ['A 51st subscription: UNPROCESSABLE_ENTITY.'],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY'],
  },
  'subscriptions.words': {
    says: ['Unknown event types and versions: INVALID_DATA.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'subscriptions.addresses': {
    says: ['Addresses may repeat; http is for loopback only.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: ['Each attempt uses the current address, version and secret.'],
  },
  'deliveries.ended': { says: ['Deleting or disabling a subscription ends its retries.'] },
  'deliveries.redirects': { says: ['Redirects are failures.'] },
  'deliveries.repeats': {
    says: ['Each attempt of a delivery arrives once.'],
    usual: 'once',
    or: { twice: 'Each attempt of a delivery arrives twice.' },
  },
  'deliveries.order': {
    says: ['The first attempt follows its event at once.'],
    usual: 'at-once',
    or: { mixed: 'The first attempt follows within two seconds; later events may be earlier.' },
  },
  'invoices.returned': {
    says: ['The money of a REVERSED invoice goes back, and the balance may be negative.'],
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
    usual: '60-s',
    or: { '15-s': 'A payment quote lives 15 s.', hour: 'A payment quote lives an hour.' },
  },
  'payment-quotes.rate': {
    says: ['conversionRate is the price of bitcoin in the spent currency.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.rounding': {
    says: ['Debits are rounded up, credits down.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
    usual: 'up-and-down',
    or: { nearest: 'Debits and credits are rounded to the nearest.' },
  },
  'payment-quotes.msat': {
    says: ['A fraction of a satoshi is paid as a whole one.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.keys': {
    says: ['An idempotency key names one payment quote of any kind.'],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
    usual: 'any-kind',
    or: { kind: 'An idempotency key names one payment quote of each kind.' },
  },
  'payment-quotes.balance': {
    says: ['The balance is checked when quoted and when executed.'],
    money: true,
    on: ['POST /v1/payment-quotes/* BALANCE_TOO_LOW', 'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW'],
    usual: 'both',
    or: { execution: 'The balance is checked when a quote is executed, not when it is made.' },
  },
  'payment-quotes.currency': {
    says: ['An amount in a currency that the account does not have: CURRENCY_UNSUPPORTED.'],
    on: ['POST /v1/payment-quotes/* CURRENCY_UNSUPPORTED'],
  },
  'payment-quotes.lowest': {
    says: ['An amount that leaves nothing to send: AMOUNT_TOO_LOW.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* AMOUNT_TOO_LOW'],
  },
  'payment-quotes.routes': {
    says: ['A BOLT11 text of an unknown wallet, or without a route: LN_ROUTE_NOT_FOUND.'],
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
    says: ["Lightning costs a satoshi plus 0.1 %, rounded up, and on-chain costs the tier's fee."],
    money: true,
    usual: 'thousandth',
    or: {
      none: "Lightning is free, and on-chain costs the tier's fee.",
      percent:
        "Lightning costs ten satoshi plus 1 %, rounded up, and on-chain costs the tier's fee.",
    },
  },
  'onchain.terms': {
    says: ['There are tiers of 10, 60 and 1,440 minutes.'],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* ok'],
    usual: 'low',
    or: { high: 'There are tiers of 10, 60 and 1,440 minutes, at ten times the fee.' },
  },
  'onchain.lowest': {
    says: ["Less than 546 satoshi or the tier's minimum: AMOUNT_TOO_LOW."],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* AMOUNT_TOO_LOW'],
  },
  'onchain.addresses': {
    says: ['A text that is not an address of the test network: INVALID_BITCOIN_ADDRESS.'],
    on: ['POST /v1/payment-quotes/onchain* INVALID_BITCOIN_ADDRESS'],
  },
  'onchain.outcome': {
    says: ['An on-chain payment is COMPLETED after the minutes of its tier.'],
    money: true,
  },
  'payments.checks': {
    says: ['Executing checks first `processed`, then `expired`, then `balance`.'],
    money: true,
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
      'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW',
    ],
    usual: 'processed',
    or: {
      expired: 'Executing checks first `expired`, then `processed`, then `balance`.',
      balance: 'Executing checks first `balance`, then `processed`, then `expired`.',
    },
  },
  'payments.used': {
    says: ['A failed payment has used up its quote.'],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
    usual: 'used',
    or: { again: 'A quote whose payment failed can be executed again.' },
  },
  'payments.rewards': {
    says: ["A reward is the share in the account's option, rounded down, at the end."],
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
      'A state rule for `payment` with PROCESSING_CONFLICT refuses the execution and keeps the quote.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.both-events': {
    says: ['A payment that settles at once causes both events.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
    usual: 'both',
    or: { created: 'A payment that settles at once causes only payment.created.' },
  },
  'payments.most': {
    says: ['Over 100 PENDING payments: TOO_MANY_TRANSACTIONS.'],
    on: ['PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: ['A payment to another account is booked in one step, without a fee.'],
    money: true,
    usual: 'free',
    or: { fee: 'A payment to another account has the usual fee.' },
  },
  'lnurl.names': {
    says: ['ada, ben and lost at wallet.example can be paid, and each handle at sandbox.invalid.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* ok'],
  },
  'lnurl.nowhere': {
    says: ['A Lightning address that leads nowhere: 404 NOT_FOUND.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* NOT_FOUND'],
  },
  'lnurl.invoices': {
    says: ["A payment to an account's name creates an invoice there when it starts."],
  },
  'receive-requests.life': {
    says: ['A BOLT11 text of a request lives an hour if no expiry is given.'],
    usual: 'hour',
    or: { day: 'A BOLT11 text of a request lives a day if no expiry is given.' },
  },
  'receive-requests.once': { says: ['A BOLT11 text of a request is paid once.'], money: true },
  'receive-requests.reuse': {
    says: ['An address is paid any number of times, with any amount.'],
    money: true,
  },
  'receives.terms': {
    says: ['A receive is credited at the current rate, rounded down.'],
    money: true,
    usual: 'down',
    or: {
      nearest: 'A receive is credited at the current rate, rounded to the nearest.',
      up: 'A receive is credited at the current rate, rounded up.',
    },
  },
  'receives.outcome': {
    says: ['An on-chain receive is confirmed after ten minutes.'],
    usual: '10-min',
    or: { hour: 'An on-chain receive is confirmed after an hour.' },
  },
  'receives.failed': { says: ['A receive disappears if its payment fails.'], money: true },
  'logins.codes': { says: ['Codes live 60 s and work once.'] },
  'logins.lives': { says: ['Access tokens live an hour, refresh tokens 30 days; these rotate.'] },
  'logins.twice': { says: ['A code or refresh token that is used twice ends its login.'] },
  'logins.rules': { says: ['PKCE is required; users agree at once.'] },
  'logins.limits': { says: ['Login requests count towards no limit.'] },
} as const;
