// Protects: the timeline of the command's page: each thing once and in order, resumed without a gap, for no other page.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { describe, it } from '#test';
import type { Pulse } from '../../src/cli/page/server.ts';
import type { Row } from '../../src/devtools/rows.ts';
import { PageFeed } from '../../dist/cli/page-feed.js';
import { recordBodies } from '../../dist/cli/record-bodies.js';
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { createControl } from '../../dist/sandbox/host/control.js';

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Reads messages of a stream until one satisfies. */
async function readUntil(
  url: string,
  isEnough: (all: readonly Message[]) => boolean,
  lastEventId?: string,
): Promise<readonly Message[]> {
  const stop = new AbortController();
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const answer = await fetch(`${url}/_page/stream`, { headers, signal: stop.signal });
  expect(answer.headers.get('content-type')).to.equal('text/event-stream');
  const all: Message[] = [];
  let text = '';
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      const of = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      all.push({ id: of('id'), event: of('event'), data: JSON.parse(of('data')) });
      text = text.slice(end + 2);
    }
    if (isEnough(all)) break;
  }
  stop.abort();
  return all;
}

const rowsIn = (all: readonly Message[]): readonly Row[] =>
  all.filter(({ event }) => event === 'rows').flatMap(({ data }) => data as Row[]);
const pulseIn = (all: readonly Message[]): Pulse =>
  all.findLast(({ event }) => event === 'pulse')?.data as Pulse;
const hasRow = (wanted: (row: Row) => boolean) => (all: readonly Message[]) =>
  rowsIn(all).some(wanted);

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } } as const;

const open = async (options: Parameters<typeof createSandbox>[0] = {}) => {
  const sandbox = createSandbox({ clock: 'real', ...options });
  const served = await serveSandbox(sandbox as never);
  const { apiKey } = sandbox.clientOptions;
  const client = createClient({ baseUrl: served.url, apiKey });
  return { sandbox, client, ...served };
};

