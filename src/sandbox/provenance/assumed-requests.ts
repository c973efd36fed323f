/** Assumed of requests, lists and amounts. */
export const assumedOfRequests = {
  'filters.cost': {
    says: ['At most 16 comparisons; each member of an `in` counts. More: INVALID_DATA_QUERY.'],
  },
  'requests.line': {
    says: ['A request line of more than 8,192 bytes: 414 with INVALID_DATA_QUERY.'],
  },
  'lists.pages': {
    says: ['$top above 100 or below 1: INVALID_DATA_QUERY.', 'Without $top a page has 50 items.'],
  },
  'filters.case': {
    says: [
      'Names and keywords in the case that is published, ids in either case.',
      'Blanks or tabs around words that join and compare, no other white space.',
    ],
  },
  'filters.times': {
    says: [
      'Times are compared with the six fraction digits that are stored; more are ignored.',
      'An absent member matches nothing.',
    ],
  },
  'lists.count': {
    says: ['The count is exact; isCountUnknown only by a fault.'],
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
    says: ['What a fault changes is no behaviour of the service; its state stays.'],
  },
  'lists.order': { says: ['Lists without an order are newest first.'] },
  'filters.texts': {
    says: [
      'Texts in single quotes, compared exactly with eq and in. Times without quotes.',
      'Ids with or without. At most 32 levels of parentheses.',
    ],
  },
  'routes.unknown': {
    says: [
      'An unknown path or method: 404 NOT_FOUND, before the credential is checked;',
      'counts as others.',
    ],
  },
  'others.not-found': { says: ['A resource of another account: 404 NOT_FOUND.'] },
  'limits.counting': {
    says: [
      'Refused requests count; requests during a block do not lengthen it. retry-after: seconds.',
    ],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'bodies.bad': {
    says: ['A body that is not JSON: INVALID_DATA. Another content type: 415 with INVALID_DATA.'],
  },
  'amounts.digits': {
    says: ['Amounts have all digits of their currency. More: INVALID_DATA. Zero: INVALID_AMOUNT.'],
    money: true,
    on: ['* * INVALID_AMOUNT'],
  },
  'amounts.highest': {
    says: ['Over 1,000,000 or 20 BTC: AMOUNT_TOO_HIGH.'],
    money: true,
    on: ['* * AMOUNT_TOO_HIGH'],
  },
  'amounts.currencies': {
    says: [
      'A currency that the account does not have: USER_CURRENCY_UNAVAILABLE,',
      'that the service does not have: INVALID_DATA_CURRENCY.',
    ],
    on: ['* * USER_CURRENCY_UNAVAILABLE'],
  },
  'invoice-quotes.rates': {
    says: [
      'An hour where the invoice is in BTC. Whole satoshi, rounded up. Rates hold ten seconds.',
    ],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
} as const;
