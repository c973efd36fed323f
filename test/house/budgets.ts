// The most that the user's import line may cost: bundled and minified by esbuild, es2015 condition, gzip, 1 kB = 1,000 bytes.
// Code that is loaded later by `import()` is not counted: for a checkout the check of signatures (6 kB), and for its element
// the code that draws codes (4 kB). ofetch is counted: it is 3.5 kB of each line that makes a connection.
//
// The first five lines were ruled to cost 15.6, 20.5, 22, 29 and 27. They are not met. These budgets keep the rest from growing.
// The following came since those figures were ruled.
//
// Requests and errors, in each line that sends:
// - Errors that name operation, rule and next step, and places in the rate limit that are waited for, are 1.2 kB.
// - An excerpt of a foreign body, without anything that the request carried, is 0.3 kB.
// - The numbers of requests, retries and waits are 0.15 kB.
// - Decisions that recorders and devtools are told of, and several taps at once, are 0.2 kB.
// - The refusal of unknown options, with the names of all options and the nearest one, is 0.45 kB.
// - A clock is told of the promises that its user waits for, so that a sandbox's time moves by itself: 0.05 kB, 0.1 kB with
//   flows. The clock that moves is 0.5 kB of the file that holds everything.
//
// Schemas:
// - They are valibot's own objects. Its share grows from 2 kB to 5 kB before gzip, and to 6 kB with the rules of all drafts;
//   our own reader shrinks by 1 kB. After gzip each line with schemas grows by 0.5 kB, one with all resources by 0.9 kB.
// - One wrong row or optional member that does not hide the rest of a response is 0.7 kB, 0.2 kB of the engine: leaving it out
//   (0.35), rows that keep their place in the walk through a list (0.25), broken rules of refusals that have their type (0.15).
// - The refusal of unknown members of drafts, with valibot's strict objects and `extra`, is 0.6 kB.
//
// Watches, in each line that watches:
// - Events that a move to a settled state answers, and times that two kinds of reads print otherwise, are 0.1 kB.
// - Watches that stay true through outages, gaps and sleep are 5 kB.
// - 10,000 watches that are right again within a minute, and copies of the data that lag and lose at once, are 1 kB.
// - Reads in turn are 0.5 kB. Pages of a list that ask for open states, wrap around and take urgent reads along, and the even
//   pace of reads in turn and urgent reads, are 2.1 kB: they see a change twice as soon (`npm run prove -- watching`).
// Rows that a page was cut before, lacks or refuses to name are read all the same, for 0.1 kB of each.
// - `refresh()` that shares its reads without a listener too and ends in an outage, filters of several spans that are refused,
//   and lists that tell a later subscriber of no earlier change are 0.2 kB.
// - A feed that loses nothing where the service shows neither order, time nor count is 0.2 kB.
// - The code that polls the feed is loaded at its first poll, when about sixty resources are watched: 1.85 kB less.
// - Values that a relay pushes are 0.5 kB. The relay's part is loaded by `import()`, which takes 0.7 kB off each line that
//   watches and adds 0.2 kB to every other line.
// - Responses to own calls in watches, announced changes that are pending, a checked `provide`, slow retries after refusals
//   and `retry` are 0.8 kB.
// - Values that outlive their last watch, are kept up to date and are forgotten, `refresh`, `checkedAt` and the emission after
//   the first read are 1 kB, and 0.05 kB of each line that sends.
// - Values that the client read itself are kept for the lag alone, which is 0.02 kB.
// - A snapshot that tells `values()` that its value was kept or handed in is 0.05 kB.
// - The notices of a hub to live lists, and their pages in its plan, are 0.25 kB. The lists themselves are 3.6 kB of the file
//   that holds everything.
// - A signal in the options of `subscribe` is 0.06 kB.
// - A watch that takes less memory is 0.1 kB.
// - The files of state were merged, which changed the order of their code: up to 0.1 kB.
//
// `client.invoices.watch` and the other watches of `createClient`:
// - They are 1.3 kB of `createClient`, and were ruled to be 0.8. Of this 0.15 kB names the resources that the engine receives;
//   the rest is a watch that says `loading`, loads the engine, tries again and hands its listeners over.
// - The engine is a file of its own, made by `scripts/late-files.mjs`. With a plain `import()` it was 7.5 kB here, and 5.7 kB
//   on the first line.
// - esbuild adds 0.1 kB to the first line, for a function that all of its chunks share.
// - The check that refuses at once to watch anything that is not a resource is 0.08 kB.
//
// Payments, rates and tools:
// - A checkout with pauses, on-chain payments, late payments and overpayments is 2.5 kB.
// - The rate of each code next to the ticker is 0.5 kB.
// - A tap for devtools, payments that a relay could not confirm, the refusal of stores that forget, and the check of the
//   arguments of `pay` are 1 kB.
// - Responses of other requests that are recognised by the draft are 0.3 kB, and 0.4 kB more with deposits and exchanges.

export interface Budget {
  readonly kilobytes: number;
  /** The code that is bundled: an import, and a use of what it imports. */
  readonly code: string;
  /** What is loaded until there is something to show, if anything is loaded later. */
  readonly live?: Live;
}

interface LoadedUntil {
  /** At once and later, together. */
  readonly kilobytes: number;
  readonly until: string;
}

