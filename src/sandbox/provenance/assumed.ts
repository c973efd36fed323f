/**
 * Our best guesses about undocumented behavior. Each one may be wrong, so a correct program also
 * works with every alternative in `or`. `usual` is the name of the alternative that `says`
 * describes.
 */
export const assumed = {
  // Assumptions about requests, lists and amounts.
  'filters.cost': {
    says: [
      'A filter with over 16 comparisons, counting each value of an `in`, returns INVALID_DATA_QUERY.',
    ],
  },
  'filters.orders': {
    says: [
      'Only time fields support ordering operators, and all other fields only support equality.',
    ],
  },
  'requests.line': {
    says: ['A request line over 8,192 bytes returns INVALID_DATA_QUERY.'],
  },
  'queries.names': {
    says: ['Unknown query parameters of a GET return INVALID_DATA_QUERY.'],
  },
  'lists.bounds': {
    says: ['A $top above 100 or below 1 returns INVALID_DATA_QUERY.'],
    usual: 'refused',
    or: { most: 'A $top above 100 returns 100 items.', fifty: 'A page has at most 50 items.' },
  },
  'lists.page': {
    says: ['By default, a page has 50 items.'],
    usual: '50',
    or: {
      '20': 'By default, a page has 20 items.',
      '100': 'By default, a page has 100 items.',
    },
  },
  'filters.case': {
    says: ['Names and keywords in filters are case-sensitive and separated by spaces or tabs.'],
  },
  'filters.times': { says: ['Fractions of a second in filters are truncated to six digits.'] },
  'lists.count': {
    says: ['The count of a list is exact, and isCountUnknown is false.'],
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
    or: { unknown: 'Lists have no count, and isCountUnknown is true.' },
  },
  'reads.lag': {
    says: ['Reads reflect every change immediately.'],
    usual: 'none',
    or: { second: 'Reads reflect every change after one second.' },
  },
  'filters.texts': {
    says: ['Filters compare strings with regard to case.'],
    usual: 'exact',
    or: { 'any-case': 'Filters compare strings without regard to case.' },
  },
  'filters.ids': { says: ['IDs are compared without regard to case, with or without quotes.'] },
  'receives.odata': {
    says: ['Receives support $filter on receiveId, bolt11Invoice, paymentHash and similar fields.'],
    usual: 'taken',
    or: { refused: 'Using $filter on receives returns INVALID_DATA_QUERY.' },
  },
  'payments.id': {
    says: ["A payment id that isn't a UUID returns INVALID_DATA and names the parameter."],
    usual: 'refused',
    or: { 'not-found': "A payment id that isn't a UUID returns 404 NOT_FOUND." },
  },
  'filters.depth': { says: ['More than 32 nested parentheses return INVALID_DATA_QUERY.'] },
  'routes.unknown': {
    says: ['An unknown path or method returns 404 NOT_FOUND, even without a valid credential.'],
    usual: 'first',
    or: {
      credential: 'An unknown path or method returns 404 NOT_FOUND only after authentication.',
    },
  },
  'requests.checks': {
    says: ['The credential and its scope are checked before the query and body.'],
    usual: 'credential',
    or: { data: 'The query and body are checked before the credential and its scope.' },
  },
  'others.not-found': {
    says: ["Another account's resource returns 404 NOT_FOUND."],
    usual: '404',
    or: { '403': "Another account's resource returns 403 FORBIDDEN." },
  },
  'limits.refused': {
    says: ['Rejected requests count toward the limit.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'count',
    or: { free: `Rejected requests don't count toward the limit.` },
  },
  'limits.fixed': {
    says: [`Requests during a block don't extend it.`],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'fixed',
    or: { extended: 'Each request during a block restarts it.' },
  },
  'limits.unit': {
    says: ['The retry-after header is a number of seconds.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
    usual: 'seconds',
    or: { date: 'The retry-after header is an HTTP date.' },
  },
  'bodies.json': { says: ["A body that isn't JSON returns INVALID_DATA."] },
  'bodies.type': { says: ['An unsupported content type returns INVALID_DATA.'] },
  'responses.form': {
    says: ['Responses echo the values sent, and only have a body if one is documented.'],
    usual: 'as-sent',
    or: {
      normalised:
        'Account numbers are masked, strings are cut and lose accents, amounts are rounded, and extra fields and bodies appear.',
    },
  },
  'amounts.digits': {
    says: ['Amounts with too many decimal places return INVALID_DATA.'],
    money: true,
  },
  'amounts.zero': {
    says: ['A zero amount returns INVALID_AMOUNT.'],
    money: true,
    on: ['* * INVALID_AMOUNT'],
  },
  'amounts.highest': {
    says: ['Amounts over 1,000,000 or 20 BTC return AMOUNT_TOO_HIGH.'],
    money: true,
    on: ['* * AMOUNT_TOO_HIGH'],
  },
  'amounts.own-currencies': {
    says: ["A currency that the account doesn't hold returns USER_CURRENCY_UNAVAILABLE."],
    on: ['* * USER_CURRENCY_UNAVAILABLE'],
  },
  'amounts.currencies': {
    says: ["A currency that the service doesn't support returns INVALID_DATA_CURRENCY."],
  },
  'invoice-quotes.plain': {
    says: ['A quote in bitcoin is valid for an hour.'],
    money: true,
    usual: 'hour',
    or: {
      'half-minute': 'A quote in bitcoin is valid for 30 s.',
      day: 'A quote in bitcoin is valid for a day.',
    },
  },
  'invoice-quotes.rounding': {
    says: ['Quotes are rounded up to whole satoshis.'],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
    usual: 'up',
    or: {
      nearest: 'Quotes are rounded to the nearest satoshi, with a minimum of one.',
      down: 'Quotes are rounded down to whole satoshis, with a minimum of one.',
    },
  },
  'rates.step': {
    says: ['Rates are valid for ten seconds.'],
    money: true,
    on: ['GET /v1/rates/ticker ok'],
    usual: '10-s',
    or: { second: 'Rates are valid for one second.', minute: 'Rates are valid for a minute.' },
  },

  // Assumptions about exchanges, banks and accounts.
  'exchanges.life': {
    says: ['An exchange quote is valid for 30 s.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
    usual: '30-s',
    or: {
      '15-s': 'An exchange quote is valid for 15 s.',
      hour: 'An exchange quote is valid for an hour.',
    },
  },
  'exchanges.fee': {
    says: ['The fee is 0.5% of the amount sold, rounded up.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
    usual: '0.5-percent',
    or: {
      none: 'Exchanges have no fee.',
      '0.9-percent': 'The fee is 0.9% of the amount sold, rounded up.',
    },
  },
  'exchanges.inside': {
    says: ['An INCLUSIVE fee is included in `source`.'],
    money: true,
    usual: 'source',
    or: {
      target: 'An INCLUSIVE fee is deducted from `target`, in the currency of `target`.',
      apart:
        'Neither `source` nor `target` includes an INCLUSIVE fee, so `source` plus the fee is the requested amount.',
    },
  },
  'exchanges.on-top': {
    says: ['An EXCLUSIVE fee is charged on top of `source`.'],
    money: true,
    usual: 'apart',
    or: { source: 'An EXCLUSIVE fee is included in `source`, so `source` is the full debit.' },
  },
  'exchanges.outcome': {
    says: ['An exchange is COMPLETED one second after execution.'],
    money: true,
    usual: 'second',
    or: {
      'at-once': 'An exchange is COMPLETED on execution.',
      hour: 'An exchange is COMPLETED one hour after execution.',
    },
  },
  'exchanges.failed': {
    says: ['A failed exchange is fully refunded.'],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': 'A failed exchange is refunded without its fee.' },
  },
  'exchanges.lowest': {
    says: ['Amounts below 0.01 or 0.000001 BTC return CURRENCY_EXCHANGE_AMOUNT_TOO_LOW.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_AMOUNT_TOO_LOW'],
  },
  'exchanges.pairs': {
    says: ['Exchanging a currency for itself returns CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED'],
  },
  'exchanges.currencies': {
    says: ["A currency that the service doesn't support returns CURRENCY_UNSUPPORTED."],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_UNSUPPORTED'],
  },
  'rates.pairs': {
    says: ['Every pair of currencies has a rate.'],
    money: true,
    on: ['GET /v1/rates/ticker ok'],
  },
  'rates.away': {
    says: ['If `rates` is UNAVAILABLE, requests return EXCHANGE_RATE_NOT_AVAILABLE.'],
    on: ['* * EXCHANGE_RATE_NOT_AVAILABLE'],
  },
  'bank-methods.outcome': {
    says: ['A bank method becomes READY after 3 s.'],
    usual: '3-s',
    or: {
      'at-once': 'A new bank method is READY right away, and triggers no second event.',
      day: 'A bank method becomes READY after a day.',
    },
  },
  'bank-methods.actions': {
    says: ['Bank methods for wire and BSB only support withdrawals.'],
    on: ['POST /v1/payment-methods/bank ok', '* * UNSUPPORTED_PAYMENT_METHOD'],
  },
  'bank-methods.linking': {
    says: ['An ACH account number of all zeros returns PLAID_LINKING_FAILED.'],
    on: ['POST /v1/payment-methods/bank PLAID_LINKING_FAILED'],
  },
  'bank-methods.attempts': {
    says: ['After five failures in ten minutes, linking a bank account returns TOO_MANY_ATTEMPTS.'],
    on: ['POST /v1/payment-methods/bank TOO_MANY_ATTEMPTS'],
  },
  'bank-methods.numbers': {
    says: ['Account numbers must match the format of their transfer type.'],
    on: ['POST /v1/payment-methods/bank ok', 'POST /v1/payment-methods/bank INVALID_DATA'],
  },
  'bank-methods.bic': { says: ['A missing BIC is shown as NOTPROVIDED.'] },
  'bank-methods.unready': {
    says: ['A PENDING or SUSPENDED bank method returns PAYMENT_METHOD_NOT_READY.'],
    on: ['* * PAYMENT_METHOD_NOT_READY'],
  },
  'bank-methods.unfit': {
    says: ['An INVALID or INACTIVE bank method returns INVALID_PAYMENT_METHOD.'],
    on: ['* * INVALID_PAYMENT_METHOD'],
  },
  'banks.removed-twice': {
    says: ['Removing a bank method or originator twice returns NOT_FOUND.'],
    on: ['DELETE /v1/payment-methods/* NOT_FOUND', 'DELETE /v1/payout-originators/* NOT_FOUND'],
    usual: '404',
    or: { '204': 'Removing a bank method or originator twice returns 204.' },
  },
  'originators.outcome': {
    says: ['An originator is APPROVED after 5 s.'],
    usual: '5-s',
    or: {
      'at-once': 'A new originator is APPROVED right away, and triggers no second event.',
      day: 'An originator is APPROVED after a day.',
    },
  },
  'originators.birth': {
    says: ['Only individual originators have a date of birth.'],
    on: ['POST /v1/payout-originators INVALID_DATA'],
  },
  'payouts.checks': {
    says: ['The bank method and the originator are checked at creation and initiation.'],
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
    usual: 'both',
    or: {
      initiation: 'The bank method and the originator are checked at initiation, not at creation.',
    },
  },
  'payouts.fees': {
    says: ['Payout fees depend on the transfer type.'],
    money: true,
    on: ['POST /v1/payouts ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
    usual: 'by-type',
    or: { none: 'Payouts have no fee.', percent: 'Payout fees are a percentage, rounded up.' },
  },
  'payouts.outcome': {
    says: ['A payout is COMPLETED 2 s after initiation.'],
    money: true,
    usual: '2-s',
    or: {
      'at-once': 'A payout is COMPLETED on initiation.',
      days: 'A payout is COMPLETED two days after initiation.',
    },
  },
  'payouts.bsb': { says: ['BSB references have at most 18 characters.'] },
  'payouts.failed': {
    says: ["If a payout fails before it's sent, its fee is refunded."],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': "If a payout fails before it's sent, its fee isn't refunded." },
  },
  'payouts.returned': {
    says: ["If a payout fails or is REVERSED later, its fee isn't refunded."],
    money: true,
    usual: 'fee-kept',
    or: { 'all-back': 'If a payout fails or is REVERSED later, its fee is refunded.' },
  },
  'deposits.fee': {
    says: ['Non-ACH deposits have a fee of 0.1%.'],
    money: true,
    on: ['POST /v1/deposits* AMOUNT_TOO_LOW'],
    usual: 'thousandth',
    or: {
      none: 'Non-ACH deposits have no fee.',
      fixed: 'Non-ACH deposits have a fee of 0.25.',
    },
  },
  'deposits.rounding': {
    says: ['Deposit fees are rounded up.'],
    money: true,
    usual: 'up',
    or: {
      down: 'Deposit fees are rounded down.',
      nearest: 'Deposit fees are rounded to the nearest cent.',
    },
  },
  'deposits.begin': {
    says: ['Non-ACH deposits start out NEW.'],
    usual: 'new',
    or: {
      pending: 'Non-ACH deposits start out PENDING.',
      completed: 'Non-ACH deposits start out COMPLETED and trigger no event.',
    },
  },
  'deposits.arrival': { says: ['A NEW deposit becomes PENDING after a second.'], money: true },
  'deposits.outcome': {
    says: ['Non-ACH deposits are PENDING for two seconds, then COMPLETED.'],
    money: true,
    usual: '2-s',
    or: { hour: 'Non-ACH deposits are PENDING for an hour, then COMPLETED.' },
  },
  'deposits.reason': { says: ['A failed deposit has the reason DECLINED_BY_BANK.'] },
  'deposits.failed': {
    says: ['If a deposit fails, its fee is refunded.'],
    money: true,
    usual: 'all-back',
    or: { 'fee-kept': "If a deposit fails, its fee isn't refunded." },
  },
  'deposits.returned': {
    says: ["If a deposit is REVERSED, its fee isn't refunded, and the balance may go negative."],
    money: true,
    usual: 'fee-kept',
    or: { 'all-back': 'If a deposit is REVERSED, its fee is refunded.' },
  },
  'accounts.deposits': {
    says: ['More than 10 deposits (5 by ACH) in 7 days return DEPOSIT_LIMIT_EXCEEDED.'],
    on: ['* * DEPOSIT_LIMIT_EXCEEDED', 'GET /v1/accounts/limits ok'],
  },
  'accounts.payouts': {
    says: ['More than 50 payouts a day return TOO_MANY_TRANSACTIONS.'],
    on: ['PATCH /v1/payouts/* TOO_MANY_TRANSACTIONS', 'GET /v1/accounts/limits ok'],
  },
  'accounts.amounts': {
    says: ['Exceeding an amount limit, at once or in total, returns AMOUNT_TOO_HIGH.'],
    on: ['PATCH /v1/payouts/* AMOUNT_TOO_HIGH', 'POST /v1/deposits AMOUNT_TOO_HIGH'],
  },
  'accounts.limit-currency': {
    says: [`Amount limits are counted in the account's default currency.`],
    on: ['GET /v1/accounts/limits ok'],
  },
  'accounts.ready': {
    says: ["If an account isn't ready, every request returns ACCOUNT_NOT_READY."],
    on: ['* * ACCOUNT_NOT_READY'],
  },
  'accounts.currencies': {
    says: ['Profiles list every currency that the service supports.'],
    on: ['GET /v1/accounts/*profile ok'],
  },
  'accounts.own': {
    says: ["An account can read its own profile, even if it's private."],
  },

  // Assumptions about invoices, events, payments and logins.
  'invoices.checks': {
    says: ["An invoice's amount is checked before its correlationId."],
    usual: 'amount',
    or: { correlation: 'A reused correlationId is rejected before the amount is checked.' },
  },
  'keys.checks': {
    says: ['A reused idempotency key is rejected before any other check.'],
    usual: 'first',
    or: { last: 'A reused idempotency key is rejected only after all other checks pass.' },
  },
  'keys.kept': {
    says: ['Idempotency keys are remembered forever, on every replica.'],
    money: true,
    usual: 'kept',
    or: {
      ignored: 'Idempotency keys are ignored, so reusing one creates something new.',
      'quarter-hour': 'Idempotency keys are forgotten within 15 minutes.',
    },
  },
  'invoices.one-payer': {
    says: ['Each invoice is paid by a single payer.'],
    money: true,
    on: [
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_PAID',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_REVERSED',
      '* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_CANCELLED',
      '* /v1/payment-quotes/* PROCESSING_PAYMENT',
    ],
  },
  'events.unsubscribed': {
    says: ['Without a subscription, deliverySuccess is false.'],
    on: ['GET /v1/events* ok'],
    usual: 'false',
    or: { true: 'Without a subscription, deliverySuccess is true.' },
  },
  'invoices.events': {
    says: ['Every state change of an invoice triggers an event, even PENDING.'],
    usual: 'each',
    or: { settled: 'Every state change of an invoice triggers an event, except PENDING.' },
  },
  'events.repeats': {
    says: ['Each change triggers one event.'],
    usual: 'once',
    or: { twice: 'Each state change triggers two events with different ids.' },
  },
  'events.lag': {
    says: ['An event appears in lists as soon as its change is visible.'],
    usual: 'none',
    or: {
      seconds: 'An event appears in lists two seconds after the change it reports.',
      '10-min': 'An event appears in lists ten minutes after the change it reports.',
    },
  },
  'events.verdict': {
    says: ['deliverySuccess is false until every subscriber has received the event.'],
    on: ['GET /v1/events* ok'],
  },
  'subscriptions.over': {
    says: ['A 51st subscription returns UNPROCESSABLE_ENTITY.'],
    on: ['POST /v1/subscriptions UNPROCESSABLE_ENTITY'],
  },
  'subscriptions.words': {
    says: ['Unknown event types and versions return INVALID_DATA.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'subscriptions.addresses': {
    says: ['Subscriptions may share a URL, and http is only allowed on localhost.'],
    on: ['* /v1/subscriptions* INVALID_DATA'],
  },
  'deliveries.current': {
    says: ['Each webhook delivery uses the current URL, version and secret.'],
  },
  'deliveries.ended': { says: ['Deleting or disabling a subscription stops its retries.'] },
  'deliveries.redirects': { says: ['A webhook delivery fails with a redirect.'] },
  'deliveries.repeats': {
    says: ['Each webhook delivery arrives once.'],
    usual: 'once',
    or: { twice: 'Each webhook delivery arrives twice.' },
  },
  'deliveries.order': {
    says: ['Events are delivered immediately.'],
    usual: 'at-once',
    or: { mixed: 'Events are delivered within two seconds and may arrive out of order.' },
  },
  'invoices.returned': {
    says: ['A REVERSED invoice is refunded, and the balance may go negative.'],
    money: true,
  },
  'invoices.sides': {
    says: [
      'The issuer and the receiver of an invoice for a handle can both read it and get its events.',
    ],
    on: ['POST /v1/invoices/handle/* ok'],
  },
  'invoices.handles': {
    says: ['An unknown or private handle returns 404 NOT_FOUND.'],
    on: ['POST /v1/invoices/handle/* NOT_FOUND'],
  },
  'invoices.receivers': {
    says: ["An account that can't receive returns INVALID_RECIPIENT."],
    on: ['* * INVALID_RECIPIENT'],
  },
  'payment-quotes.life': {
    says: ['A payment quote is valid for 60 s.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
    usual: '60-s',
    or: {
      '15-s': 'A payment quote is valid for 15 s.',
      hour: 'A payment quote is valid for an hour.',
    },
  },
  'payment-quotes.rate': {
    says: ['conversionRate is the bitcoin price in the currency you spend.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
  },
  'payment-quotes.rounding': {
    says: ['Debits are rounded up, and credits are rounded down.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* ok', 'POST /v1/payment-quotes/onchain ok'],
    usual: 'up-and-down',
    or: { nearest: 'Debits and credits are rounded to the nearest cent or satoshi.' },
  },
  'payment-quotes.msat': {
    says: ['Fractions of a satoshi are rounded up when paid.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning ok'],
  },
  'payment-quotes.keys': {
    says: ['An idempotency key can only be used for one payment quote.'],
    on: ['POST /v1/payment-quotes/* DUPLICATE_PAYMENT_QUOTE'],
    usual: 'any-kind',
    or: { kind: 'An idempotency key can be used once for each kind of payment quote.' },
  },
  'payment-quotes.balance': {
    says: ["The balance is checked when a payment is quoted and when it's executed."],
    money: true,
    on: ['POST /v1/payment-quotes/* BALANCE_TOO_LOW', 'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW'],
    usual: 'both',
    or: { execution: 'The balance is only checked when a quote is executed.' },
  },
  'payment-quotes.currency': {
    says: ["An amount in a currency that the account doesn't hold returns CURRENCY_UNSUPPORTED."],
    on: ['POST /v1/payment-quotes/* CURRENCY_UNSUPPORTED'],
  },
  'payment-quotes.lowest': {
    says: ['An amount that leaves nothing to send returns AMOUNT_TOO_LOW.'],
    money: true,
    on: ['POST /v1/payment-quotes/lightning* AMOUNT_TOO_LOW'],
  },
  'payment-quotes.routes': {
    says: [
      'A BOLT11 invoice from an unknown wallet, or without a route, returns LN_ROUTE_NOT_FOUND.',
    ],
    on: ['* /v1/payment-quotes/* LN_ROUTE_NOT_FOUND'],
  },
  'payment-quotes.late': {
    says: ['An expired BOLT11 invoice returns INVALID_STATE_FOR_INVOICE_EXPIRED.'],
    on: ['* /v1/payment-quotes/* INVALID_STATE_FOR_INVOICE_EXPIRED'],
  },
  'payment-quotes.network': {
    says: ['The service uses testnet as its activeNetwork.'],
    on: ['* /v1/payment-quotes/* INVALID_LN_INVOICE'],
  },
  'payments.fees': {
    says: [
      "Lightning costs one satoshi plus 0.1%, rounded up, and on-chain payments cost the tier's fee.",
    ],
    money: true,
    usual: 'thousandth',
    or: {
      none: "Lightning is free, and on-chain payments cost the tier's fee.",
      percent:
        "Lightning costs ten satoshis plus 1%, rounded up, and on-chain payments cost the tier's fee.",
    },
  },
  'onchain.terms': {
    says: ['The on-chain tiers deliver in 10, 60 and 1,440 minutes.'],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* ok'],
    usual: 'low',
    or: { high: 'The on-chain tiers deliver in 10, 60 and 1,440 minutes, at ten times the fee.' },
  },
  'onchain.lowest': {
    says: ["Less than 546 satoshis or the tier's minimum returns AMOUNT_TOO_LOW."],
    money: true,
    on: ['POST /v1/payment-quotes/onchain* AMOUNT_TOO_LOW'],
  },
  'onchain.addresses': {
    says: ['Anything but a testnet address returns INVALID_BITCOIN_ADDRESS.'],
    on: ['POST /v1/payment-quotes/onchain* INVALID_BITCOIN_ADDRESS'],
  },
  'onchain.outcome': {
    says: ["An on-chain payment is COMPLETED after its tier's delivery time."],
    money: true,
  },
  'payments.checks': {
    says: ['On execution, `processed` is checked first, then `expired`, then `balance`.'],
    money: true,
    on: [
      'PATCH /v1/payment-quotes/* PAYMENT_PROCESSED',
      'PATCH /v1/payment-quotes/* PAYMENT_QUOTE_EXPIRED',
      'PATCH /v1/payment-quotes/* BALANCE_TOO_LOW',
    ],
    usual: 'processed',
    or: {
      expired: 'On execution, `expired` is checked first, then `processed`, then `balance`.',
      balance: 'On execution, `balance` is checked first, then `processed`, then `expired`.',
    },
  },
  'payments.used': {
    says: ['A failed payment uses up its quote.'],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PAYMENT_PROCESSED'],
    usual: 'used',
    or: { again: 'If a payment fails, its quote can be executed again.' },
  },
  'payments.rewards': {
    says: ["Rewards are paid on completion, at the account's configured rate, rounded down."],
    money: true,
  },
  'lightning.away': {
    says: ['If `lightning` has any state, requests that need Lightning return LN_UNAVAILABLE.'],
    on: ['* * LN_UNAVAILABLE'],
  },
  'service.maintenance': {
    says: ['If `service` is MAINTENANCE, requests return MAINTENANCE_MODE.'],
    on: ['* * MAINTENANCE_MODE'],
  },
  'service.away': {
    says: ['If `service` has any other state, requests return SERVICE_UNAVAILABLE.'],
    on: ['* * SERVICE_UNAVAILABLE'],
  },
  'payments.conflict': {
    says: [
      'If `payment` is PROCESSING_CONFLICT, executing a quote is rejected, and the quote stays valid.',
    ],
    money: true,
    on: ['PATCH /v1/payment-quotes/* PROCESSING_CONFLICT'],
  },
  'payments.both-events': {
    says: ['A payment that settles immediately triggers payment.created and payment.updated.'],
    on: ['PATCH /v1/payment-quotes/* ok'],
    usual: 'both',
    or: { created: 'A payment that settles immediately triggers only payment.created.' },
  },
  'payments.most': {
    says: ['More than 100 PENDING payments return TOO_MANY_TRANSACTIONS.'],
    on: ['PATCH /v1/payment-quotes/* TOO_MANY_TRANSACTIONS'],
  },
  'payments.inside': {
    says: ['Payments between accounts settle in one step, without a fee.'],
    money: true,
    usual: 'free',
    or: { fee: 'Payments between accounts have the usual fee.' },
  },
  'lnurl.names': {
    says: ['You can pay ada, ben and lost at wallet.example, and every handle at sandbox.invalid.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* ok'],
  },
  'lnurl.nowhere': {
    says: ['An unknown Lightning address returns 404 NOT_FOUND.'],
    on: ['* /v1/payment-quotes/lightning/lnurl* NOT_FOUND'],
  },
  'lnurl.invoices': {
    says: ["A payment to an account's handle creates an invoice there when it starts."],
  },
  'receive-requests.life': {
    says: ["A receive request's BOLT11 invoice expires after an hour by default."],
    usual: 'hour',
    or: { day: "A receive request's BOLT11 invoice expires after a day by default." },
  },
  'receive-requests.once': {
    says: ["A receive request's BOLT11 invoice can be paid once."],
    money: true,
  },
  'receive-requests.reuse': {
    says: ['An address can receive any number of payments of any amount.'],
    money: true,
  },
  'receives.terms': {
    says: ['Receives are credited at the current rate, rounded down.'],
    money: true,
    usual: 'down',
    or: {
      nearest: 'Receives are credited at the current rate, rounded to the nearest cent or satoshi.',
      up: 'Receives are credited at the current rate, rounded up.',
    },
  },
  'receives.outcome': {
    says: ['An on-chain receive is confirmed after ten minutes.'],
    usual: '10-min',
    or: { hour: 'An on-chain receive is confirmed after an hour.' },
  },
  'receives.failed': {
    says: ['If the payment fails, its receive disappears.'],
    money: true,
  },
  'logins.codes': { says: ['Authorization codes expire after 60 s and work once.'] },
  'logins.lives': {
    says: [
      'Access tokens expire after an hour, and refresh tokens expire after 30 days and rotate.',
    ],
  },
  'logins.twice': { says: ['Reusing an authorization code or a refresh token ends the login.'] },
  'logins.rules': { says: ['PKCE is required, and users give consent immediately.'] },
  'logins.limits': { says: ["Login requests aren't rate-limited."] },
} as const;
