// Protects: Node, Deno, Bun and Workers, which load few files, get what bundlers get from many: the same names, one set of
// classes for all entries, and values that both builds recognise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type * as main from 'paystate';
import { describe, it } from '#test';
import { entries, manifest, reachedFrom } from './entries.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

type Exports = Readonly<Record<string, unknown>>;

const load = (file: string): Promise<Exports> => import(pathToFileURL(join(root, file)).href);

/** The file that Node loads for an entry. */
const nodeFileOf = (javascript: string): string => javascript.replace(/^dist\//, 'dist/node/');

const withCode = entries.filter(({ isForFramework }) => !isForFramework);

describe('the build for Node', () => {
  it('is what the package leads to in Node and in Workers, for each entry with code', () => {
    const led = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'object' && target.node
        ? `${target.node} ${target.workerd} ${target.default}`
        : [],
    );
    expect(led).to.deep.equal(
      withCode.map(({ javascript }) => {
        const file = nodeFileOf(javascript);
        return `./${file} ./${file} ./${javascript}`;
      }),
    );
    expect(import.meta.resolve('paystate')).to.match(/dist\/node\/index\.js$/);
  });

  it('exports the names of the build for bundlers', async () => {
    const wrong: string[] = [];
    for (const { specifier, javascript } of withCode) {
      const [few, many] = [await load(nodeFileOf(javascript)), await load(javascript)];
      if (`${Object.keys(few).sort()}` !== `${Object.keys(many).sort()}`) wrong.push(specifier);
    }
    expectNone(wrong);
  });

  it('has one value of each name, whatever entry exports it', async () => {
    const wrong: string[] = [];
    for (const { specifier, javascript } of withCode)
      for (const other of withCode) {
        const [few, many] = [await load(nodeFileOf(javascript)), await load(javascript)];
        const [otherFew, otherMany] = [
          await load(nodeFileOf(other.javascript)),
          await load(other.javascript),
        ];
        for (const name of Object.keys(many))
          if (name in otherMany && many[name] === otherMany[name] && few[name] !== otherFew[name])
            wrong.push(`${name} of ${specifier} and ${other.specifier}`);
      }
    expectNone(wrong);
  });

  it('declares each class once', () => {
    const files = new Set(
      withCode.flatMap(({ javascript }) => [...reachedFrom(nodeFileOf(javascript)).files]),
    );
    const names = [...files].flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^class (\w+Error)\b/gm)].map(
        ([, name]) => name!,
      ),
    );
    expect(names).to.include('PaystateError');
    expect(names).to.deep.equal([...new Set(names)]);
  });

  it('recognises the clients and the errors of the other build', async () => {
    const [few, many] = [await load('dist/node/index.js'), await load('dist/index.js')];
    const { createClient } = many as typeof main;
    const { clientStats, isPaystateError } = few as typeof main;
    const client = createClient({ baseUrl: 'https://pay.example', apiKey: 'KEY' });
    expect(clientStats(client).retries).to.equal(0);
    const error: unknown = await client.invoices.get('').catch((thrown: unknown) => thrown);
    expect(isPaystateError(error)).to.equal(true);
  });

  it('loads webhooks without the transport, which loads the platform’s fetch', () => {
    const { packages } = reachedFrom(nodeFileOf('dist/webhooks/index.js'));
    expect([...packages]).to.deep.equal(['valibot']);
  });
});