describe('the timeline of the command', () => {
  it('has each request, event and change of state once, in their order, with their ids', async () => {
    const { sandbox, client, url, close } = await open();
    try {
      const { invoiceId } = await client.invoices.create(EUROS);
      await sandbox.payer.pay(invoiceId, { pendingFor: 20 });
      await client.invoices.get(invoiceId);
      const all = await readUntil(
        url,
        hasRow(({ title }) => title.startsWith('GET')),
      );
      const rows = rowsIn(all);
      expect(rows.map(({ kind, title, end }) => `${kind} ${title} ${end}`.trim())).to.deep.equal([
        'request POST /v1/invoices 201',
        'event invoice.created',
        'state invoice UNPAID → PENDING',
        'event invoice.updated',
        'state invoice PENDING → PAID',
        'event invoice.updated',
        `request GET /v1/invoices/${invoiceId} 200`,
      ]);
      expect(rows.map(({ about }) => about[0]).join()).to.equal(rows.map(() => invoiceId).join());
      expect(new Set(rows.map(({ key }) => key)).size).to.equal(7);
      const detail = await (await fetch(`${url}/_page/row/${rows[0]!.key}`)).json();
      expect(detail.trace.requestHeaders.authorization).to.equal('Bearer …');
      expect(detail.restsOn).to.have.length.above(0);
    } finally {
      await close();
    }
  });

  it('goes on after the last id without a gap and without repeating', async () => {
    const { client, url, close } = await open();
    try {
      await client.invoices.create(EUROS);
      const first = await readUntil(
        url,
        hasRow(({ kind }) => kind === 'event'),
      );
      const last = first.findLast(({ id }) => id !== '')!.id;
      await client.balances.list();
      const next = await readUntil(url, (all) => rowsIn(all).length > 0, last);
      expect(rowsIn(next).map(({ title }) => title)).to.deep.equal(['GET /v1/balances']);
      const other = await readUntil(url, (all) => rowsIn(all).length > 0, 'another:7');
      expect(other[0]!.event).to.equal('world');
      expect(rowsIn(other)).to.have.length(3);
    } finally {
      await close();
    }
  });

  it('shows retries of a webhook, and how often a fault matched', async () => {
    const { sandbox, client, url, close } = await open({ deliver: async () => new Response() });
    try {
      await client.subscriptions.create({
        webhookUrl: 'https://shop.example/hooks',
        webhookVersion: 'v1',
        secret: 'a-secret-of-30-characters-long',
        enabled: true,
        eventTypes: ['invoice.created'],
      });
      const headers = { 'x-paystate-control': '1' };
      const rules = [
        { delivery: { status: 503 }, nth: [1, 2] },
        { subject: 'payment', state: 'FAILED' },
      ].map((rule) => JSON.stringify(rule));
      for (const body of rules)
        await fetch(`${url}/_sandbox/faults`, { method: 'POST', headers, body });
      await client.invoices.create(EUROS);
      await sandbox.advance(60_000);
      const all = await readUntil(
        url,
        (messages) => hasRow(({ end }) => end === '200')(messages) && !!pulseIn(messages),
      );
      const tries = rowsIn(all).filter(({ kind }) => kind === 'webhook');
      expect(tries.map(({ end, why }) => `${end} ${why}`)).to.deep.equal([
        '503 fault: {"status":503} · next in 3 s',
        '503 retry 1 of 12 · fault: {"status":503} · next in 9 s',
        '200 retry 2 of 12',
      ]);
      expect(pulseIn(all).faults).to.have.length(2);
      expect(pulseIn(all).faults[1]).to.include({ matched: 0, isUnused: true });
      expect(pulseIn(all).faults[0]).to.include({ matched: 2, isUnused: false });
      expect(pulseIn(all).isMoving).to.equal(true);
    } finally {
      await close();
    }
  });

  it('goes on for the other pages when one is closed, and lets the command live', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const feed = new PageFeed(createControl(sandbox as never));
    feed.follow(recordBodies(sandbox as never) as never);
    const openPage = () => feed.answer(new Request('http://127.0.0.1/_page/stream'))!.body!;
    const closed = openPage();
    const pages = openPage().pipeThrough(new TextDecoderStream()).getReader();
    await pages.read();
    await closed.cancel(); // as a server does when its client has gone; no signal says so
    feed.poke();
    const { value = '' } = await pages.read();
    expect(value).to.match(/^event: pulse\ndata: /);
    feed.close();
  });

  it('gives a new page the newest 10,000 rows, and ends each stream when it is closed', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const recorded = recordBodies(sandbox as never);
    const feed = new PageFeed(createControl(sandbox as never));
    feed.follow(recorded);
    for (let call = 0; call < 10_003; call++)
      await recorded.fetch(`${sandbox.clientOptions.baseUrl}/v1/balances`);
    const { body } = feed.answer(new Request('http://127.0.0.1/_page/stream'))!;
    feed.close();
    let text = '';
    for await (const part of body!.pipeThrough(new TextDecoderStream())) text += part;
    const keys = [...text.matchAll(/"key":"(r\d+)"/g)].map(([, key]) => key);
    expect([keys.length, keys[0], keys.at(-1)]).to.deep.equal([10_000, 'r4', 'r10003']);
  });

  it('shows the code of a refusal, which is read after its status', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const recorded = recordBodies(sandbox as never);
    let isRead = false;
    const traceOf = (call: number) => (isRead ? recorded.traceOf(call) : { about: [] });
    const feed = new PageFeed(createControl(sandbox as never));
    feed.follow(Object.create(recorded, { traceOf: { value: traceOf } }));
    const { body } = feed.answer(new Request('http://127.0.0.1/_page/stream'))!;
    const pages = body!.pipeThrough(new TextDecoderStream()).getReader();
    const readUntilRow = async (pattern: RegExp): Promise<void> => {
      for (let text = ''; !pattern.test(text); ) text = (await pages.read()).value ?? '';
    };
    await recorded.fetch(`${sandbox.clientOptions.baseUrl}/v1/invoices`, { method: 'POST' });
    feed.poke();
    await readUntilRow(/"title":"POST \/v1\/invoices","end":"401","about":\[\]/);
    isRead = true;
    feed.poke();
    await readUntilRow(/"end":"401","why":"UNAUTHORIZED","took":\d+/);
    feed.close();
  });

  it('is for no page of another origin, and no other site', async () => {
    const { url, close } = await open();
    try {
      for (const headers of [
        { origin: 'http://localhost:3000' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ] as Record<string, string>[])
        for (const path of ['/_page/stream', '/_page/row/r1', '/_sandbox/state']) {
          const answer = await fetch(url + path, {
            headers: { ...headers, 'x-paystate-control': '1' },
          });
          expect(answer.status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
        }
    } finally {
      await close();
    }
  });
});
