// Protects: a command is called not done only where no connection was made, which Node alone can say for certain. Others
// send a request again by themselves after its connection broke, and then report the second connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', `unreachable-${process.pid}`);
const RUNTIMES = {
  Node: [process.execPath],
  Deno: [join(root, 'node_modules/.bin/deno'), 'run', '--allow-net', '--allow-read', '--no-remote'],
  Bun: [join(root, 'node_modules/.bin/bun')],
} as const;

interface Told {
  readonly code: string;
  readonly outcome: string;
  readonly next: string;
  readonly attempts: number;
  readonly message: string;
}

/** Creates an invoice after the other in a process of its own, and prints what each attempt came to. */
const script = (baseUrl: string, times: number, before: string, options: string) => `
import { createClient } from '../../dist/index.js';
${before}
const client = createClient({ baseUrl: '${baseUrl}', apiKey: 'KEY-of-a-shop-that-nobody-sees', ${options} });
for (let time = 0; time < ${times}; time++) {
  const draft = { amount: { amount: '1.00', currency: 'EUR' } };
  const made = await client.invoices.create(draft).catch((error) => error);
  const { code, outcome, next, attempts, message } = made;
  console.log(JSON.stringify({ code, outcome, next, attempts, message }));
}
`;

let scripts = 0;
const play = async (
  runtime: keyof typeof RUNTIMES,
  baseUrl: string,
  { times = 1, before = '', options = '' } = {},
): Promise<readonly Told[]> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `calls-${++scripts}.mjs`);
  writeFileSync(file, script(baseUrl, times, before, options));
  const [command, ...flags] = RUNTIMES[runtime];
  try {
    const child = spawn(command, [...flags, file], { cwd: root, timeout: 60_000 });
    let [output, complaints] = ['', ''];
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (complaints += text));
    await new Promise((resolve) => child.on('close', resolve));
    if (!output) throw new Error(complaints);
    return output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

/** Returns a port that refuses connections. A connection of ours uses it, so nobody can listen on it. */
const closedPort = async (): Promise<number> => {
  const server = createServer((socket) => void socket.unref());
  const own = connect(await listening(server), '127.0.0.1');
  await once(own, 'connect');
  server.unref();
  own.unref();
  return own.localPort!;
};

/** Answers the first command, takes the second one whole, and dies: its port is closed from then on. */
const mortal = async () => {
  let taken = 0;
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (part) => {
      text += part;
      if (!text.endsWith('}')) return;
      text = '';
      const body = '{}';
      if (++taken === 1)
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      else {
        server.close();
        socket.destroy();
      }
    });
  });
  return { port: await listening(server), taken: () => taken };
};

describe('a service that cannot be reached', () => {
  for (const runtime of ['Node', 'Deno', 'Bun'] as const)
    it(`is named with the cause, and nothing else of the address (${runtime})`, async () => {
      const port = await closedPort();
      const [told] = await play(runtime, `http://127.0.0.1:${port}/deep/path`);
      const said = runtime === 'Node' ? 'no connection to' : 'no response from';
      expect(told!.message).to.include(`invoices.create: ${said} 127.0.0.1:${port}: `);
      expect(told!.message).to.match(/ECONNREFUSED|Connection refused/);
      expect(told!.message).not.to.match(/deep|\/v1|KEY/);
      const [outcome, attempts] = runtime === 'Node' ? ['not-done', 0] : ['unknown', 3];
      expect([told!.code, told!.outcome, told!.attempts, told!.next]).to.deep.equal([
        'UNREACHABLE',
        outcome,
        attempts,
        'retry',
      ]);
    });

  it('has no address: not done (Node)', async () => {
    const host = `${'a'.repeat(64)}.example`; // too long for anyone to be asked
    const [told] = await play('Node', `https://${host}`);
    expect([told!.outcome, told!.attempts]).to.deep.equal(['not-done', 0]);
    expect(told!.message).to.include(`no connection to ${host}: ENOTFOUND; retry`);
  });

  for (const runtime of ['Node', 'Deno', 'Bun'] as const)
    it(`after it has taken a command leaves its outcome unknown (${runtime})`, async () => {
      const { port, taken } = await mortal();
      const told = await play(runtime, `http://127.0.0.1:${port}`, { times: 2 });
      expect(taken()).to.be.at.least(2);
      expect(told[1]!.outcome, told[1]!.message).to.equal('unknown');
    });

  for (const [name, parts] of Object.entries({
    'a fetch of the caller': { options: 'fetch: (url, init) => fetch(url, init)' },
    'a global fetch that was replaced': {
      before: 'const own = fetch; globalThis.fetch = (url, init) => own(url, init);',
    },
    'a proxy of the global fetch': { before: 'globalThis.fetch = new Proxy(fetch, {});' },
    'a dispatcher that may retry': {
      before: `await fetch('data:,').catch(() => {});
        for (const version of [1, 2]) {
          const key = Symbol.for('undici.globalDispatcher.' + version);
          if (globalThis[key]) globalThis[key] = new (class RetryAgent extends globalThis[key].constructor {})();
        }`,
    },
  }))
    it(`is unknown through ${name}, which may have sent it before`, async () => {
      const [told] = await play('Node', `http://127.0.0.1:${await closedPort()}`, parts);
      expect([told!.code, told!.outcome, told!.attempts]).to.deep.equal([
        'UNREACHABLE',
        'unknown',
        3,
      ]);
      expect(told!.message).to.match(/127\.0\.0\.1:\d+: ECONNREFUSED, may have been done/);
    });
});

describe('a payment', () => {
  it('whose service went away before it was executed is refused, and not in doubt', async () => {
    const sandbox = createSandbox({ clock: 'real', signed: false });
    let isGone = false;
    const server = createHttpServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { method = '', url = '', headers } = request;
      const body = parts.length > 0 ? Buffer.concat(parts).toString() : null;
      const inner = `${sandbox.clientOptions.baseUrl}${url}`;
      const answer = await sandbox.fetch(inner, { method, headers: headers as never, body });
      // no connection is left over: the next request needs a new one
      response.writeHead(answer.status, { connection: 'close' }).end(await answer.text());
      if (!url.includes('/rates/')) return;
      isGone = true;
      server.close();
    });
    const port = await listening(server);
    const client = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: sandbox.clientOptions.apiKey!,
    });
    const journal = memoryStore({ mayForget: true });
    const to = sandbox.payer.createBolt11({ sat: '2100' });
    const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
    const run = pay(client, { to, ...limits, intent: 'a', journal });
    const phases: string[] = [];
    run.subscribe(({ phase }) => void phases.push(phase));
    const result = await run.result;
    expect(isGone).to.equal(true);
    expect(phases).not.to.include('unconfirmed');
    expect([result.phase, 'error' in result && result.error.outcome]).to.deep.equal([
      'refused',
      'not-done',
    ]);
    const { facts } = (await journal.get('pay/a'))!.value as { readonly facts: readonly Answer[] };
    // it is refused without a request of which anything could be in doubt
    const sent = facts.filter(({ is, code }) => is === 'sent' || code !== undefined);
    expect(sent.every(({ is, code }) => is === 'answered' && code === 'not-sent')).to.equal(true);
    expect(facts.at(-1)?.is).to.equal('over');
  });
});

interface Answer {
  readonly is: string;
  readonly code?: string;
}