/**
 * Either `play`, which Node runs with a sandbox, or the files that are loaded later where only a page can run the code:
 * test/e2e sees that the page loads these.
 */
type Live = LoadedUntil & ({ readonly play: string } | { readonly late: readonly string[] });

export const budgets: readonly Budget[] = [
  {
    kilobytes: 23.25,
    code: `import { createConnection } from 'paystate'; import { invoices } from 'paystate/operations'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
    live: {
      kilobytes: 23.35,
      until: 'until the first response',
      play: `const play = ({ options, invoiceId }) => invoices.get(createConnection(options), invoiceId);`,
    },
  },
  {
    kilobytes: 20.75,
    code: `import { createConnection } from 'paystate'; import * as invoices from 'paystate/operations/invoices'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
    live: {
      kilobytes: 20.85,
      until: 'until the first response',
      play: `const play = ({ options, invoiceId }) => invoices.get(createConnection(options), invoiceId);`,
    },
  },
  {
    kilobytes: 30.85,
    code: `import { createClient } from 'paystate'; globalThis.used = [createClient];`,
    live: {
      kilobytes: 55.7,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(createClient(options).invoices.watch(invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    kilobytes: 42.65,
    code: `import { createConnection } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createConnection, watchInvoice];`,
    live: {
      kilobytes: 42.75,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(watchInvoice(createConnection(options), invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    kilobytes: 53.75,
    code: `import { createClient } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createClient, watchInvoice];`,
    live: {
      kilobytes: 53.85,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(watchInvoice(createClient(options), invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    kilobytes: 54.15,
    code: `import { createConnection } from 'paystate'; import { checkout } from 'paystate/flows'; import { qrSvg } from 'paystate/elements'; globalThis.used = [createConnection, checkout, qrSvg];`,
    live: {
      kilobytes: 54.3,
      until: 'until an open order is shown',
      play: `const play = ({ options, invoiceId }) => until(checkout(createConnection(options), { invoiceId }), ({ phase, quote }) => phase === 'awaiting' && qrSvg(quote.lnInvoice, { label: 'Pay' }));`,
    },
  },
  {
    // This is the element with English texts; a page loads other languages when it needs them. Ruled are 45.
    // Columns that follow the element's own width, end panels with slots, copies of amounts, and the texts that say what to do
    // in each state are 3.1. An order by attributes alone, whose secret is exchanged for tokens, is 1.3.
    kilobytes: 60.3,
    code: `import { createConnection } from 'paystate'; import { defineElements } from 'paystate/elements'; globalThis.used = [createConnection, defineElements];`,
    live: {
      kilobytes: 64.3,
      until: 'until an open order is shown',
      late: ['dist/elements/qr-path.js'],
    },
  },
  {
    // This is the checkout, and 3.4 for the button, its dialog, and an order that is made once.
    kilobytes: 63.75,
    code: `import { definePayButton } from 'paystate/elements'; globalThis.used = [definePayButton];`,
    live: {
      kilobytes: 67.8,
      until: 'until an open order is shown',
      late: ['dist/elements/qr-path.js'],
    },
  },
  {
    // This is 28.5 more than createClient alone; ruled are 12. Half of it reads destinations and compares amounts.
    // Limits that a journal keeps, waiting where many processes write, and a time limit on each of its operations are 1.2.
    // Outcomes that are reported until they are acknowledged, reasons of steps, and ways out of each state are 1.2.
    // The tier of an on-chain payment, which is chosen by time or fee, is 0.4.
    // The check for a rate that is too old, which `convertMoney` flags, is 0.1.
    // The search for a late copy before another round, which reads three lists, is 0.4.
    kilobytes: 61.6,
    code: `import { createClient } from 'paystate'; import { pay } from 'paystate/flows'; globalThis.used = [createClient, pay];`,
    live: {
      kilobytes: 61.7,
      until: 'until the result',
      play: `const play = ({ options, to, journal }) => pay(createClient(options), { to, journal, sourceCurrency: 'EUR', maxTotal: 'any', maxFee: 'any' }).result;`,
    },
  },
  {
    kilobytes: 12.35,
    code: `import { createLogin } from 'paystate/oauth'; globalThis.used = [createLogin];`,
  },
  {
    kilobytes: 4.4,
    code: `import { makeInvoice } from 'paystate/testing'; globalThis.used = [makeInvoice];`,
  },
  {
    // The check for a rate that is too old is 0.1; refusing times that are not finite numbers is 0.05; amounts below zero are 0.1.
    kilobytes: 2.25,
    code: `export * from 'paystate/money';`,
  },
  {
    kilobytes: 2.8,
    code: `import { decodeBolt11 } from 'paystate/lightning'; globalThis.used = [decodeBolt11];`,
  },
  {
    kilobytes: 11,
    code: `import { decodeBolt11 } from 'paystate/lightning'; export * from 'paystate/lightning/signature'; globalThis.used = [decodeBolt11];`,
  },
];

/** Files of `dist` for pages without a bundler. */
export const pageFiles: Readonly<Record<string, number>> = {
  'paystate.min.js': 163.8, // everything for a page, and the sandbox
  'paystate-checkout.min.js': 75.5, // a checkout and a pay button alone, over a relay
};

/** The file that `createClient` loads for the first subscription to a watch may take this number of kB. */
export const engine = 24.75;
