/**
 * Headings of facts that the service's description does not state and that are known in public. All
 * other facts bear headings of the description.
 */
export const PUBLIC = {
  messages: 'Requests and responses',
  digits: 'Digits of amounts',
  scopes: 'Scopes of endpoints',
  keys: 'Idempotency keys',
  lists: 'Lists and their filters',
  invoices: 'Invoices',
  paymentQuotes: 'Quotes of payments',
  payments: 'Payments',
  exchanges: 'Exchanges of currencies',
  banks: 'Bank payment methods',
  originators: 'Payout originators',
  payouts: 'Payouts',
  deposits: 'Deposits',
  movements: 'Balances after a movement',
  limits: 'Limits of an account',
  profiles: 'Profiles of accounts',
  rates: 'Rates',
  receives: 'Receive requests and receives',
  eventBodies: 'Bodies of events',
  signatures: 'Signatures of webhooks',
  retries: 'Retries of webhooks',
  eventReads: 'Reads of events',
  subscriptions: 'Subscriptions to webhooks',
  oauth: 'Login with OAuth',
  bounds: 'Bounds of texts and rates',
  requestPaths: 'Paths of receive requests',
  bitcoinQuotes: 'Invoice quotes in bitcoin',
  undelivered: 'Events without a subscription',
  receiveFilters: 'Filters of receives',
  amounts: 'Forms of amounts',
  unknownValues: 'Unknown values of a subscription',
  pageSizes: 'Sizes of pages',
  codeLives: 'Lives of Lightning invoices',
  statuses: 'Statuses of responses',
  unreadyMethods: 'Payouts by a method that is not ready',
  memberNames: 'Names of members',
  letters: 'Letters outside ASCII',
  peerReceives: 'Receives from another account',
  networks: 'Networks of Lightning invoices',
  rateDigits: 'Digits of rates',
  times: 'Forms of times',
  parameters: 'Parameters of queries',
  envelope: 'Envelope of errors',
  locations: 'Locations of new resources',
  peerQuotes: 'Quotes between accounts',
  paidOutside: 'Invoices paid outside of the API',
  queryTexts: 'Texts of queries',
  errorValues: 'Members of errors',
  failedPayments: 'Failed payments',
} as const;

const publicHeadings: ReadonlySet<string> = new Set(Object.values(PUBLIC));

/** Says what a fact with this heading rests on. */
export const sourceOf = (heading: string): 'documented' | 'public' =>
  publicHeadings.has(heading) ? 'public' : 'documented';
