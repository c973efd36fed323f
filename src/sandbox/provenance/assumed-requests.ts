/** Assumed of requests, lists and amounts. */
export const assumedOfRequests = {
  'filters.cost': {
    says: [
      'A filter has at most 16 comparisons; each member of an `in` counts.',
      'More: INVALID_DATA_QUERY.',
    ],
  },
  'requests.line': { says: ['A request line of more than 8,192 bytes: 414 without the envelope.'] },
  'lists.pages': {
    says: ['$top above 100 or below 1: INVALID_DATA_QUERY.', 'Without $top a page has 50 items.'],
  },
  'filters.case': {
    says: [
      'Filters take names and keywords in the case that is published, and ids in either case.',
      'Blanks and tabs may stand between words, no other white space.',
    ],
  },
  'filters.times': {
    says: [
      'Filters compare times with the seven fraction digits that are stored.',
      'Digits beyond them are ignored; an absent member matches nothing.',
    ],
  },
  'lists.count': {
    says: ['The count of a list is exact.', 'isCountUnknown is true only by a fault.'],
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
    says: [
      'What a fault changes is no behaviour of the service.',
      "The service's own state is as it would be without the fault.",
    ],
  },
  'lists.order': { says: ['Lists without an order are newest first.'] },
  'filters.texts': {
    says: [
      'Filters take texts in single quotes, and compare them exactly with eq and in.',
      'Times stand without quotes, ids with or without.',
      'Parentheses go 32 levels deep.',
    ],
  },
  'routes.unknown': {
    says: [
      'An unknown path or method: 404 without the envelope, before the credential is checked.',
      'It counts towards the bucket `others`.',
    ],
  },
  'others.not-found': { says: ['A resource of another account: 404 NOT_FOUND with values.id.'] },
  'limits.counting': {
    says: [
      'Requests that are refused count towards the limits.',
      'Requests during a block do not lengthen it.',
      'retry-after is in seconds.',
    ],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'bodies.bad': {
    says: [
      'A body that is not JSON: INVALID_DATA.',
      'A body of another content type: 415 without the envelope.',
    ],
  },
  'amounts.digits': {
    says: [
      'Amounts are printed with all digits of their currency.',
      'More digits: INVALID_DATA. Zero: INVALID_AMOUNT.',
    ],
    money: true,
    on: ['* * INVALID_AMOUNT'],
  },
  'amounts.highest': {
    says: ['The largest amount is 1,000,000, or 20 BTC.', 'More: AMOUNT_TOO_HIGH.'],
    money: true,
    on: ['* * AMOUNT_TOO_HIGH'],
  },
  'amounts.currencies': {
    says: [
      'A currency that the account does not have: USER_CURRENCY_UNAVAILABLE.',
      'A currency that the service does not have: INVALID_DATA_CURRENCY.',
    ],
    on: ['* * USER_CURRENCY_UNAVAILABLE'],
  },
  'invoice-quotes.rates': {
    says: [
      'The quote of an invoice in BTC lives an hour.',
      'Amounts are whole satoshi, rounded up.',
      'Rates change every ten seconds.',
    ],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
} as const;
