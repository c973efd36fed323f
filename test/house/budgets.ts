// What the user's import line may cost: bundled and minified by esbuild, es2015 condition, gzip, 1 kB = 1,000 bytes.
// What is loaded later, by `import()`, is not counted: for a checkout the check of signatures, 6 kB.
// ofetch is counted: 3.5 kB of each line that makes a connection. Ruled for the first five are 15.6, 20.5, 22, 29 and 27;
// they are not met. One table of codes, calls with explicit state, a planner that returns a plan and one rule for held
// states cost 0.3 to 0.7 kB of what stood here before; these lines keep the rest from growing.
export interface Budget {
  readonly kilobytes: number;
  readonly code: string;
}

export const budgets: readonly Budget[] = [
  {
    kilobytes: 16.55,
    code: `import { connect } from 'paystate'; import { invoices } from 'paystate/operations'; globalThis.used = [connect, invoices.create, invoices.get];`,
  },
  {
    kilobytes: 21.6,
    code: `import { createClient } from 'paystate'; globalThis.used = [createClient];`,
  },
  {
    kilobytes: 24.5,
    code: `import { connect } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [connect, watchInvoice];`,
  },
  {
    kilobytes: 32.35,
    code: `import { createClient } from 'paystate'; import { watchInvoice } from 'paystate/rx'; globalThis.used = [createClient, watchInvoice];`,
  },
  {
    kilobytes: 31.5,
    code: `import { connect } from 'paystate'; import { checkout } from 'paystate/flows'; import { qrSvg } from 'paystate/elements'; globalThis.used = [connect, checkout, qrSvg];`,
  },
  {
    kilobytes: 12,
    code: `import { createLogin } from 'paystate/oauth'; globalThis.used = [createLogin];`,
  },
  {
    kilobytes: 2,
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
export const oneFile = 103.45;
