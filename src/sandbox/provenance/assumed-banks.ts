/** Assumed of exchanges, banks and accounts. */
export const assumedOfBanks = {
  'exchanges.terms': {
    says: [
      'An exchange quote lives 30 s.',
      'The fee is 0.5 % of what is sold, rounded up; with INCLUSIVE it is part of the source.',
      'The exchange is COMPLETED after a second; a FAILED one gives everything back.',
    ],
    money: true,
    on: ['POST /v1/currency-exchange-quotes ok'],
  },
  'exchanges.refusals': {
    says: [
      'Less than 0.01, or 0.000001 BTC: CURRENCY_EXCHANGE_AMOUNT_TOO_LOW.',
      'The same currency twice: CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED.',
      'A currency that the service does not have: CURRENCY_UNSUPPORTED.',
    ],
    on: ['POST /v1/currency-exchange-quotes CURRENCY_*'],
  },
  'rates.pairs': {
    says: [
      'There is a rate for each pair of currencies.',
      'With a state rule for `rates` with UNAVAILABLE: EXCHANGE_RATE_NOT_AVAILABLE.',
      'The rule concerns new exchange quotes.',
    ],
    money: true,
    on: ['GET /v1/rates/ticker ok', '* * EXCHANGE_RATE_NOT_AVAILABLE'],
  },
  'bank-methods.forms': {
    says: [
      'A bank method is READY after 3 s; wire and BSB are for withdrawals only.',
      'An ACH account number of zeros: PLAID_LINKING_FAILED.',
      'After five of them in ten minutes: TOO_MANY_ATTEMPTS.',
      'The form of numbers is checked by transfer type; a BIC that is not given is NOTPROVIDED.',
    ],
    on: ['POST /v1/payment-methods/bank *'],
  },
  'bank-methods.fitness': {
    says: [
      'A PENDING or SUSPENDED bank method: PAYMENT_METHOD_NOT_READY.',
      'An INVALID or INACTIVE one: INVALID_PAYMENT_METHOD.',
      'A deposit by a method that takes none: UNSUPPORTED_PAYMENT_METHOD.',
      'Removing a method again: NOT_FOUND.',
    ],
    on: [
      '* * PAYMENT_METHOD_NOT_READY',
      '* * INVALID_PAYMENT_METHOD',
      '* * UNSUPPORTED_PAYMENT_METHOD',
    ],
  },
  'originators.review': {
    says: ['An originator is APPROVED after 5 s.', 'Only individuals have a date of birth.'],
    on: ['POST /v1/payout-originators *'],
  },
  'payouts.terms': {
    says: [
      'Bank method and originator are checked at the creation and at the initiation of a payout.',
      'Fees are fixed by transfer type.',
      'A payout is COMPLETED after 2 s; a reference of BSB has at most 18 characters.',
    ],
    money: true,
    on: ['POST /v1/payouts ok', 'PATCH /v1/payouts/* ok', 'POST /v1/payouts AMOUNT_TOO_LOW'],
  },
  'payouts.returns': {
    says: [
      'A payout that is FAILED before it was sent gives the fee back.',
      'One that is FAILED or REVERSED after that does not.',
    ],
    money: true,
  },
  'deposits.terms': {
    says: [
      'The fee of a deposit is 0.1 %, and none by ACH.',
      'By ACH it is created PENDING.',
      'Otherwise it is created NEW, PENDING after a second and COMPLETED after two more.',
      'A FAILED deposit has DECLINED_BY_BANK.',
    ],
    money: true,
    on: ['POST /v1/deposits* ok', 'POST /v1/deposits* AMOUNT_TOO_LOW'],
  },
  'deposits.returns': {
    says: [
      'A FAILED deposit gives the fee back.',
      'A REVERSED one does not, and may make the balance negative.',
    ],
    money: true,
  },
  'accounts.allowances': {
    says: [
      'More than 10 deposits in 7 days, or 5 by ACH: DEPOSIT_LIMIT_EXCEEDED.',
      'More than 50 payouts a day: TOO_MANY_TRANSACTIONS.',
      'An amount above the limit, alone or in sum: AMOUNT_TOO_HIGH.',
      "Limits are counted in the account's default currency.",
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
      'All requests of an account that is not ready: ACCOUNT_NOT_READY.',
      'A profile lists all currencies of the service.',
      'The own profile is found also where it is private.',
    ],
    on: ['* * ACCOUNT_NOT_READY'],
  },
} as const;
