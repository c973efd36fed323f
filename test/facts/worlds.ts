// The world in which facts are checked: a sandbox of this process.
import {
  createSandbox,
  type Movable,
  type Sandbox,
  type SandboxAccount,
  type SandboxOptions,
} from 'paystate/sandbox';
import {
  type LoginClient,
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

const accepts: Respond = () => ({});

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
export function openSandbox(options: SandboxOptions): ExaminedWorld {
  const post = createPost();
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
  return {
    send: (path, init, address) =>
      address ? fetchFrom(address)(path, init) : sandbox.fetch(path, init),
    keyOf: async (who = {}) => sandbox.clientOptionsFor(who).apiKey,
    ...outsideOf(sandbox),
    receiver: async (respond = accepts) => post.open(respond),
    login: async (draft) => loginOf(sandbox, draft),
  };
}

function loginOf({ oauth }: Sandbox, draft?: { readonly clientSecret: string }): LoginClient {
  const { authUrl, clientId, clientSecret, redirectUri } = draft
    ? oauth.registerClient(draft)
    : oauth.loginOptions;
  const path = new URL(authUrl).pathname.replace(/\/$/, '');
  return { path, clientId, clientSecret, redirectUri };
}
