// Protects: what a page pays for the lines it writes.
import { expect } from 'chai';
import { describe, it } from '#test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { budgets, engine, pageFiles } from './budgets.ts';
import { bundleSplit, firstLoad, gzipped, lateFilesOf, loadedLater, loadWith } from './bundle.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

/** For the code of `play`: waits for an emission of a watch or an observable, and leaves it. */
const UNTIL = `const until = (watch, is) => new Promise((resolve) => {
  const end = watch.subscribe((one) => is(one) && resolve(queueMicrotask(() => end.unsubscribe ? end.unsubscribe() : end())));
});`;

/** Makes the arguments of `play`: a service with an invoice, and a text to pay. */
async function openWorld() {
  const sandbox = createSandbox({ clock: 'real' });
  const options = sandbox.clientOptions;
  const draft = { amount: { amount: '4.20', currency: 'EUR' } };
  const { invoiceId } = await createClient(options).invoices.create(draft);
  const to = sandbox.payer.createBolt11({ sat: '2100' });
  return { options, invoiceId, to, journal: memoryStore() };
}

describe('size', () => {
  for (const { kilobytes, design, code } of budgets)
    it(`of ${code.split(' globalThis')[0]} is at most ${kilobytes} kB${design ? ` (the design: ${design})` : ''}`, async () => {
      expect(await firstLoad(code)).to.be.at.most(kilobytes);
    });

  for (const { code, live } of budgets)
    if (!live)
      it(`of ${code.split(' globalThis')[0]} is all that it takes: nothing is loaded later`, async () => {
        expectNone([...lateFilesOf(await bundleSplit(code)).keys()]);
      });
    else
      it(`of ${code.split(' globalThis')[0]} is at most ${live.kilobytes} kB ${live.until}`, async () => {
        const size =
          'late' in live
            ? await loadWith(code, live.late)
            : (await firstLoad(code)) +
              (await loadedLater(`${code} ${UNTIL} export ${live.play}`, await openWorld()));
        expect(size).to.be.at.most(live.kilobytes);
      });

  for (const [file, kilobytes] of Object.entries(pageFiles))
    it(`of ${file}, for pages without a bundler, is at most ${kilobytes} kB`, () => {
      const text = readFileSync(join(root, 'dist', file), 'utf8');
      expect(text).to.not.match(/\bimport\b\s*[({'"\w]/); // it is all there is
      expect(gzipped(text) / 1000).to.be.at.most(kilobytes);
    });

  // More than a kilobyte since a provider gives the client, and since a ref of Vue follows in any scope.
  for (const [file, kilobytes] of [
    ['react/index.js', 1.22], // being idle for null too is 0.02,
    ['react/suspense.js', 1.4], // only with useSuspenseInvoice: it keeps watches that React forgets, and their actions
    ['vue/index.js', 1.48],
  ] as const)
    it(`of ${file}, which binds a watch, is at most ${kilobytes} kB beside the watch`, () => {
      const text = readFileSync(join(root, 'dist', file), 'utf8');
      expect(gzipped(text) / 1000).to.be.at.most(kilobytes);
    });

  it(`of what a client loads to watch is at most ${engine} kB, in one file that imports nothing`, async () => {
    const code = `import { createClient } from 'paystate'; globalThis.used = [createClient];`;
    const { metafile, outputFiles } = await bundleSplit(code);
    const later = Object.entries(metafile.outputs).flatMap(
      ([name, { entryPoint = '', imports }]) =>
        entryPoint === '<stdin>' ? [] : [{ name, entryPoint, imports }],
    );
    expect(later.map(({ entryPoint }) => entryPoint)).to.have.members([
      'dist/late/engine.js',
      'dist/late/feed.js',
    ]);
    expectNone(
      later.flatMap(({ imports }) => imports.filter(({ kind }) => kind !== 'dynamic-import')),
    );
    const { name } = later.find(({ entryPoint }) => entryPoint.includes('engine'))!;
    const { text } = outputFiles.find(({ path }) => path.endsWith(`/${name}`))!;
    expect(gzipped(text) / 1000).to.be.at.most(engine);
  });

  it('of a payment has no code of plans, CSV or reports', async () => {
    const { code } = budgets.find(({ code }) => code.includes('{ pay }'))!;
    const { metafile } = await bundleSplit(code);
    const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(files).to.include('dist/flows/pay/rails/payment.js');
    expectNone(
      files.filter((file) => /flows\/plan|rails\/(exchange|deposit|payout|refund)/.test(file)),
    );
  });

  it('counts what is imported, and not what is loaded later', async () => {
    const later = `const load = () => import('paystate/lightning/signature');`;
    expect(await firstLoad(`${later} globalThis.used = [load];`)).to.be.below(1);
    expect(
      await firstLoad(
        `import * as all from 'paystate/lightning/signature'; globalThis.used = [all];`,
      ),
    ).to.be.above(5);
  });
});
