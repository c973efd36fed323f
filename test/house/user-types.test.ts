// Protects: whoever type-checks against the package sees right types, all declarations included.
// TypeScript is asked without its habit of skipping declarations; Deno reads the JavaScript it is
// given, follows the comment in its first line, and takes declarations at their word about file
// endings.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries, type Entry } from './entries.ts';
import { expectNone } from './none.ts';
import { root, sourceFiles, textOf } from './source.ts';
import { pack } from './tarball.ts';

const folder = join(root, '.cache', `types-${process.pid}`);

// Were a type missing, it would be `any`, and the line below the comment would be right.
const program = (specifier: string): string => `
import { createClient } from '${specifier}';
// @ts-expect-error: a client is not a number
export const wrong: number = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
`;

const CHECKOUT = `
import { createConnection, defineElements, definePayButton } from '../../dist/paystate-checkout.min.js';
// @ts-expect-error: a connection is not a number
export const wrong: number = createConnection({ baseUrl: '/pay', token: 'T' });
export const definitions: readonly (() => void)[] = [defineElements, definePayButton];
`;

// Whoever writes `to` must not decide alone how much is paid.
const paying = `
import { createClient, type Money } from 'paystate';
import { applyPlan, pay, plan, type PlanRow, refund } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
const journal = memoryStore();
const common = { to: 'lnbc1', sourceCurrency: 'EUR', journal } as const;
const one: Money = { amount: '1.00', currency: 'EUR' };
const perhaps = [one].find(() => false);
pay(client, { ...common, maxFee: one, maxTotal: one });
pay(client, { ...common, maxFee: one, maxTotal: 'any' });
pay(client, { ...common, maxFee: one, amount: one });
pay(client, { ...common, maxFee: one, amount: one, maxTotal: one });
pay(client, { ...common, maxFee: one, amount: perhaps, maxTotal: one });
pay(client, { ...common, maxFee: one, ...(perhaps && { amount: perhaps }), maxTotal: 'any' });
// @ts-expect-error: neither amount nor maxTotal
pay(client, { ...common, maxFee: one });
// @ts-expect-error: a percentage limits nothing by itself
pay(client, { ...common, maxFee: { percent: '1' } });
// @ts-expect-error: perhaps neither amount nor maxTotal
pay(client, { ...common, maxFee: one, amount: perhaps });
// @ts-expect-error: no limit has to be written out
pay(client, { ...common, maxFee: one, maxTotal: undefined });
// @ts-expect-error: an amount without a currency
pay(client, { ...common, maxFee: one, maxTotal: '25.00' });
refund(client, { ...common, maxFee: one, invoiceId: 'a' });
const row: PlanRow = { to: 'lnbc1' };
const made = await plan(client, [row], { journal, maxTotal: 'any' });
applyPlan(client, made, { journal });
for (const { options } of made.rows) if ('to' in options) pay(client, { ...options, journal });
export {};
`;
const unbounded = `
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
pay(client, { to: 'lnbc1', sourceCurrency: 'EUR', maxFee: { percent: '1' }, journal: memoryStore() });
`;

const exportsOf = (some: readonly Entry[]): string =>
  some.map(({ specifier }, at) => `export * as entry${at} from '${specifier}';`).join('\n');

// test/runners/element-types.mjs checks the entries for frameworks.
const everyEntry = exportsOf(entries.filter(({ isForFramework }) => !isForFramework));

const needsNothing = ({ specifier, isForFramework }: Entry): boolean =>
  !isForFramework && !/\/(rx|react|vue|schemas)$/.test(specifier);

const run = (command: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', command), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(stdout + stderr);
};

