// Files that break a rule of their form, each with its reason.

/** Short files with one importer that are not part of it. */
export const KEPT_APART: Readonly<Record<string, string>> = {
  'cli/commands.ts':
    'The list of commands; the entry runs on import, so whoever only reads the list needs it apart.',
  'money/format.ts': 'Formatting uses Intl and a locale; amounts are exact without either.',
  'sandbox/resources/balances.ts': 'Each resource has its file: the list of routes is generated.',
  'sandbox/resources/rates.ts': 'Each resource has its file: the list of routes is generated.',
  'sandbox/resources/routes.ts': 'The list of routes, which is generated.',
};

/** Files whose functions fall into groups that share no name. */
export const KEPT_TOGETHER: Readonly<Record<string, string>> = {
  'cli/help.ts': 'What `--help` and `--version` print.',
  'cli/page/dom.ts': 'Elements of the page, and how it writes ids, times and amounts in them.',
  'cli/page/server.ts':
    'What the page hears from its server: the stream, the answers of the control, the directory.',
  'cli/command.ts': 'A command, with its options and the terminal that it writes to.',
  'core/http/call.ts':
    'A call from both ends: the promise that the caller gets, and the checked request that is sent.',
  'core/http/credential.ts':
    'What is secret in a request: checked before it is sent, removed from every text about it.',
  'core/http/rate-limits.ts':
    'The published limits and the log of requests that is held against them.',
  'core/lists/filters.ts':
    'The filter texts of OData, as the SDK writes them and as a list evaluates them.',
  'core/platform.ts':
    'What the runtime offers under different names: randomness, HMAC, sockets, Durable Objects.',
  'core/time.ts': 'Clock, waiting, and the instants that the service writes as texts.',
  'core/watch.ts':
    'The contract of a watch, with the comparison that decides whether subscribers are called again.',
  'flows/checkout/settled.ts':
    'What came in for a settled invoice, and how long it is read again for more.',
  'flows/pay/rail.ts': 'The contract of a rail, with the reading of errors that all rails share.',
  'lightning/bech32.ts':
    'Bech32 and the five-bit words that it is made of, which BOLT11 and segwit read alike.',
  'lightning/lnurl.ts':
    'LNURL with its relatives, the Lightning address and the payRequest: one text leads to the next.',
  'oauth/errors.ts': 'Login errors, and the one word of the server that they may repeat.',
  'oauth/lock.ts': 'The lock of a renewal and the time for which it may be held.',
  'resources/events.ts': 'The resource `events`: every resource exports its known texts apart.',
  'resources/events.types.ts': 'The types of events and two questions about them.',
  'resources/held-state.ts':
    'Which of two reads counts, and when an older state is read again before it is believed.',
  'resources/resource.ts': 'What every resource has: rules, states, and ids that can be compared.',
  'resources/wire.ts': 'The words of schemas; one of them writes a pattern.',
  'state/device.ts':
    'The machine that a watch runs on: its page, its network, its clocks and its sleep.',
  'sandbox/host/hosted-sandbox.ts':
    'A sandbox that is served, what it writes down, and the keys that it never does.',
  'host/servers.ts':
    'The servers of each runtime, sockets included, and the address behind proxies that they are asked from.',
  'relay/calls.ts':
    'What the parts of the relay and its pages say to each other: requests, refusals, messages, codes.',
  'relay/platform.ts':
    'What a platform with Durable Objects gives to the relay, and one alarm set by it.',
  'stores/store.ts':
    'The contract of a store with one in memory, and the check that a store outlives its process.',
  'webhooks/verify.ts': 'A secret is drawn, and what is signed with it is verified.',
  'sandbox/ledger/amounts.ts': 'Which amounts are taken, and what they are worth elsewhere.',
  'sandbox/world/world.ts': 'A world with its clock, accounts and ids, and the form of an id.',
  'testing/make.ts':
    'How values are made: members, origins, amounts and secrets that follow from an id.',
};
