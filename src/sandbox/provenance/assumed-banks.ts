/** Assumed of exchanges, banks and accounts. */
export const assumedOfBanks = {
  'exchanges.terms': {
    says: [
      '30 s. Fee: 0.5 % of what is sold, rounded up; INCLUSIVE: in source.',
      'COMPLETED after a second; FAILED gives everything back.',
    ],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
  },
  'exchanges.refusals': {
    says: [
      'Less than 0.01 or 0.000001 BTC: CURRENCY_EXCHANGE_AMOUNT_TOO_LOW.',
      'One currency twice: CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED.',
      'One that the service does not have: CURRENCY_UNSUPPORTED.',
    ],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_*'],
  },
  'rates.pairs': {
    says: [
      'A rate for each pair of currencies. A state rule for `rates` with UNAVAILABLE:',
      'EXCHANGE_RATE_NOT_AVAILABLE for new exchange quotes.',
    ],
    money: true,
    on: ['GET /v1/rates/ticker ok', '* * EXCHANGE_RATE_NOT_AVAILABLE'],
  },
  'bank-methods.forms': {
    says: [
      'READY after 3 s; wire and BSB are for withdrawals only.',
      'An ACH number of zeros: PLAID_LINKING_FAILED, after five in ten minutes TOO_MANY_ATTEMPTS.',
      'Numbers by transfer type; a BIC that is not given is NOTPROVIDED.',
    ],
    on: ['POST /v1/payment-methods/bank *'],
  },
  'bank-methods.fitness': {
    says: [
      'PENDING, SUSPENDED: PAYMENT_METHOD_NOT_READY. INVALID, INACTIVE: INVALID_PAYMENT_METHOD.',
      'A deposit by a method without it: UNSUPPORTED_PAYMENT_METHOD. Removed twice: NOT_FOUND.',
    ],
    on: [
      '* * PAYMENT_METHOD_NOT_READY',
      '* * INVALID_PAYMENT_METHOD',
      '* * UNSUPPORTED_PAYMENT_METHOD',
    ],
  },
  'originators.review': {
    says: ['APPROVED after 5 s. Only individuals have a date of birth.'],
    on: ['POST /v1/payout-originators *'],
  },
  'payouts.terms': {
    says: [
      'Method and originator are checked at creation and initiation. Fees by transfer type.',
      'COMPLETED after 2 s; references of BSB have at most 18 characters.',
    ],
    money: true,
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
  },
  'payouts.returns': {
    says: ['FAILED before it was sent gives the fee back; FAILED or REVERSED later does not.'],
    money: true,
  },
  'deposits.terms': {
    says: [
      'Fee: 0.1 %, none by ACH. ACH is created PENDING,',
      'others NEW, PENDING after a second, COMPLETED after two more.',
      'FAILED has DECLINED_BY_BANK.',
    ],
    money: true,
    on: ['POST /v1/deposits* ok', 'POST /v1/deposits* AMOUNT_TOO_LOW'],
  },
  'deposits.returns': {
    says: ['FAILED gives the fee back. REVERSED does not; the balance may be negative.'],
    money: true,
  },
  'accounts.allowances': {
    says: [
      'Over 10 deposits in 7 days (5 by ACH): DEPOSIT_LIMIT_EXCEEDED.',
      'Over 50 payouts a day: TOO_MANY_TRANSACTIONS.',
      "Over an amount, alone or in sum: AMOUNT_TOO_HIGH. In the account's default currency.",
    ],
    on: [
      'PATCH /v1/payouts/* TOO_MANY_TRANSACTIONS',
      '* * DEPOSIT_LIMIT_EXCEEDED',
      'PATCH /v1/payouts/* AMOUNT_TOO_HIGH',
      'POST /v1/deposits AMOUNT_TOO_HIGH',
      'GET /v1/accounts/limits ok',
    ],
  },
  'accounts.ready': {
    says: [
      'An account that is not ready: ACCOUNT_NOT_READY for every request.',
      'Profiles list all currencies of the service. The own one is found though private.',
    ],
    on: ['* * ACCOUNT_NOT_READY'],
  },
} as const;
