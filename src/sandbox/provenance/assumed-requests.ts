/** Assumed of requests, lists and amounts. */
export const assumedOfRequests = {
  'filters.cost': {
    says: ['More than 16 comparisons, members of an `in` included: INVALID_DATA_QUERY.'],
  },
  'filters.orders': { says: ['Times alone are compared by order, everything else by equality.'] },
  'requests.line': {
    says: ['A request line of more than 8,192 bytes: 414 with INVALID_DATA_QUERY.'],
  },
  'queries.names': {
    says: ['A GET refuses names that its query does not have: INVALID_DATA_QUERY.'],
  },
  'lists.bounds': { says: ['$top above 100 or below 1: INVALID_DATA_QUERY.'] },
  'lists.page': { says: ['Without $top a page has 50 items.'] },
  'filters.case': {
    says: ['Names and keywords have the case that is published, with blanks or tabs around them.'],
  },
  'filters.times': { says: ['Digits of a time beyond the sixth say nothing.'] },
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
  },
  'lists.order': { says: ['Lists without an order are newest first.'] },
  'filters.texts': { says: ['Texts are compared exactly.'] },
  'filters.ids': { says: ['Ids are the same in either case, with quotes or without.'] },
  'filters.depth': { says: ['More than 32 levels of parentheses: INVALID_DATA_QUERY.'] },
  'routes.unknown': {
    says: ['An unknown path or method: 404 NOT_FOUND, before the credential is checked.'],
  },
  'others.not-found': { says: ['A resource of another account: 404 NOT_FOUND.'] },
  'limits.refused': {
    says: ['Refused requests count too.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.fixed': {
    says: ['Requests during a block do not lengthen it.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'limits.unit': {
    says: ['retry-after is in seconds.'],
    on: ['* * RATE_LIMIT_EXCEEDED'],
  },
  'bodies.json': { says: ['A body that is not JSON: INVALID_DATA.'] },
  'bodies.type': { says: ['Another content type: 415 with INVALID_DATA.'] },
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
  },
  'invoice-quotes.rounding': {
    says: ['A quote is in whole satoshi, rounded up.'],
    money: true,
    on: ['POST /v1/invoices/{invoiceId}/quote ok'],
  },
  'rates.step': {
    says: ['Rates hold ten seconds.'],
    money: true,
    on: ['GET /v1/rates/ticker ok'],
  },
} as const;
