// The most that the user's import line may cost: bundled and minified by esbuild, es2015 condition,
// gzip, 1 kB = 1,000 bytes.
//
// Each line has two figures. The first is what a page loads before its first line runs; what an
// `import()` loads is not in it. The second, `live`, is all that is loaded until there is something
// to show, because loading later saves nothing for who needs it. A line without it loads nothing
// later. What was tried to make lines smaller is in sizes.md.
//
// Every line that sends has 10 of requests (limits, repetitions that do no harm, redaction, what
// errors say), 4 of ofetch with ufo and destr, 2.3 of valibot, and 1.4 of errors and their codes.
// One gate for arguments, with the names of options that a line takes, is 0.8 to 1.2 of each line. Whose answer
// it is under a service that rewrites is 0.4, and how old an answer is, 0.2.
// Every line that watches has 10 of the engine, 6 of its plan and 2 of the feed and the relay.
// A call that takes half of the processor's time, because it copies nothing that it keeps and builds
// nothing that nobody observes, is 0.06 of each line that sends; written in fewer lines it is 0.03
// less, and a quarter slower. Resources that are bound when they are first used are 0.04 of
// `createClient`. `npm run bench` says what both give.
// `design` is the line of the design.

export interface Budget {
  readonly kilobytes: number;
  /** The size that the design wants, if it names the line. */
  readonly design?: number;
  /** The code that is bundled: an import, and a use of what it imports. */
  readonly code: string;
  /** Everything that is loaded until there is something to show, if anything is loaded later. */
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
    // 2.5 more than the next line: esbuild keeps a whole namespace that is exported under a name.
    kilobytes: 25.25,
    code: `import { createConnection } from 'paystate'; import { invoices } from 'paystate/operations'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
    live: {
      kilobytes: 25.25,
      until: 'until the first response',
      play: `const play = ({ options, invoiceId }) => invoices.get(createConnection(options), invoiceId);`,
    },
  },
  {
    // 4.4 above the design. These came since it was made: errors that name operation, rule and
    // next step, and waiting for the rate limit, 1.2; rows that cannot be read and do not hide
    // the rest, 0.7; valibot's own objects, 0.5; drafts that refuse unknown members, 0.6;
    // refusal of unknown options, 0.45; excerpts of foreign bodies, counts, and decisions for
    // devtools, 0.65.
    kilobytes: 22.67,
    design: 16.4,
    code: `import { createConnection } from 'paystate'; import * as invoices from 'paystate/operations/invoices'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
    live: {
      kilobytes: 22.67,
      until: 'until the first response',
      play: `const play = ({ options, invoiceId }) => invoices.get(createConnection(options), invoiceId);`,
    },
  },
  {
    // 6.3 above the design: 4.4 as above, 0.5 for watch members that load the engine, 0.4 for
    // valibot in all resources, and 1 in small parts. The second figure has the engine, which
    // is 25.2 and which the first subscription loads.
    kilobytes: 33.55,
    design: 24.6,
    code: `import { createClient } from 'paystate'; globalThis.used = [createClient];`,
    live: {
      kilobytes: 58.73,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(createClient(options).invoices.watch(invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    // 12.5 above the design: 4.4 as above; watches that stay true through outages, gaps and
    // sleep, 5; 10,000 watches that are right again within a minute, 1; pages of lists that are
    // read in turn at an even pace, 2.6; values of a relay, 0.5; responses to own calls,
    // `provide` and slow retries, 0.8; values that outlive their last watch and `refresh`, 1.
    // The feed, which is loaded when about sixty resources are watched, takes 1.85 off.
    kilobytes: 44.97,
    design: 30.2,
    code: `import { createConnection } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createConnection, watchInvoice];`,
    live: {
      kilobytes: 44.97,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(watchInvoice(createConnection(options), invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    // 14.5 above the design, by the two lines above.
    kilobytes: 56.49,
    design: 39.3,
    code: `import { createClient } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createClient, watchInvoice];`,
    live: {
      kilobytes: 56.49,
      until: 'until the first live value',
      play: `const play = ({ options, invoiceId }) => until(watchInvoice(createClient(options), invoiceId), ({ freshness }) => freshness === 'live');`,
    },
  },
  {
    // 13 above the design: 12.5 as above. Pauses, on-chain payments, late payments and
    // overpayments are 2.5; the code that draws codes is 4.
    kilobytes: 56.71,
    design: 41.1,
    code: `import { createConnection } from 'paystate'; import { checkout } from 'paystate/flows'; import { qrSvg } from 'paystate/elements'; globalThis.used = [createConnection, checkout, qrSvg];`,
    live: {
      kilobytes: 56.71,
      until: 'until an open order is shown',
      play: `const play = ({ options, invoiceId }) => until(checkout(createConnection(options), { invoiceId }), ({ phase, quote }) => phase === 'awaiting' && qrSvg(quote.lnInvoice, { label: 'Pay' }));`,
    },
  },
  {
    // 14.3 above the design, of it 12.5 as above. Columns that follow the element's own width,
    // end panels with slots and a text for each state are 3.1; an order by attributes alone,
    // whose secret is exchanged for tokens, is 1.3. It has English texts; a page loads other
    // languages when it needs them. The code that draws codes is loaded later, and so is the
    // check of signatures, 6, when a second code comes.
    kilobytes: 62.98, // merged files compress in another order
    design: 46,
    code: `import { createConnection } from 'paystate'; import { defineElements } from 'paystate/elements'; globalThis.used = [createConnection, defineElements];`,
    live: {
      kilobytes: 66.98,
      until: 'until an open order is shown',
      late: ['dist/elements/qr-path.js'],
    },
  },
  {
    // The checkout, and 3.4 for the button, its dialog, and an order that is made once.
    kilobytes: 66.4,
    code: `import { definePayButton } from 'paystate/elements'; globalThis.used = [definePayButton];`,
    live: {
      kilobytes: 70.4,
      until: 'until an open order is shown',
      late: ['dist/elements/qr-path.js'],
    },
  },
  {
    // 20.6 above the design: 6.3 of `createClient` and 14.3 of `pay`, which is 30.7. By their
    // shares flows are 18, destinations 5.5, hashes and base58 3.4, amounts 1.2. It has no code
    // of plans, CSV or reports. Destinations, hashes and base58 cannot come later, because
    // `pay` throws at the call for what cannot be paid.
    kilobytes: 69.5,
    design: 41,
    code: `import { createClient } from 'paystate'; import { pay } from 'paystate/flows'; globalThis.used = [createClient, pay];`,
    live: {
      kilobytes: 69.5,
      until: 'until the result',
      play: `const play = ({ options, to, journal }) => pay(createClient(options), { to, journal, sourceCurrency: 'EUR', maxTotal: 'any', maxFee: 'any' }).result;`,
    },
  },
  {
    kilobytes: 13.26,
    code: `import { createLogin } from 'paystate/oauth'; globalThis.used = [createLogin];`,
  },
  {
    kilobytes: 5.1,
    code: `import { makeInvoice } from 'paystate/testing'; globalThis.used = [makeInvoice];`,
  },
  {
    kilobytes: 3.22,
    code: `export * from 'paystate/money';`,
  },
  {
    kilobytes: 2.75,
    code: `import { decodeBolt11 } from 'paystate/lightning'; globalThis.used = [decodeBolt11];`,
  },
  {
    kilobytes: 11.62,
    code: `import { decodeBolt11 } from 'paystate/lightning'; export * from 'paystate/lightning/signature'; globalThis.used = [decodeBolt11];`,
  },
];

/** Files of `dist` for pages without a bundler. */
export const pageFiles: Readonly<Record<string, number>> = {
  'paystate.min.js': 165.3, // everything for a page, and the sandbox
  'paystate-checkout.min.js': 76.7, // a checkout and a pay button alone, over a relay
};

/** The file that `createClient` loads for the first subscription to a watch may take this number of kB. */
export const engine = 25.2;
