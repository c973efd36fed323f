// The world in which facts are checked: a sandbox of this process.
import {
  createSandbox,
  type Movable,
  type Sandbox,
  type SandboxAccount,
  type SandboxOptions,
} from 'paystate/sandbox';
import type { HookReceiver, Respond, Who } from './fact.ts';

const RICH = {
  BTC: '20.00000000',
  USD: '100000.00',
  EUR: '100000.00',
  USDT: '100000.00',
  GBP: '100000.00',
  AUD: '100000.00',
};

/** The first one is the one that asks; the others are what only an account of its own can show. */
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

/** A receiver that responds. */
interface OpenReceiver extends HookReceiver {
  readonly respond: Respond;
}

/** Receivers of webhooks, by the last part of their address. */
function createPost() {
  const receivers = new Map<string, OpenReceiver>();
  return {
    async deliver(request: Request, clock: Sandbox['clock']): Promise<Response> {
      const receiver = receivers.get(new URL(request.url).pathname)!;
      const { method, url } = request;
      const headers = Object.fromEntries(request.headers);
      receiver.got.push({ method, url, headers, body: await request.text() });
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

/** A payment by the payer. */
interface Payment {
  readonly pendingFor?: number;
  readonly fails?: boolean;
  readonly amount?: string;
}

/** A rule for what goes wrong. */
export interface FaultDraft {
  readonly subject: string;
  readonly state?: string;
  readonly delay?: 'never';
}

/** A service, and the world outside of it: payers, banks, time. */
export type World = ReturnType<typeof openSandbox>;

/** A sandbox of this process. */
export function openSandbox(options: SandboxOptions) {
  const post = createPost();
  const sandbox = createSandbox({
    rateLimits: UNLIMITED,
    accounts: ACCOUNTS,
    deliver: (request) => post.deliver(request, sandbox.clock),
    ...options,
  });
  return {
    send(path: string, init: RequestInit): Promise<Response> {
      return sandbox.fetch(path, init);
    },
    keyOf: (who: Who = {}) => sandbox.clientOptionsFor(who).apiKey,
    now: () => sandbox.clock.now(),
    advance: (duration: number) => sandbox.advance(duration),
    pay: (target: string, how?: Payment) => sandbox.run(sandbox.payer.pay(target, how)),
    /** The same, and does not wait for the end. */
    startPay(target: string, how?: Payment): void {
      sandbox.payer.pay(target, how).catch(() => {}); // what comes of it is read
    },
    bolt11: (draft: object) => sandbox.payer.createBolt11(draft),
    address: () => sandbox.payer.createAddress(),
    async move(subject: string, id: string, state: string): Promise<void> {
      await sandbox.move(subject as Movable, id, state);
    },
    fund(account: string, amount: string, currency: string): void {
      sandbox.fund(account, { amount, currency } as Parameters<Sandbox['fund']>[1]);
    },
    /** A rule for what goes wrong; returns its end. */
    fault({ delay, ...rule }: FaultDraft): () => void {
      const never = delay === 'never' && { delay: Infinity };
      return sandbox.fault({ ...rule, ...never } as Parameters<Sandbox['fault']>[0]);
    },
    revoke: (key: string) => sandbox.revoke(key),
    receiver: (respond: Respond = () => ({})): HookReceiver => post.open(respond),
    login(draft?: { readonly clientSecret: string }) {
      const { authUrl, clientId, clientSecret, redirectUri } = draft
        ? sandbox.oauth.registerClient(draft)
        : sandbox.oauth.loginOptions;
      const path = new URL(authUrl).pathname.replace(/\/$/, '');
      return { path, clientId, clientSecret, redirectUri };
    },
  };
}

/** The means to log in; `path` is where the login server begins. */
export type LoginClient = ReturnType<World['login']>;
