// Protects: pages of Next, whose `fetch` keeps answers and steers pages by errors: a page that Next builds or serves says
// nothing of an invoice that the service was not asked for, and what Next throws comes back to it unchanged.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { serve } from '../../dist/cli/loopback.js';
import type { Env } from '../e2e/command.ts';
import { root } from '../house/source.ts';
import { CACHE_COMPONENTS, type Kind, NEXT_14, NEXT_16, writeApp } from './app.ts';
import { build, whileServed } from './commands.ts';

interface Note {
  readonly isRequest?: true;
  readonly digest?: string;
  readonly isOfSdk?: boolean;
}

interface World {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly env: Env;
  readonly invoiceId: string;
  /** What the page without a word to Next has noted. */
  notes(): readonly Note[];
}

/** An invoice in a sandbox on the loopback, and an app that reads it, in a folder that is removed. */
async function inWorld(kind: Kind, hasPlain: boolean, use: (world: World) => Promise<void>) {
  const sandbox = createSandbox({ signed: false, clock: 'real' });
  const { apiKey } = sandbox.clientOptions;
  const amount = { amount: '12.50', currency: 'EUR' };
  const { invoiceId } = await createClient(sandbox.clientOptions).invoices.create({ amount });
  const served = await serve((request: Request) => sandbox.fetch(request));
  const cache = process.env['TEST_FOLDER'] ?? join(root, '.cache');
  const folder = join(cache, `next-${kind.packages}-${process.pid}`);
  const file = join(folder, 'notes');
  const env = { SHOP_URL: served.url, SHOP_KEY: apiKey, SHOP_INVOICE: invoiceId, SHOP_NOTES: file };
  const notes = (): readonly Note[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  try {
    writeApp(folder, kind, hasPlain);
    await use({ sandbox, folder, env, invoiceId, notes });
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Loads a page; what it says, and whether the service saw a read of the invoice meanwhile. */
async function load(sandbox: Sandbox, url: string): Promise<string> {
  const before = sandbox.log.length;
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  const [, said] = /<p>(.*?)<\/p>/.exec(await response.text()) ?? [];
  const reads = sandbox.log.slice(before).filter(({ path }) => path.startsWith('/v1/invoices/'));
  return `${said}, ${reads.length > 0 ? 'seen' : 'not seen'} by the service`;
}

/** Loads all pages twice and pays in between. */
async function expectTruth({ sandbox, folder, env, invoiceId }: World, hasPlain: boolean) {
  const paths = [`/invoices/${invoiceId}`, '/watch', ...(hasPlain ? ['/plain'] : [])];
  await whileServed(folder, env, async (url) => {
    const loadAll = async (): Promise<string[]> => {
      const said: string[] = [];
      for (const path of paths) said.push(await load(sandbox, url + path));
      return said;
    };
    const all = (state: string) =>
      [state, `${state} live`, state]
        .slice(0, paths.length)
        .map((said) => `${said}, seen by the service`);
    expect(await loadAll(), 'before').to.deep.equal(all('UNPAID'));
    await sandbox.payer.pay(invoiceId);
    expect(await loadAll(), 'after').to.deep.equal(all('PAID'));
    const unknown = `${url}/invoices/00000000-0000-4000-8000-000000000000`;
    expect(await load(sandbox, unknown)).to.equal('not known, seen by the service');
  });
}

/** What Next threw at the page while it built came through the client, each time after one request. */
function expectSteering(notes: readonly Note[], digest: string): void {
  const thrown = notes.filter(({ isRequest }) => !isRequest);
  expect(thrown).to.have.length.above(0);
  for (const one of thrown) expect(one).to.deep.equal({ digest, isOfSdk: false });
  expect(notes.length - thrown.length, 'requests').to.equal(thrown.length);
}

for (const kind of [NEXT_14, NEXT_16, CACHE_COMPONENTS])
  describe(kind.name, () => {
    const hasPlain = kind !== CACHE_COMPONENTS;

    it('builds pages without a request, and serves the state of the moment', () =>
      inWorld(kind, hasPlain, async (world) => {
        const before = world.sandbox.log.length;
        const { code, output } = await build(world.folder, world.env);
        expect(code, output).to.equal(0);
        if (hasPlain) expectSteering(world.notes(), 'DYNAMIC_SERVER_USAGE');
        expect(world.sandbox.log.slice(before), 'asked by the build').to.deep.equal([]);
        await expectTruth(world, hasPlain);
      }));

    if (!hasPlain)
      it('refuses a page without `connection` by words of its own', () =>
        inWorld(kind, true, async ({ folder, env, sandbox, notes }) => {
          const before = sandbox.log.length;
          const { code, output } = await build(folder, env);
          expect(code, output).to.equal(1);
          expect(output)
            .to.match(/Route "\/plain".*Date\.now\(\)/)
            .and.include('await connection()');
          expect(output, 'errors of another kind').not.to.match(/^\w*Error: (?!Route )/m);
          expectSteering(notes(), 'HANGING_PROMISE_REJECTION');
          expect(sandbox.log.slice(before), 'asked by the build').to.deep.equal([]);
        }));
  });
