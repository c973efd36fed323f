// The built command in a process of its own on a free loopback port, and receivers of webhooks on this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ACCOUNTS } from './accounts.mjs';
import { Open } from './verdict.mjs';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CONTROL = { 'x-paystate-control': '1', 'content-type': 'application/json' };

async function start(args) {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  const accounts = join(folder, 'accounts.json');
  writeFileSync(accounts, JSON.stringify(ACCOUNTS));
  const child = spawn(process.execPath, [MAIN, 'sandbox', '--accounts', accounts, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const text of child.stdout) if (/control/.test((said += text))) break;
  rmSync(folder, { recursive: true });
  const [, url, key] = /(http:\/\/127\.0\.0\.1:\d+)\n +API key +(\S+)/.exec(said) ?? [];
  if (!key) throw new Error(`the command did not start: ${said}`);
  return { child, url, key };
}

/** A receiver on the loopback. */
async function openReceiver(respond, change) {
  const receiver = { got: [], respond };
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method, headers } = incoming;
    receiver.got.push(...[change({ method, headers, body, url: receiver.url })].flat());
    const { status = 204, late = 0, never, headers: more } = receiver.respond(receiver.got.length);
    if (never) return;
    setTimeout(() => outgoing.writeHead(status, more).end(), late);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${server.address().port}/hooks`;
  return { receiver, server };
}

/** Sends what the world outside does. */
const controlOf =
  (url) =>
  async (name, body, method = 'POST') => {
    const response = await fetch(`${url}/_sandbox/${name}`, {
      method,
      headers: CONTROL,
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    const json = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${name}: ${json.code} ${json.message}`), json);
    return json;
  };

/** The world outside, by the control. */
const outside = (control) => ({
  now: async () => (await control('state', undefined, 'GET')).now,
  advance: (duration) => control('advance', { duration }),
  pay: (target, how) => control('pay', { target, ...how }),
  startPay: (target, how) => control('pay', { target, ...how, wait: false }),
  bolt11: async (draft) => (await control('bolt11', draft)).lnInvoice,
  address: async () => (await control('address')).btcAddress,
  move: (subject, id, state) => control('move', { subject, id, state }),
  fund: (account, amount, currency) => control('fund', { account, amount, currency }),
  async fault(rule) {
    const { id } = await control('faults', rule);
    return () => control(`faults/${id}`, undefined, 'DELETE');
  },
  revoke: (apiKey) => control('revoke', { apiKey }),
});

/** The client of the command's login server; it has no other. */
async function login(draft) {
  if (draft) throw new Open('the command has one OAuth client');
  return { path: '', clientId: 'app', redirectUri: 'http://127.0.0.1:9/callback' };
}

async function stop({ child, servers }) {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  const closed = once(child, 'close');
  process.kill(child.pid, 'SIGTERM');
  await closed;
}

/** A world behind the command. */
export async function openCommand({
  args = [],
  wrap = (send) => send,
  changeDelivery = (got) => got,
}) {
  const { child, url, key } = await start(args);
  const control = controlOf(url);
  const servers = [];
  return {
    kind: 'command',
    send: wrap((path, init) => fetch(url + path, init)),
    keyOf: async (who) => (who ? (await control('keys', who)).apiKey : key),
    ...outside(control),
    async receiver(respond = () => ({})) {
      const { receiver, server } = await openReceiver(respond, changeDelivery);
      servers.push(server);
      return receiver;
    },
    login,
    close: () => stop({ child, servers }),
  };
}
