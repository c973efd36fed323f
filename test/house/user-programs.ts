// Programs of users, and how compilers check them against the built declarations.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entries, type Entry } from './entries.ts';
import { root } from './source.ts';

const folder = join(root, '.cache', `types-${process.pid}`);

// Were a type missing, it would be `any`, and the line below the comment would be right.
export const program = (specifier: string): string => `
import { createClient } from '${specifier}';
// @ts-expect-error: a client is not a number
export const wrong: number = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
`;

export const CHECKOUT = `
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
export const unbounded = `
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
pay(client, { to: 'lnbc1', sourceCurrency: 'EUR', maxFee: { percent: '1' }, journal: memoryStore() });
`;

export const exportsOf = (some: readonly Entry[]): string =>
  some.map(({ specifier }, at) => `export * as entry${at} from '${specifier}';`).join('\n');

// test/runners/element-types.mjs checks the entries for frameworks.
const everyEntry = exportsOf(entries.filter(({ isForFramework }) => !isForFramework));

export const needsNothing = ({ specifier, isForFramework }: Entry): boolean =>
  !isForFramework && !/\/(rx|react|vue|schemas)$/.test(specifier);

export const run = (command: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', command), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(stdout + stderr);
};

export const check = (
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

export const elements = `
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

export const programs = {
  'by-name.ts': program('paystate'),
  'all.ts': everyEntry,
  'paying.ts': paying,
};
export const inPages = { ...programs, 'elements.ts': elements, 'sockets.ts': sockets };
export const strict = [
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
export const newest = ['--ignoreConfig', '--singleThreaded'] as const;
