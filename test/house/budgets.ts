// What the user's import line may cost: bundled and minified by esbuild, es2015 condition, gzip, 1 kB = 1,000 bytes.
// What is loaded later, by `import()`, is not counted: for a checkout the check of signatures, 6 kB, and for its
// element what draws codes, 4 kB.
// ofetch is counted: 3.5 kB of each line that makes a connection. Ruled for the first five are 15.6, 20.5, 22, 29 and 27;
// they are not met. Since those figures were ruled, these came: errors that name operation, rule and next step, places in
// the rate limit that are waited for (1.2 kB); watches that stay true through outages, gaps and sleep (5 kB); a checkout
// with pauses, on-chain, late and over (2.5 kB); values that a relay pushes (0.5 kB), 10,000 watches that are right again
// within a minute, and copies of the data that lag and lose at once (1 kB); reads in turn
// (0.5 kB); the rate of each code beside the ticker (0.5 kB), a
// tap for devtools, what a relay could not confirm, stores that forget refused, arguments of `pay` checked (1 kB); a feed that loses nothing where the
// service shows neither order, time nor count (0.2 kB), answers of
// other requests that are recognised by the draft (0.3 kB; 0.4 kB more with deposits and exchanges). These lines keep the rest from growing.
// Answers of own calls in watches, announced changes that are pending, a checked `provide`, slow retries after refusals and
// `retry` take 0.8 kB of each line that watches.
// What a foreign body says (`excerpt`), without anything that the request carried, is 0.3 kB of each line that sends; numbers
// of requests, retries and waits are 0.15.
// Loading the relay's part by `import()` takes 0.7 kB off a watch and puts 0.2 kB on every other line.
// Schemas are valibot's own objects: its share grows from 2 kB to 5 kB before gzip, to 6 kB with the rules of all drafts, and
// our own reader shrinks by 1 kB. After gzip each line with schemas grows by 0.5 kB, with all resources by 0.9 kB.
// Merging the files of state changed the order of their code, which costs each line that watches up to 0.1 kB.
// A signal in the options of `subscribe` is 0.06 kB of each line that watches.
// Values that outlive their last watch, are kept up to date and are forgotten, `refresh`, `checkedAt` and the emission after
// the first read are 1 kB of each line that watches, and 0.05 kB of each that sends. What a hub tells live lists, and their pages in its plan, are 0.25
// kB of each line that watches; the lists themselves are 3.6 kB of the file that holds everything.
// `client.invoices.watch` and the others are 1.3 kB of `createClient`: 0.15 of it names what the engine is handed, the rest
// is a watch that says `loading`, loads the engine, tries again and hands its listeners over. Ruled are 0.8. The engine
// is a file of its own, made by `scripts/late-files.mjs`: with a plain `import()` it was 7.5 kB here, and 5.7 on the first line.
// esbuild adds 0.1 to the first line, for a function that all of its chunks share.
// What polls the event feed is loaded at its first poll, when some sixty are watched: 1.85 kB less of each line that watches.
// A watch that takes less memory is 0.1 kB of each line that watches.
// What the client read itself is kept for the lag alone, which is 0.02 kB of each line that watches.
// A snapshot that says to `values()` that its value was kept or handed in is 0.05 kB of each line that watches.
// That `watch` of a client refuses at once what is no resource takes 0.08 kB.
// Pages of a list that ask for open states, wrap around and take urgent reads along, and the even pace of reads in turn and
// urgent ones, are 1.9 kB of each line that watches: they see a change twice as soon (`npm run watching`).
export interface Budget {
  readonly kilobytes: number;
  readonly code: string;
}

export const budgets: readonly Budget[] = [
  {
    kilobytes: 21.2,
    code: `import { createConnection } from 'paystate'; import { invoices } from 'paystate/operations'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
  },
  {
    kilobytes: 18.9,
    code: `import { createConnection } from 'paystate'; import * as invoices from 'paystate/operations/invoices'; globalThis.used = [createConnection, invoices.create, invoices.get];`,
  },
  {
    kilobytes: 28.8,
    code: `import { createClient } from 'paystate'; globalThis.used = [createClient];`,
  },
  {
    kilobytes: 40.9,
    code: `import { createConnection } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createConnection, watchInvoice];`,
  },
  {
    kilobytes: 51.15,
    code: `import { createClient } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createClient, watchInvoice];`,
  },
  {
    kilobytes: 51.9,
    code: `import { createConnection } from 'paystate'; import { checkout } from 'paystate/flows'; import { qrSvg } from 'paystate/elements'; globalThis.used = [createConnection, checkout, qrSvg];`,
  },
  {
    // the element with English texts; others are loaded where a page wants them. Ruled are 45.
    kilobytes: 53.6,
    code: `import { createConnection } from 'paystate'; import { defineElements } from 'paystate/elements'; globalThis.used = [createConnection, defineElements];`,
  },
  {
    // 28.5 more than createClient alone; ruled are 12. Half of it reads destinations and compares amounts; limits that a
    // journal keeps, waiting where many write, and a time limit on each of its operations are 1.2; ends that are told
    // until they are acknowledged, the reasons of steps, and ways out of each state are 1.2.
    // the tier of an on-chain payment, chosen by time or fee, is 0.4.
    // A rate that is too old, which `convertMoney` flags, is 0.1.
    kilobytes: 58.9,
    code: `import { createClient } from 'paystate'; import { pay } from 'paystate/flows'; globalThis.used = [createClient, pay];`,
  },
  {
    kilobytes: 12.35,
    code: `import { createLogin } from 'paystate/oauth'; globalThis.used = [createLogin];`,
  },
  {
    kilobytes: 4.3,
    code: `import { makeInvoice } from 'paystate/testing'; globalThis.used = [makeInvoice];`,
  },
  {
    // A rate that is too old is 0.1.
    kilobytes: 2.1,
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

/** The same of `dist/paystate.min.js`, which holds everything for a page and the sandbox. */
export const oneFile = 144.8;

/** What `createClient` loads for the first subscription to `client.invoices.watch` and the others. */
export const engine = 24;
