// A page with nothing but `<paystate-checkout>`, under the strictest policy, with the service in the page.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after } from '#test';
import { serve } from '../../src/cli/loopback.ts';
import { bundle, bundleSplit } from '../house/bundle.ts';
import { root } from '../house/source.ts';
import { type Engine, type EngineDoor, openEngine, type Tab, until } from './engines.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const page = (
  attributes: string,
  scripts: string = '',
  module: string = '/page.js',
): string => `<!doctype html>
<html ${attributes}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Checkout</title><link rel="icon" href="data:,">
<script src="/complaints.js"></script>${scripts}<script type="module" src="${module}"></script></head>
<body><main><h1>The Quiet Kettle</h1><paystate-checkout>This page needs scripts.</paystate-checkout></main></body></html>`;

/** What a page gathers of what its policy and its scripts complain of. */
export const COMPLAINTS = `
window.complaints = [];
addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile }) => complaints.push(effectiveDirective + ' ' + sourceFile));
addEventListener('error', ({ message }) => complaints.push(message));
addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));`;

const PAGE = `
import { createClient, createSandbox, defineElements } from '/paystate.min.js';
defineElements();
const sandbox = createSandbox({ seed: 'element', clock: 'real' });
const client = createClient(sandbox.clientOptions);
const element = document.querySelector('paystate-checkout');
const ask = new URLSearchParams(location.search);
const { invoiceId } = await client.invoices.create({
  amount: { amount: ask.get('amount') ?? '16.80', currency: ask.get('currency') ?? 'EUR' },
  description: ask.get('text') ?? '1 × Harbour Espresso, 500 g',
  correlationId: 'QK-7F3A91C2',
});
if (ask.has('texts')) {
  const texts = await import('/texts.js');
  element.catalogue = texts[ask.get('texts')];
}
const phases = [];
element.addEventListener('paystate-change', ({ detail }) => phases.push(detail.phase));
Object.assign(element, { client, invoiceId, until: 'never' });
Object.assign(window, { sandbox, client, element, invoiceId, phases, defineElements });
window.stranger = createClient({ ...sandbox.clientOptions, apiKey: 'of-somebody-else' });`;

// The same as a bundler makes it that splits: what is loaded by `import()` are files of their own. Time goes on while they
// are under way.
const SPLIT = `
import { createClient } from 'paystate';
import { defineElements } from 'paystate/elements';
import { createSandbox } from 'paystate/sandbox';
${PAGE.replace(/^import .*$/m, '')
  .replace("await import('/texts.js')", '{}')
  .replace(
    '(sandbox.clientOptions)',
    '({ ...sandbox.clientOptions, clock: { ...sandbox.clientOptions.clock, external: (work) => work } })',
  )}`;

// The elements and their texts, bundled by themselves: the one file has neither all languages nor the list.
const TEXTS = `
export { elementsDe } from 'paystate/messages/de';
export { elementsEn } from 'paystate/messages/en';
export { elementsEs } from 'paystate/messages/es';
export { elementsFr } from 'paystate/messages/fr';`;
const RECEIVES = `
import { createClient } from 'paystate';
import { defineReceives } from 'paystate/elements';
import { elementsDe } from 'paystate/messages/de';
import { createSandbox } from 'paystate/sandbox';
const sandbox = createSandbox({ seed: 'list', clock: 'real' });
const client = createClient(sandbox.clientOptions);
const request = await client.receiveRequests.create({ onchain: {}, bolt11: { amount: { amount: '0.0002', currency: 'BTC' } } });
const element = document.createElement('paystate-receives');
Object.assign(element, { client, receiveRequestId: request.receiveRequestId });
document.querySelector('main').append(element);
defineReceives();
Object.assign(window, { sandbox, client, element, request, elementsDe });`;

// Codes that hold an address too, as the service makes them for accounts that take on-chain payments.
const ONCHAIN = `
import { createClient } from 'paystate';
import { defineElements } from 'paystate/elements';
import { decodeBolt11, fallbackAddress } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { createSandbox } from 'paystate/sandbox';
const fallback = { version: 0, program: '751e76e8199196d454941c45d1b3a323f1433bd6' };
const address = fallbackAddress(fallback, 'testnet');
const sandbox = createSandbox({ seed: 'onchain', clock: 'real' });
async function fetch(url, init) {
  const response = await sandbox.fetch(url, init);
  if (!url.endsWith('/quote') || !response.ok) return response;
  const quote = await response.json();
  const { payee, ...said } = decodeBolt11(quote.lnInvoice);
  const draft = { ...said, fallbacks: [fallback], routeHints: [], features: undefined };
  const lnInvoice = encodeBolt11(draft, '11'.repeat(32));
  return Response.json({ ...quote, lnInvoice, onchainAddress: address }, response);
}
const client = createClient({ ...sandbox.clientOptions, fetch });
const { invoiceId } = await client.invoices.create({ amount: { amount: '16.80', currency: 'EUR' } });
const element = document.querySelector('paystate-checkout');
Object.assign(element, { client, invoiceId, includeOnchain: true });
defineElements();
Object.assign(window, { sandbox, client, element, invoiceId, address });`;

