// The worlds in which facts are checked: a sandbox of this process, the command on a loopback port,
// and a service that is only read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import {
  createSandbox,
  type Movable,
  type Sandbox,
  type SandboxAccount,
  type SandboxOptions,
} from '../../sandbox/index.ts';
import {
  type Between,
  type Delivery,
  type LoginClient,
  CannotTell,
  type HookReceiver,
  type Respond,
  type Send,
  type ExaminedWorld,
} from './fact.ts';

const RICH = {
  BTC: '20.00000000',
  USD: '100000.00',
  EUR: '100000.00',
  USDT: '100000.00',
  GBP: '100000.00',
  AUD: '100000.00',
};

/** The first one is the examiner's; the others are what only an account of its own can show. */
const ACCOUNTS: readonly SandboxAccount[] = [
  { handle: 'shop', balances: RICH, defaultCurrency: 'USD', description: 'Tea and more' },
  {
    handle: 'friend',
    defaultCurrency: 'GBP',
    currencies: ['GBP', 'BTC'],
    balances: { GBP: RICH.GBP, BTC: RICH.BTC },
  },
  { handle: 'hidden', isPrivate: true },
  { handle: 'mute', canReceive: false },
  { handle: 'poor' },
  { handle: 'traveller', balances: RICH, travelRule: true },
  { handle: 'rewarded', balances: RICH, reward: '0.01' },
  { handle: 'dollars', currencies: ['USD'], balances: { USD: RICH.USD } },
  { handle: 'late', readyAfter: 31_536_000_000_000 },
];

const PLENTY = { limit: 1_000_000, window: 60_000, block: 60_000 };
const UNLIMITED = {
  invoices: PLENTY,
  'invoice-quotes': PLENTY,
  rates: PLENTY,
  'payment-quotes': PLENTY,
  execute: PLENTY,
  others: PLENTY,
};

const sendAsIs = (send: Send): Send => send;
const asArrived = (got: Delivery): Delivery => got;
const accepts: Respond = () => ({});

/** A receiver that responds. */
interface OpenReceiver extends HookReceiver {
  readonly respond: Respond;
}

const arrive = (
  { got }: HookReceiver,
  delivery: Delivery,
  { changeDelivery = asArrived }: Between,
): void => void got.push(...[changeDelivery(delivery)].flat());

/** Receivers of webhooks, by the last part of their address. */
function createPost(between: Between) {
  const receivers = new Map<string, OpenReceiver>();
  return {
    async deliver(request: Request, clock: Sandbox['clock']): Promise<Response> {
      const receiver = receivers.get(new URL(request.url).pathname)!;
      const { method, url } = request;
      const headers = Object.fromEntries(request.headers);
      arrive(receiver, { method, url, headers, body: await request.text() }, between);
      const {
        status = 204,
        late = 0,
        never,
        headers: more,
      } = receiver.respond(receiver.got.length);
      if (never) return new Promise(() => {});
      if (late > 0) await clock.wait(late, new AbortController().signal);
      return new Response(null, { status, ...(more && { headers: more }) });
    },
    open(respond: Respond): OpenReceiver {
      const path = `/hooks/${receivers.size + 1}`;
      const receiver = { url: `https://shop.example${path}`, got: [], respond };
      receivers.set(path, receiver);
      return receiver;
    },
  };
}

type Outside = Pick<
  ExaminedWorld,
  | 'now'
  | 'advance'
  | 'pay'
  | 'startPay'
  | 'bolt11'
  | 'address'
  | 'move'
  | 'fund'
  | 'fault'
  | 'revoke'
>;

/** The world outside, by the sandbox's own members. */
const outsideOf = (sandbox: Sandbox): Outside => ({
  now: async () => sandbox.clock.now(),
  advance: (duration) => sandbox.advance(duration),
  pay: (target, how) =>
    sandbox.run(sandbox.payer.pay(target, how)) as ReturnType<ExaminedWorld['pay']>,
  async startPay(target, how) {
    sandbox.payer.pay(target, how).catch(() => {}); // what comes of it is read
  },
  bolt11: async (draft) => sandbox.payer.createBolt11(draft),
  address: async () => sandbox.payer.createAddress(),
  move: async (subject, id, state) => sandbox.move(subject as Movable, id, state),
  fund: async (account, amount, currency) =>
    sandbox.fund(account, { amount, currency } as Parameters<Sandbox['fund']>[1]),
  async fault(rule) {
    const delay = rule.delay === 'never' ? { delay: Infinity } : {};
    const end = sandbox.fault({ ...rule, ...delay } as Parameters<Sandbox['fault']>[0]);
    return async () => end();
  },
  revoke: async (key) => sandbox.revoke(key),
});