const check = (
  files: Readonly<Record<string, string>>,
  ...command: [string, ...string[]]
): void => {
  mkdirSync(folder, { recursive: true });
  try {
    for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
    run(...command, ...Object.keys(files).map((name) => join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const elements = `
import type {} from 'paystate/elements';
const checkout = document.querySelector('paystate-checkout')!;
checkout.retry();
checkout.invoiceId = 'invoice-1';
checkout.addEventListener('paystate-change', ({ detail }) => detail.phase, { once: true });
checkout.addEventListener('click', ({ clientX }) => clientX);
const receives = document.createElement('paystate-receives');
receives.addEventListener('paystate-change', ({ detail }) => detail.freshness);
export const asElement: HTMLElement = receives;
document.createElement('paystate-devtools').invoiceId = 'invoice-1';
// @ts-expect-error: an id is a text
checkout.invoiceId = 1;
// @ts-expect-error: a click has no phase
checkout.addEventListener('click', ({ detail }) => detail.phase);
// @ts-expect-error: these are snapshots of receives
receives.addEventListener('paystate-change', ({ detail }) => detail.phase);
// @ts-expect-error: there is no such element
document.querySelector('paystate-chekout')!.retry();
`;

// Events as the current types of the package `ws` describe them, each by a type of its own.
const sockets = `
import { type NodeConnection, type NodeRequest, nodeUpgrade } from 'paystate/host';
interface Happened { type: string; target: Opened }
interface Closed extends Happened { wasClean: boolean; code: number; reason: string }
interface Failed extends Happened { error: unknown; message: string }
interface Heard extends Happened { data: string | Uint8Array | Uint8Array[] }
interface Events { open: Happened; close: Closed; error: Failed; message: Heard }
declare class Opened {
  readonly readyState: 0 | 1 | 2 | 3;
  send(data: string | Uint8Array): void;
  close(code?: number, data?: string | Uint8Array): void;
  addEventListener<K extends keyof Events>(
    type: K,
    listener: ((event: Events[K]) => void) | { handleEvent(event: Events[K]): void },
    options?: { once?: boolean },
  ): void;
}
declare class Sockets {
  constructor(options?: {
    noServer?: boolean;
    maxPayload?: number;
    handleProtocols?: (protocols: Set<string>) => string | false;
  });
  handleUpgrade(
    request: NodeRequest,
    socket: NodeConnection,
    head: Uint8Array,
    opened: (socket: Opened) => void,
  ): void;
}
nodeUpgrade(Sockets, async () => new Response());
export {};
`;

const programs = {
  'by-name.ts': program('paystate'),
  'all.ts': everyEntry,
  'paying.ts': paying,
};
const inPages = { ...programs, 'elements.ts': elements, 'sockets.ts': sockets };
const strict = [
  '--noEmit',
  '--strict',
  '--skipDefaultLibCheck', // our declarations are checked, and not those of the language
  '--target',
  'es2022',
  '--lib',
  'es2022,dom,dom.iterable',
  '--module',
  'nodenext',
  '--moduleResolution',
  'nodenext',
];

/** Options that older compilers do not know. */
const newest = ['--ignoreConfig', '--singleThreaded'] as const;

describe('types', () => {
  // The strictest way to resolve; tests and demo are checked the way of bundlers.
  it('are right for TypeScript', () => check(inPages, '.bin/tsc', ...newest, ...strict));

  it('need no other package installed, but for entries named after it', () => {
    const place = mkdtempSync(join(tmpdir(), 'paystate-'));
    const target = join(place, 'node_modules/paystate');
    try {
      mkdirSync(target, { recursive: true });
      spawnSync('tar', ['xf', pack().path, '-C', target, '--strip=1']);
      writeFileSync(join(place, 'elements.ts'), elements);
      writeFileSync(join(place, 'all.ts'), exportsOf(entries.filter(needsNothing)));
      const files = ['elements.ts', 'all.ts'].map((name) => join(place, name));
      run('.bin/tsc', ...newest, ...strict, ...files);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('know every element that is defined', () => {
    const tags = sourceFiles.flatMap((file) =>
      [...textOf(file).matchAll(/defineOnce\('([\w-]+)'/g)].map(([, tag]) => tag!),
    );
    expect(tags).to.include.members(['paystate-checkout', 'paystate-devtools']);
    const known = textOf('elements/tags.ts');
    expectNone(tags.filter((tag) => !known.includes(`'${tag}': Tag<`)));
  });

  it('say what is missing of a payment whose amount nothing limits', () => {
    const told = () => check({ 'unbounded.ts': unbounded }, '.bin/tsc', ...newest, ...strict);
    expect(told).to.throw(
      /Property 'maxTotal' is missing .* required in type 'PaymentWithoutAmount'/,
    );
  });

  // README promises 5.4: whoever has it as `typescript-5.4` sees it checked, all others the next
  // that is installed.
  for (const version of ['5.4', '5.9'])
    if (existsSync(join(root, `node_modules/typescript-${version}`)))
      it(`are right for TypeScript ${version}`, () =>
        check(inPages, `typescript-${version}/bin/tsc`, ...strict));

  it('are right for Deno, by name, by path and in the bundle', () => {
    const byPath = {
      'by-path.ts': program('../../dist/index.js'),
      'bundle.ts': program('../../dist/paystate.min.js'),
      'checkout.ts': CHECKOUT,
    };
    check({ ...programs, ...byPath }, '.bin/deno', 'check', '--quiet');
  });
});