// The devtools beside a checkout, as a developer has them.
const DEVTOOLS = `
import { createClient, watchBalances } from 'paystate';
import { defineDevtools } from 'paystate/devtools';
import { defineElements } from 'paystate/elements';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
const sandbox = createSandbox({ seed: 'devtools', clock: 'real' });
const client = createClient(sandbox.clientOptions);
const other = createClient(sandbox.clientOptions);
const element = document.createElement('paystate-devtools');
const journal = memoryStore();
document.querySelector('main').append(element);
element.client = client;
defineDevtools();
defineElements();
await new Promise((resolve) => setTimeout(resolve));
const { invoiceId } = await client.invoices.create({ amount: { amount: '16.80', currency: 'EUR' } }, { reason: 'an order' });
Object.assign(document.querySelector('paystate-checkout'), { client, invoiceId });
Object.assign(window, { sandbox, client, other, element, invoiceId, journal, pay, watchBalances });`;

const bundles = new Map<string, Promise<string>>();

/** The script of a page, made once: many tabs load it. */
async function scriptOf(code: string): Promise<File> {
  const made = bundles.get(code) ?? bundle(code);
  bundles.set(code, made);
  return ['text/javascript', await made];
}

const fromDist = (name: string): string => readFileSync(join(root, 'dist', name), 'utf8');

type File = readonly [type: string, text: string];

const FILES: Readonly<Record<string, () => File | Promise<File>>> = {
  '/': () => ['text/html', page('lang="en"')],
  '/axe': () => ['text/html', page('lang="en"', '<script src="/axe.js"></script>')],
  '/split': () => ['text/html', page('lang="en"', '', '/split/stdin.js')],
  '/rtl': () => ['text/html', page('lang="ar" dir="rtl"')],
  '/list': () => ['text/html', page('lang="en"', '<script src="/axe.js"></script>', '/list.js')],
  '/list.js': () => scriptOf(RECEIVES),
  '/onchain': () => [
    'text/html',
    page('lang="en"', '<script src="/axe.js"></script>', '/onchain.js'),
  ],
  '/onchain.js': () => scriptOf(ONCHAIN),
  '/devtools': () => [
    'text/html',
    page('lang="en"', '<script src="/axe.js"></script>', '/devtools.js'),
  ],
  '/devtools.js': () => scriptOf(DEVTOOLS),
  '/texts.js': () => scriptOf(TEXTS),
  '/page.js': () => ['text/javascript', PAGE],
  '/complaints.js': () => ['text/javascript', COMPLAINTS],
  '/paystate.min.js': () => ['text/javascript', fromDist('paystate.min.js')],
  '/axe.js': () => [
    'text/javascript',
    readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8'),
  ],
};

let splitFiles: Promise<ReadonlyMap<string, string>> | undefined;

/** Files of the page that is split, by their names. */
async function bundleFiles(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await bundleSplit(SPLIT);
  return new Map(outputFiles.map(({ path, text }) => [`/split/${basename(path)}`, text]));
}

async function fileOf(pathname: string): Promise<File | undefined> {
  if (!pathname.startsWith('/split/')) return FILES[pathname]?.();
  const text = (await (splitFiles ??= bundleFiles())).get(pathname);
  return text === undefined ? undefined : ['text/javascript', text];
}

/** Serves the page; ends with the tests. */
export async function serveElement(): Promise<string> {
  const server = await serve(async (request) => {
    const file = await fileOf(new URL(request.url).pathname);
    if (!file) return new Response(null, { status: 404 });
    const [type, text] = file;
    const policy = type === 'text/html' ? { 'content-security-policy': POLICY } : {};
    return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8`, ...policy } });
  });
  after(() => server.close());
  return server.url;
}

/** Those engines that this machine has, closed after the tests. */
export async function openEngines(
  ...engines: readonly Engine[]
): Promise<ReadonlyMap<Engine, EngineDoor>> {
  const wanted = engines.filter(
    (engine) => !process.env['ENGINE'] || process.env['ENGINE'] === engine,
  );
  const opened = await Promise.all(wanted.map(openEngine));
  const doors = new Map(wanted.flatMap((engine, at) => (opened[at] ? [[engine, opened[at]]] : [])));
  after(() => Promise.all([...doors.values()].map((door) => door.close())));
  return doors;
}

/** The text of a part, or of all of the element. */
export const textOf = (tab: Tab, part = 'card'): Promise<string> =>
  tab.run(`return element.shadowRoot.querySelector('[part=${part}]').textContent`);

/** Any expression in the page; `part('copy')` is an element of the shadow root. */
export const ask = <T>(tab: Tab, expression: string): Promise<T> =>
  tab.run<T>(
    `const part = (name) => element.shadowRoot.querySelector('[part=' + name + ']'); return ${expression}`,
  );

/** Waits for a phase. */
export const phase = (tab: Tab, name: string): Promise<void> =>
  until(tab, `element.shadowRoot.querySelector('[data-phase=${name}]')`);

/** Starts something of the sandbox and waits for its end. */
export async function act(tab: Tab, promise: string): Promise<void> {
  await tab.run(
    `window.done = ''; (async () => ${promise})().then(() => (done = 'yes'), (reason) => (done = String(reason)))`,
  );
  await until(tab, 'window.done');
  const done = await tab.run<string>('return done');
  if (done !== 'yes') throw new Error(done);
}