/** A sandbox of this process. */
export async function openSandbox(
  options: SandboxOptions,
  between: Between = {},
): Promise<ExaminedWorld> {
  const post = createPost(between);
  const sandbox = createSandbox({
    rateLimits: UNLIMITED,
    accounts: ACCOUNTS,
    deliver: (request) => post.deliver(request, sandbox.clock),
    ...options,
  });
  const fetchFrom = (address: string): Send => {
    const { fetch, baseUrl } = sandbox.clientOptionsFor({ address });
    return (path, init) => fetch!(baseUrl + path, init);
  };
  const { wrap = sendAsIs } = between;
  return {
    kind: 'fetch',
    send: wrap((path, init, address) =>
      address ? fetchFrom(address)(path, init) : sandbox.fetch(path, init),
    ),
    keyOf: async (who = {}) => sandbox.clientOptionsFor(who).apiKey,
    ...outsideOf(sandbox),
    receiver: async (respond = accepts) => post.open(respond),
    login: async (draft) => loginOf(sandbox, draft),
    close: async () => {},
  };
}

function loginOf({ oauth }: Sandbox, draft?: { readonly clientSecret: string }): LoginClient {
  const { authUrl, clientId, clientSecret, redirectUri } = draft
    ? oauth.registerClient(draft)
    : oauth.loginOptions;
  const path = new URL(authUrl).pathname.replace(/\/$/, '');
  return { path, clientId, clientSecret, redirectUri };
}

/** Throws where only a sandbox of this process can do it. */
export function boxOnly(world: ExaminedWorld, subject: string): void {
  if (world.kind !== 'fetch') throw new CannotTell(`the command cannot be told: ${subject}`);
}

/** Starts the command that this process runs, as a sandbox on a port of its own. */
async function startCommand(args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-examine-'));
  const accounts = join(folder, 'accounts.json');
  writeFileSync(accounts, JSON.stringify(ACCOUNTS));
  const words = [process.argv[1]!, 'sandbox', '--accounts', accounts, ...args];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const text of child.stdout) if (/control/.test((said += text))) break;
  rmSync(folder, { recursive: true });
  const [, url, key] = /(http:\/\/127\.0\.0\.1:\d+)\n +API key +(\S+)/.exec(said) ?? [];
  if (url === undefined || key === undefined) throw new Error(`the command did not start: ${said}`);
  return { child, url, key };
}

/** A receiver on the loopback. */
async function openReceiver(
  respond: Respond,
  between: Between,
): Promise<{ readonly receiver: HookReceiver; readonly server: Server }> {
  const got: Delivery[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method = '' } = incoming;
    const headers = incoming.headers as Delivery['headers'];
    arrive(receiver, { method, headers, body, url: receiver.url }, between);
    const { status = 204, late = 0, never, headers: more } = respond(got.length);
    if (never) return;
    setTimeout(() => outgoing.writeHead(status, more).end(), late);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver = { url: `http://127.0.0.1:${port}/hooks`, got };
  return { receiver, server };
}

type Control = <T>(name: string, body?: object, method?: string) => Promise<T>;

/** Sends what the world outside does. */
const controlOf =
  (url: string): Control =>
  async (name, body, method = 'POST') => {
    const response = await fetch(`${url}/_sandbox/${name}`, {
      method,
      headers: { 'x-paystate-control': '1', 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    const json = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${name}: ${json.code} ${json.message}`), json);
    return json;
  };

/** The world outside, by the control. */
const outsideBy = (control: Control): Outside => ({
  now: async () => (await control<{ now: number }>('state', undefined, 'GET')).now,
  advance: (duration) => control('advance', { duration }),
  pay: (target, how) => control('pay', { target, ...how }),
  startPay: (target, how) => control('pay', { target, ...how, wait: false }),
  bolt11: async (draft) => (await control<{ lnInvoice: string }>('bolt11', draft)).lnInvoice,
  address: async () => (await control<{ btcAddress: string }>('address')).btcAddress,
  move: (subject, id, state) => control('move', { subject, id, state }),
  fund: (account, amount, currency) => control('fund', { account, amount, currency }),
  async fault(rule) {
    const { id } = await control<{ id: string }>('faults', rule);
    return () => control(`faults/${id}`, undefined, 'DELETE');
  },
  revoke: (apiKey) => control('revoke', { apiKey }),
});

/** The command, in a process of its own. */
export async function openCommand(
  args: readonly string[],
  between: Between = {},
): Promise<ExaminedWorld> {
  const { child, url, key } = await startCommand(args);
  const control = controlOf(url);
  const servers: Server[] = [];
  const { wrap = sendAsIs } = between;
  return {
    kind: 'command',
    send: wrap((path, init) => fetch(url + path, init)),
    keyOf: async (who) => (who ? (await control<{ apiKey: string }>('keys', who)).apiKey : key),
    ...outsideBy(control),
    async receiver(respond = accepts) {
      const { receiver, server } = await openReceiver(respond, between);
      servers.push(server);
      return receiver;
    },
    async login(draft) {
      if (draft) throw new CannotTell('the command has one OAuth client');
      return { path: '', clientId: 'app', redirectUri: 'http://127.0.0.1:9/callback' };
    },
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}
