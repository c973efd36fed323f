// Protects: the crash matrix finds nothing over the stores of this package, and finds stores that are
// unfit for money, and a build that sends a payment before it is in the journal.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { crashMatrix } from 'paystate/testing';
import { after, describe, it } from '#test';
import { openPlace } from '../runners/stores/places.ts';
import { root, withPlace } from '../runners/stores/run.ts';
import * as flows from '../unit/testing/crash-flow.ts';

const folder = join(root, '.cache', `crash-${process.pid}`);
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

const { EVENTUAL, foundIn, livesIn, losing, PAYMENT, PAYOUT, TWO_TABS, withoutCompare } = flows;

// The step that writes the terms and a first try, after which the next step sends it.
const WRITES_FIRST = 'return this.#write({ ...claimed, ...numbers?.settle(claimed.is) });';
const SENDS_FIRST = `
    const decided = { ...claimed, ...numbers?.settle(claimed.is) };
    if (decided.is !== 'agreed') return this.#write(decided);
    const planned = applyEvent(row, { ...decided, at: this.#now(), by: this.#by });
    const { outcome } = await this.#rail.execute(this.#client, planned, this.#now());
    const written = await this.#write(decided);
    const { n } = written.tries.at(-1);
    this.#handed.add(n);
    return this.#write({ ...(await this.#checkClaim(written, outcome)), n });`;

/** The package in which the journal is written after the request, with the matrix and its flows. */
async function brokenBuild(): Promise<{
  readonly flows: typeof flows;
  readonly crashMatrix: typeof crashMatrix;
}> {
  const outfile = join(folder, 'broken.mjs');
  await build({
    stdin: {
      contents: `export { crashMatrix } from 'paystate/testing';
        export * as flows from './test/unit/testing/crash-flow.ts';`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser', // the build for bundlers: it has the step in a file of its own
    plugins: [
      {
        name: 'sends first',
        setup({ onLoad }) {
          onLoad({ filter: /dist\/flows\/pay\/run\.js$/ }, ({ path }) => {
            const parts = readFileSync(path, 'utf8').split(WRITES_FIRST);
            expect(parts, 'the step that is changed').to.have.length(2);
            const name = "import { applyEvent } from './transitions.js';\n";
            return { contents: name + parts.join(SENDS_FIRST), loader: 'js' };
          });
        },
      },
    ],
  });
  return import(pathToFileURL(outfile).href);
}

describe('the crash matrix', () => {
  for (const kind of ['file', 'sqlite', 'postgresql'] as const)
    it(`finds nothing in a journal of the kind ${kind}`, (context) =>
      withPlace(context, kind, 'crash', async (place) => {
        const { store, end } = await openPlace(kind, place);
        const openStore = livesIn(store);
        expect(foundIn(await crashMatrix({ ...PAYMENT, openStore }))).to.deep.equal([]);
        await end();
      }));

  it('finds nothing in memory, also in a payout and between two tabs', async () => {
    expect(foundIn(await crashMatrix(PAYOUT))).to.deep.equal([]);
    expect(foundIn(await crashMatrix(TWO_TABS))).to.deep.equal([]);
  });

  for (const [name, play] of Object.entries({
    'a journal that does not compare': () =>
      crashMatrix({ ...TWO_TABS, openStore: withoutCompare }),
    'a journal that is eventually consistent': () => crashMatrix(EVENTUAL),
    'a journal that loses a write': () => crashMatrix({ ...PAYMENT, openStore: losing }),
    async 'a build that writes its journal after the request'() {
      const broken = await brokenBuild();
      return broken.crashMatrix(broken.flows.PAYOUT);
    },
  }))
    it(`finds ${name}`, async () => {
      const { failures } = await play();
      expect(failures.flatMap(({ problems }) => problems)).to.include('paid 2 times');
    });
});
