// Protects: what is shown of a client is what it did, without its secrets, and costs nothing when nobody looks.
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { type ClientInspection, inspectClient } from 'paystate/devtools';
import { makeInvoice, replay } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { answering, DRAFT, INVOICE, openShop } from '../core/shop.ts';

const SECRET = 'a-secret-that-nobody-shall-see';
const words = (inspection: ClientInspection): unknown[] =>
  inspection
    .requests()
    .map(({ operation, reason, code, exchange }) => [
      operation,
      reason,
      exchange.response?.status,
      code,
    ]);

describe('an inspection', () => {
  it('shows each attempt with its reason, its answer and how long it took', async () => {
    const { sandbox, client, run } = openShop();
    const inspection = inspectClient(client);
    sandbox.fault({ nth: 1, action: { status: 503 } });
    await run(client.rates.list({ reason: 'the price tag' }));
    const child = client.withOptions({ maxAttempts: 1 });
    await run(child.invoices.get(INVOICE.invoiceId)).catch(() => {});
    expect(words(inspection)).to.deep.equal([
      ['rates.list', 'the price tag', 503, undefined],
      ['rates.list', 'the price tag', 200, undefined],
      ['invoices.get', '', 404, 'NOT_FOUND'],
    ]);
    const [first, second] = inspection.requests();
    expect([first!.attempt, second!.attempt]).to.deep.equal([1, 2]);
    expect(second!.duration).to.be.a('number');
    inspection.stop();
  });

  it('shows what a call decided after each attempt', async () => {
    const { sandbox, client, run } = openShop();
    const inspection = inspectClient(client);
    sandbox.fault({ nth: 1, action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await run(client.rates.list());
    await run(client.invoices.get(INVOICE.invoiceId)).catch(() => {});
    expect(
      inspection
        .requests()
        .map(({ decision }) => decision && [decision.kind, decision.why, decision.next]),
    ).to.deep.equal([
      ['retry', 'SERVICE_UNAVAILABLE', undefined],
      undefined,
      ['give-up', 'NOT_FOUND', 'ask-user'],
    ]);
    expect(inspection.recording().decisions).to.have.length(2);
    inspection.stop();
  });

  it('shows what is under way, and what came to no answer', async () => {
    const wire = answering(() => Promise.reject(new TypeError('the cable is out')));
    const { client, run } = openShop({ fetch: wire.fetch, maxAttempts: 1 });
    const inspection = inspectClient(client);
    const call = client.balances.list().catch(() => {});
    await Promise.resolve();
    await run(call);
    expect(
      inspection.requests().map(({ code, exchange }) => [code, exchange.failure?.message]),
    ).to.deep.equal([['UNREACHABLE', 'the cable is out']]);
    inspection.stop();
  });

  it('keeps no credential and no secret, wherever it came by', async () => {
    const echo = answering(
      (init) =>
        new Response(JSON.stringify({ data: { ...INVOICE, echo: [init.headers, init.body] } }), {
          status: 200,
        }),
    );
    const { client, run } = openShop({ fetch: echo.fetch, apiKey: SECRET });
    const inspection = inspectClient(client);
    const draft = {
      webhookUrl: 'https://shop.example/hooks',
      webhookVersion: 'v1',
      enabled: true,
      eventTypes: ['invoice.updated'],
    } as const;
    await run(client.subscriptions.create({ ...draft, secret: `${SECRET}-of-hooks` })).catch(
      () => {},
    );
    const text = JSON.stringify([inspection.requests(), inspection.recording()]);
    expect(text).to.include('https://shop.example/hooks');
    expect(text).to.not.include(SECRET);
    inspection.stop();
  });

  it('records what another client can be played', async () => {
    const { client, run, sandbox } = openShop();
    const inspection = inspectClient(client);
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const read = await run(client.invoices.get(invoiceId));
    const file = JSON.stringify(inspection.recording());
    const again = createClient({ ...sandbox.clientOptions, fetch: replay(JSON.parse(file)) });
    const played = await sandbox.run(
      again.invoices.create({ ...DRAFT, correlationId: read.correlationId! }),
    );
    expect(played.invoiceId).to.equal(invoiceId);
    expect(await sandbox.run(again.invoices.get(invoiceId))).to.deep.equal(read);
    inspection.stop();
  });

  it('shows watches with state, freshness, plan and next read', async () => {
    const { client, run, sandbox } = openShop();
    const inspection = inspectClient(client);
    expect(inspection.watches()).to.deep.equal([]);
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const stop = watchInvoice(client, invoiceId).subscribe(() => {});
    await sandbox.advance(2_000);
    const [watch, ...more] = inspection.watches();
    expect(more).to.deep.equal([]);
    expect(watch).to.include({
      resource: 'invoice',
      id: invoiceId,
      state: 'UNPAID',
      freshness: 'live',
      observers: 1,
    });
    expect(watch!.status.nextReadAt).to.be.above(sandbox.clock.now());
    expect(watch!.status.reason).to.not.equal('');
    stop();
    await sandbox.advance(1_000);
    expect(inspection.watches()).to.deep.equal([]);
    inspection.stop();
  });

  it('tells the story of one invoice, the service’s times among its own', async () => {
    const { client, run, sandbox } = openShop();
    const inspection = inspectClient(client);
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    await run(client.invoices.create(DRAFT));
    const stop = watchInvoice(client, invoiceId, { until: 'never' }).subscribe(() => {});
    await sandbox.advance(10_000);
    await sandbox.payer.pay(invoiceId);
    await sandbox.advance(60_000);
    stop();
    const story = inspection.timeline(invoiceId);
    expect(story.map(({ at }) => at)).to.deep.equal(
      story.map(({ at }) => at).sort((one, other) => one - other),
    );
    const asked = story.filter(({ kind }) => kind === 'request').map(({ text }) => text);
    expect(
      asked.filter((text) => !text.startsWith('invoices.')),
      'lists that hold it',
    ).to.deep.equal([]);
    const told = story.filter(({ kind }) => kind === 'state' || kind === 'service');
    expect(told.map(({ text }) => text)).to.deep.equal(['created', 'UNPAID', 'UNPAID → PAID']);
    expect(inspection.timeline('')).to.deep.equal([]);
    inspection.stop();
  });

  it('takes over what the service says of the times of payments and codes', async () => {
    const paid = makeInvoice({ state: 'PAID' });
    const wire = answering(() => new Response(JSON.stringify(paid)));
    const { client, run } = openShop({ fetch: wire.fetch });
    const inspection = inspectClient(client);
    await run(client.invoices.get(paid.invoiceId));
    const [at] = inspection
      .timeline(paid.invoiceId)
      .filter(({ text }) => text === 'payment received');
    expect(at!.at).to.equal(Date.parse(paid.transactions![0]!.completed!));
    inspection.stop();
  });

  it('tells of one resource what is about it, by any of its ids, and not of another', async () => {
    const at = '2026-01-05T09:00:0';
    const one = { receiveRequestId: 'r-1', state: 'OPEN', created: `${at}1+00:00` };
    const other = {
      paymentId: 'q-2',
      state: 'NEW',
      next: null,
      created: `${at}2+00:00`,
      note: 'of r-1',
    };
    const events = [
      { id: 'e', eventType: 'a.updated', created: `${at}3+00:00`, data: { entityId: 'r-1' } },
      { id: 'f', eventType: 'b.updated', created: `${at}4+00:00`, data: { entityId: 'q-2' } },
      { id: 'g', eventType: 'c.updated', created: `${at}5+00:00` },
      { eventType: 7, created: `${at}6+00:00`, data: { entityId: 'r-1' } },
    ];
    const wire = answering(() => new Response(JSON.stringify({ items: [one, other, ...events] })));
    const { client, run } = openShop({ fetch: wire.fetch });
    const inspection = inspectClient(client);
    await run(client.rates.list()).catch(() => {});
    const told = (id: string) =>
      inspection
        .timeline(id)
        .filter(({ kind }) => kind !== 'request')
        .map(({ kind, text }) => `${kind} ${text}`);
    expect(told('r-1').toSorted()).to.deep.equal([
      ...['event a.updated', 'service created', 'state OPEN'],
    ]);
    expect(told('q-2').toSorted()).to.deep.equal([
      ...['event b.updated', 'service created', 'state NEW'],
    ]);
    inspection.stop();
  });

  it('tells of its own requests about it: under way, answered, lost, and the end of a code', async () => {
    let gate: PromiseWithResolvers<Response> | undefined;
    const { client, run, sandbox } = openShop({
      maxAttempts: 1,
      fetch: (url, init) => gate?.promise ?? sandbox.fetch(url, init),
    });
    const inspection = inspectClient(client);
    const { invoiceId } = await run(client.invoices.create(DRAFT));
    const quote = await run(client.invoices.quote(invoiceId));
    gate = Promise.withResolvers<Response>();
    const lost = client.invoices.get(invoiceId).catch(() => {});
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    const asked = (): readonly string[] =>
      inspection.timeline(invoiceId).flatMap(({ kind, text }) => (kind === 'request' ? text : []));
    const first = ['invoices.create: 201', 'invoices.quote: 201'];
    expect(asked()).to.deep.equal([...first, 'invoices.get: under way']);
    gate.reject(new TypeError('the cable is out'));
    await run(lost);
    gate = undefined;
    expect(asked()).to.deep.equal([...first, 'invoices.get: no answer UNREACHABLE']);
    const ends = inspection.timeline(invoiceId).find(({ text }) => text === 'a code ends');
    expect(ends?.at).to.equal(Date.parse(quote.expiration));
    const orders = inspection
      .recording()
      .exchanges.map(({ response, failure }) => (response ?? failure)?.order);
    expect(orders).to.deep.equal([1, 2, 3]);
    sandbox.fault({ action: { delay: 700 } });
    const before = sandbox.clock.now();
    const late = await run(client.invoices.create(DRAFT));
    const [state] = inspection.timeline(late.invoiceId).filter(({ kind }) => kind === 'state');
    expect(state!.at - before).to.be.within(0, 2_000);
    const [row] = inspection.requests().slice(-1);
    expect(state!.at).to.equal(row!.sentAt + row!.duration!);
    inspection.stop();
  });

  it('drops the oldest where texts are long, and calls nobody who has left', async () => {
    const long = 'x'.repeat(60_000);
    const wire = answering(() => new Response(JSON.stringify({ data: long })));
    const { client, run } = openShop({ fetch: wire.fetch });
    const [inspection, other] = [inspectClient(client), inspectClient(client)];
    let calls = 0;
    inspection.subscribe(() => void calls++);
    for (let count = 0; count < 40; count++) await run(client.balances.list()).catch(() => {});
    const kept = inspection.requests();
    expect(kept).to.have.length(33);
    expect(kept[0]!.number).to.equal(8);
    expect(inspection.recording().dropped).to.equal(7);
    const before = calls;
    expect(before).to.be.at.least(80);
    inspection.stop();
    await run(client.balances.list()).catch(() => {});
    expect(calls).to.equal(before);
    other.clear();
    expect(other.recording().dropped).to.equal(41);
    other.stop();
  });

  itLong('keeps the newest five hundred, and says how many are gone', async () => {
    const wire = answering(() => new Response('{"data":[]}'));
    const { client, run } = openShop({ fetch: wire.fetch, rateLimitShare: 1 });
    const inspection = inspectClient(client);
    for (let count = 0; count < 520; count++) await run(client.balances.list()).catch(() => {});
    expect(inspection.requests()).to.have.length(500);
    expect(inspection.requests()[0]!.number).to.equal(21);
    expect(inspection.recording().dropped).to.equal(20);
    inspection.clear();
    expect(inspection.recording()).to.include({ version: 2, dropped: 520 });
    expect(inspection.recording().exchanges).to.deep.equal([]);
    inspection.stop();
  });

  it('ends with its last user, and keeps for the next what was seen', async () => {
    const { client, run } = openShop();
    const [one, other] = [inspectClient(client), inspectClient(client)];
    let calls = 0;
    const unsubscribe = other.subscribe(() => void calls++);
    one.stop();
    one.stop();
    await run(client.rates.list());
    expect(other.requests()).to.have.length(1);
    expect(calls).to.equal(2);
    unsubscribe();
    other.stop();
    await run(client.rates.list());
    expect(calls).to.equal(2);
    const next = inspectClient(client);
    expect(next.requests()).to.have.length(1);
    next.stop();
  });
});
