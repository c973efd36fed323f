/** Assumed of exchanges, banks and accounts. */
export const assumedOfBanks = {
  'exchanges.life': {
    says: ['An exchange quote lives 30 s.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
  },
  'exchanges.fee': {
    says: ['The fee is 0.5 % of what is sold, rounded up.'],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
  },
  'exchanges.inside': {
    says: ['An INCLUSIVE fee is part of source.'],
    money: true,
  },
  'exchanges.outcome': {
    says: ['An exchange is COMPLETED a second after it was executed.'],
    money: true,
  },
  'exchanges.failed': { says: ['An exchange that fails gives everything back.'], money: true },
  'exchanges.lowest': {
    says: ['Less than 0.01 or 0.000001 BTC: CURRENCY_EXCHANGE_AMOUNT_TOO_LOW.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_AMOUNT_TOO_LOW'],
  },
  'exchanges.pairs': {
    says: ['One currency twice: CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED.'],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED'],
  },
  'exchanges.currencies': {
    says: ['One that the service does not have: CURRENCY_UNSUPPORTED.'],
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
  'bank-methods.outcome': { says: ['A bank method is READY after 3 s.'] },
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
  'bank-methods.bic': { says: ['A BIC that is not given is NOTPROVIDED.'] },
  'bank-methods.unready': {
    says: ['PENDING, SUSPENDED: PAYMENT_METHOD_NOT_READY.'],
    on: ['* * PAYMENT_METHOD_NOT_READY'],
  },
  'bank-methods.unfit': {
    says: ['INVALID, INACTIVE: INVALID_PAYMENT_METHOD.'],
    on: ['* * INVALID_PAYMENT_METHOD'],
  },
  'banks.removed-twice': {
    says: ['What was removed is not removed again: NOT_FOUND.'],
    on: ['DELETE /v1/payment-methods/* NOT_FOUND', 'DELETE /v1/payout-originators/* NOT_FOUND'],
  },
  'originators.outcome': { says: ['An originator is APPROVED after 5 s.'] },
  'originators.birth': {
    says: ['Only individuals have a date of birth.'],
    on: ['POST /v1/payout-originators INVALID_DATA'],
  },
  'payouts.checks': {
    says: ['Method and originator are checked at creation and initiation.'],
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok'],
  },
  'payouts.fees': {
    says: ['The fee of a payout goes by its transfer type.'],
    money: true,
    on: ['POST /v1/payouts ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
  },
  'payouts.outcome': {
    says: ['A payout is COMPLETED 2 s after it was initiated.'],
    money: true,
  },
  'payouts.bsb': { says: ['References of BSB have at most 18 characters.'] },
  'payouts.failed': {
    says: ['A payout that fails before it was sent gives the fee back.'],
    money: true,
  },
  'payouts.returned': {
    says: ['A payout that fails or is REVERSED later keeps the fee.'],
    money: true,
  },
  'deposits.fee': {
    says: ['A deposit that is not by ACH has a fee of 0.1 %.'],
    money: true,
    on: ['POST /v1/deposits* AMOUNT_TOO_LOW'],
  },
  'deposits.begin': { says: ['A deposit that is not by ACH is created NEW.'] },
  'deposits.arrival': { says: ['A deposit that is NEW is PENDING after a second.'], money: true },
  'deposits.outcome': {
    says: ['A deposit that is not by ACH is COMPLETED two seconds after it is PENDING.'],
    money: true,
  },
  'deposits.reason': { says: ['A deposit that fails has DECLINED_BY_BANK.'] },
  'deposits.failed': { says: ['A deposit that fails gives the fee back.'], money: true },
  'deposits.returned': {
    says: ['A deposit that is REVERSED keeps the fee; the balance may be negative.'],
    money: true,
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
    says: ['Over an allowed amount, alone or in sum: AMOUNT_TOO_HIGH.'],
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
    says: ['The own profile is found though private.'],
  },
} as const;
