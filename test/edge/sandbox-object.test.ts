// The sandbox in a real Durable Object, evicted between any two steps of a story.
import '../runners/quiet-tools.ts';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', `sandbox-object-${process.pid}`);
const SECRET = 'a-secret-of-30-characters-long';

const CONFIG = {
  name: 'sandbox',
  main: 'worker.js',
  compatibility_date: COMPATIBILITY_DATE,
  send_metrics: false,
  no_bundle: true,
  durable_objects: { bindings: [{ name: 'BOX', class_name: 'Box' }] },
  exports: {
    Box: { type: 'durable-object', storage: 'sqlite' },
  },
};

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

const inWorker = async (
  use: (ask: Ask, evict: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const after =
    "export * from './test/edge/sandbox-object-worker.ts'; export { default } from './test/edge/sandbox-object-worker.ts';";
  await bundleTests({
    root,
    files: [],
    after,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser'],
  });
  const configPath = join(folder, 'wrangler.json');
  writeFileSync(configPath, JSON.stringify(CONFIG));
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  let key = '';
  const ask: Ask = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-paystate-control': '1',
    };
    const answer = await server.fetch(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
  };
  try {
    await server.listen();
    key = (await ask('POST', '/_sandbox/keys', {})).body['apiKey'] as string;
    await use(ask, () => server.getWorker().evictDurableObject('Box', { name: 'main' }));
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('the sandbox in a Durable Object', () => {
  it('tells one story, whether or not it is evicted after each step, and rings by its own alarm', async () => {
    const got: string[] = [];
    const hooks = createServer(async (incoming, outgoing) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      const signed =
        createHmac('sha256', SECRET).update(body).digest('hex').toUpperCase() ===
        incoming.headers['x-webhook-signature'];
      got.push(`${signed} ${(JSON.parse(body) as { eventType: string }).eventType}`);
      outgoing.writeHead(got.length === 1 ? 503 : 204).end();
      hooks.emit('hook');
    }).listen(0, '127.0.0.1');
    await once(hooks, 'listening');
    const webhookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hooks`;
    await inWorker(async (ask, evict) => {
      const told: Answer[] = [];
      const steps = async (method: string, path: string, body?: object): Promise<Answer> => {
        const answer = await ask(method, path, body);
        told.push(answer);
        await evict();
        return answer;
      };
      await steps('POST', '/v1/subscriptions', {
        webhookUrl,
        webhookVersion: 'v1',
        secret: SECRET,
        enabled: true,
        eventTypes: ['invoice.created'],
      });
      const { body: invoice } = await steps('POST', '/v1/invoices', {
        amount: { amount: '12.50', currency: 'EUR' },
      });
      const { body: quote } = await steps('POST', `/v1/invoices/${invoice['invoiceId']}/quote`);
      await steps('POST', '/_sandbox/pay', { target: quote['lnInvoice'] });
      expect((await steps('GET', `/v1/invoices/${invoice['invoiceId']}`)).body['state']).to.equal(
        'PAID',
      );
      while (got.length < 2) await once(hooks, 'hook'); // the second by the alarm alone, three seconds after the first
      expect(got.slice(-1)).to.deep.equal(['true invoice.created']);
      expect(new Set(got).size).to.equal(1);
      const { body } = await steps('GET', '/v1/events?$orderby=created%20asc');
      expect(
        (body['items'] as { eventType: string }[]).map(({ eventType }) => eventType),
      ).to.deep.equal(['invoice.created', 'invoice.updated', 'invoice.updated']);
      const { body: state } = await steps('GET', '/_sandbox/state');
      expect([
        told.every(({ status }) => status === 200 || status === 201),
        state['requests'],
      ]).to.deep.equal([true, 5]);
      await steps('POST', '/_sandbox/erase');
      expect(
        (await steps('GET', '/_sandbox/state')).body['requests'],
        'begun anew, and evicted',
      ).to.equal(0);
      const { body: world } = await steps('GET', '/_sandbox/world');
      expect([world['invoices'], world['events'], world['subscriptions']]).to.deep.equal([
        [],
        [],
        [],
      ]);
    });
    hooks.close();
    hooks.closeAllConnections();
  });
});
