// A sandbox of this process, seen as a service: requests by its `fetch`, the world outside by its public control.
import { createSandbox } from '../../dist/sandbox/index.js';
import { ACCOUNTS } from './accounts.mjs';
import { Open } from './verdict.mjs';

const PLENTY = { limit: 1_000_000, window: 60_000, block: 60_000 };
const BUCKETS = ['invoices', 'invoice-quotes', 'rates', 'payment-quotes', 'execute', 'others'];
const unlimited = Object.fromEntries(BUCKETS.map((bucket) => [bucket, PLENTY]));

/** Receivers of webhooks, by the last part of their address. */
const createPost = (change) => {
  const receivers = new Map();
  return {
    async deliver(request, clock) {
      const receiver = receivers.get(new URL(request.url).pathname);
      const got = change({
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      });
      receiver.got.push(...[got].flat());
      const { status = 204, late = 0, never, headers } = receiver.respond(receiver.got.length);
      if (never) return new Promise(() => {});
      if (late > 0) await clock.wait(late, new AbortController().signal);
      return new Response(null, { status, ...(headers && { headers }) });
    },
    open(respond = () => ({})) {
      const path = `/hooks/${receivers.size + 1}`;
      const receiver = { url: `https://shop.example${path}`, got: [], respond };
      receivers.set(path, receiver);
      return receiver;
    },
  };
};

/** The world outside, by the sandbox's own members. */
const outside = (sandbox) => ({
  now: async () => sandbox.clock.now(),
  advance: (duration) => sandbox.advance(duration),
  pay: (target, how) => sandbox.run(sandbox.payer.pay(target, how)),
  async startPay(target, how) {
    sandbox.payer.pay(target, how).catch(() => {}); // what comes of it is read
  },
  bolt11: async (draft) => sandbox.payer.createBolt11(draft),
  address: async () => sandbox.payer.createAddress(),
  move: async (subject, id, state) => sandbox.move(subject, id, state),
  fund: async (account, amount, currency) => sandbox.fund(account, { amount, currency }),
  async fault(rule) {
    const end = sandbox.fault(rule.delay === 'never' ? { ...rule, delay: Infinity } : rule);
    return async () => end();
  },
  revoke: async (key) => sandbox.revoke(key),
});

/** A world of this process. `wrap` and `changeDelivery` are what lies put between. */
export function openBox({ options = {}, wrap = (send) => send, changeDelivery = (got) => got }) {
  const post = createPost(changeDelivery);
  const sandbox = createSandbox({
    rateLimits: unlimited,
    accounts: ACCOUNTS,
    deliver: (request) => post.deliver(request, sandbox.clock),
    ...options,
  });
  const fetchFrom = (address) => {
    const { fetch, baseUrl } = sandbox.clientOptionsFor({ address });
    return (path, init) => fetch(baseUrl + path, init);
  };
  return {
    kind: 'fetch',
    send: wrap((path, init, address) => (address ? fetchFrom(address) : sandbox.fetch)(path, init)),
    keyOf: async (who = {}) => sandbox.clientOptionsFor(who).apiKey,
    ...outside(sandbox),
    receiver: async (respond) => post.open(respond),
    login: async (draft) => loginOf(sandbox, draft),
    close: async () => {},
  };
}

function loginOf({ oauth }, draft) {
  const { authUrl, clientId, clientSecret, redirectUri } = draft
    ? oauth.registerClient(draft)
    : oauth.loginOptions;
  return {
    path: new URL(authUrl).pathname.replace(/\/$/, ''),
    clientId,
    clientSecret,
    redirectUri,
  };
}

/** What the box alone can do; on a port it cannot be told. */
export const boxOnly = (world, what) => {
  if (world.kind !== 'fetch') throw new Open(`the command cannot be told: ${what}`);
};
