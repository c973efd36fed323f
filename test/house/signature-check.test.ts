// Protects: a checkout's check of signatures is a file of its own, which may be missing, late, or
// come back. Bundled as a page would be, so that the very file can be taken away.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import type { InvoiceQuote } from 'paystate';
import type * as flows from 'paystate/flows';
import type { CheckoutView } from 'paystate/flows';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11, recoverPayee } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { internalsOf, withInternals } from '../unit/core/internals.ts';
import { altered, openShop, record, type Record, type Shop } from '../unit/state/shop.ts';
import { root } from './source.ts';

const folder = join(root, '.cache', `signature-check-${process.pid}`);
const NOT_COMPARED = /signature was not checked/;
const KEYS = ['11'.repeat(32), '22'.repeat(32)] as const;

interface PageFile {
  readonly checkout: typeof flows.checkout;
  /** The file that holds the check. */
  readonly path: string;
}

/** A page's files in a folder of their own, so that each test loads them again. */
async function bundlePage(name: string): Promise<PageFile> {
  const outdir = join(folder, name);
  await build({
    stdin: { contents: `export { checkout } from 'paystate/flows';`, resolveDir: root },
    entryNames: 'page',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
  const later = readdirSync(outdir).filter((file) => /^(?!page|feed-)/.test(file));
  expect(later, 'files of the check').to.have.length(1);
  const page = (await import(pathToFileURL(join(outdir, 'page.js')).href)) as typeof flows;
  return { checkout: page.checkout, path: join(outdir, later[0]!) };
}

/** A shop whose codes are those of `change`. */
const shopOf = (change: (quote: InvoiceQuote, nth: number) => unknown): Shop => {
  let nth = 0;
  return openShop({ signed: true }, async (url, ask) =>
    url.endsWith('/quote')
      ? altered(await ask(), (quote: InvoiceQuote) => change(quote, nth++))
      : ask(),
  );
};

/** The same code from another signer, who may name himself. */
function signedBy(quote: InvoiceQuote, key: string, isNamed: boolean): InvoiceQuote {
  const { payee: _, ...said } = decodeBolt11(quote.lnInvoice);
  const draft = { ...said, fallbacks: [], routeHints: [] };
  const payee = isNamed ? recoverPayee(encodeBolt11(draft, key)) : undefined;
  return { ...quote, lnInvoice: encodeBolt11({ ...draft, payee }, key) };
}

const codesOf = (log: Record<CheckoutView>) => [
  ...new Set(
    log.values.flatMap((view) => (view.phase === 'awaiting' ? [view.quote.lnInvoice] : [])),
  ),
];

async function open({ checkout }: PageFile, shop: Shop, client = shop.client) {
  const { invoiceId } = await shop.invoice();
  const watch = checkout(client, { invoiceId });
  const log = record(watch);
  await shop.sandbox.advance(1_000);
  return { log, reason: () => watch.status().reason };
}

async function inFolder(run: () => Promise<void>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  try {
    await run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a checkout whose check of signatures cannot be loaded', () => {
  it('shows codes that fit otherwise and says so, and checks the next one when the file is back', () =>
    inFolder(async () => {
      const page = await bundlePage('missing');
      renameSync(page.path, `${page.path}.away`);
      let key: string = KEYS[0];
      const shop = shopOf((quote) => signedBy(quote, key, false));
      const { log, reason } = await open(page, shop);
      expect(codesOf(log)).to.have.length(1);
      expect(reason()).to.not.match(NOT_COMPARED);
      await shop.sandbox.advance(28_000);
      expect(codesOf(log)).to.have.length(2);
      expect(reason()).to.match(NOT_COMPARED);
      renameSync(`${page.path}.away`, page.path);
      await shop.sandbox.advance(28_000);
      expect(codesOf(log)).to.have.length(3);
      expect(reason()).to.not.match(NOT_COMPARED);
      key = KEYS[1];
      await shop.sandbox.advance(30_000);
      expect(codesOf(log)).to.have.length(3);
      expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_PAYEE_CHANGED' });
    }));

  it('is not misled by the codes that came meanwhile: the payee is that of the first', () =>
    inFolder(async () => {
      const page = await bundlePage('meanwhile');
      renameSync(page.path, `${page.path}.away`);
      const shop = shopOf((quote, nth) => signedBy(quote, KEYS[nth === 0 ? 0 : 1], false));
      const { log } = await open(page, shop);
      await shop.sandbox.advance(28_000);
      expect(codesOf(log)).to.have.length(2);
      renameSync(`${page.path}.away`, page.path);
      await shop.sandbox.advance(30_000);
      expect(codesOf(log)).to.have.length(2);
      expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_PAYEE_CHANGED' });
    }));

  for (const [problem, change] of [
    [
      'QUOTE_AMOUNT_DIFFERS',
      (quote: InvoiceQuote) => ({ ...quote, sourceAmount: { ...quote.sourceAmount, amount: '1' } }),
    ],
    [
      'QUOTE_NETWORK_CHANGED',
      (quote: InvoiceQuote) => {
        const said = {
          ...decodeBolt11(quote.lnInvoice),
          payee: undefined,
          network: 'mainnet',
        } as const;
        return { ...quote, lnInvoice: encodeBolt11(said, KEYS[0]) };
      },
    ],
    ['QUOTE_PAYEE_CHANGED', (quote: InvoiceQuote) => signedBy(quote, KEYS[1], true)],
  ] as const)
    it(`compares everything else: ${problem}`, () =>
      inFolder(async () => {
        const page = await bundlePage(problem);
        rmSync(page.path);
        const shop = shopOf((quote, nth) =>
          nth === 0 ? signedBy(quote, KEYS[0], true) : change(quote),
        );
        const { log } = await open(page, shop);
        await shop.sandbox.advance(35_000);
        expect(codesOf(log)).to.have.length(1);
        expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem });
      }));
});

