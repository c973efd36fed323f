// The first and the last module of a bundle of tests: mocha's build for pages, which needs no permission in Deno and
// runs in every version of Node.
import 'mocha/mocha.js';
import { type Mocha, openFile, OPTIONS, reportTo } from './mocha-run.ts';

const scope = globalThis as unknown as { readonly Mocha: new (options: object) => Mocha };
const mocha = new scope.Mocha(OPTIONS);
openFile(mocha, '');

/** Runs all tests and writes the outcome into the file that the first argument names. */
export const report = (): Promise<never> => reportTo(globalThis.process.argv[2]!, mocha);