describe('a checkout whose check of signatures is late', () => {
  /** The file waits until `release` is called. */
  async function openLate(name: string) {
    const page = await bundlePage(name);
    let release = () => {};
    const gates = globalThis as { [name: string]: unknown };
    gates[name] = new Promise<void>((resolve) => void (release = resolve));
    writeFileSync(page.path, `await globalThis.${name};\n${readFileSync(page.path, 'utf8')}`);
    const shop = openShop({ signed: true });
    // Virtual time goes on while the file is under way.
    const clock = { ...internalsOf(shop.client).clock, external: <T>(work: Promise<T>) => work };
    const asked = () => shop.requests.filter(({ path }) => path.endsWith('/quote')).length;
    const untilSecondQuote = async () => {
      while (asked() < 2) await shop.sandbox.advance(100);
    };
    return {
      shop,
      release,
      asked,
      untilSecondQuote,
      ...(await open(page, shop, {
        ...shop.client,
        ...withInternals(shop.client, { clock }),
      })),
    };
  }

  it('goes on without it after a second and a half, while the code before is on show, and says so', () =>
    inFolder(async () => {
      const { shop, log, reason, release, untilSecondQuote } = await openLate('lateFile');
      await untilSecondQuote();
      await shop.sandbox.advance(1_300);
      expect(codesOf(log)).to.have.length(1);
      await shop.sandbox.advance(400);
      expect(codesOf(log)).to.have.length(2);
      expect(log.values.map(({ phase }) => phase)).to.deep.equal([
        'loading',
        'renewing',
        'awaiting',
        'awaiting',
      ]);
      expect(reason()).to.match(NOT_COMPARED);
      release();
      log.stop();
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    }));

  it('says and keeps nothing when it is left meanwhile', () =>
    inFolder(async () => {
      const { shop, log, release, asked, untilSecondQuote } = await openLate('leftFile');
      await untilSecondQuote();
      await shop.sandbox.advance(200);
      log.stop();
      const shown = log.values.length;
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
      release();
      await new Promise((resolve) => setTimeout(resolve, 50)); // the file comes in real time
      await shop.sandbox.advance(60_000);
      expect([log.values.length, asked(), shop.timers()]).to.deep.equal([shown, 2, 0]);
    }));
});
