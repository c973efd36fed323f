// Protects: the relay's promises, in real workerd before a real sandbox.
import { expect } from 'chai';
import { type Invoice, type InvoiceQuote, watchInvoice } from 'paystate';
import { createRelay } from 'paystate/relay';
import { makeEvent } from 'paystate/testing';
import { after, describe, it } from '#test';
import {
  openRelay,
  ORIGIN,
  type PageSocket,
  TOKEN_SECRET,
  WEBHOOK_SECRET,
} from './relay-harness.ts';
import { until } from './until.ts';

const { world, close } = await openRelay();
after(close);

const lastOf = ({ messages }: PageSocket) => messages.at(-1)!;
const stateOf = ({ messages }: PageSocket) => messages.at(-1)?.value?.state;
const isIn = (socket: PageSocket, state: string) =>
  until(`state ${state}`, () => stateOf(socket) === state);

/** A page that looks at a new invoice and knows it. */
async function pageOf(invoice: Invoice): Promise<PageSocket> {
  const socket = await world.socket(await world.token(invoice.invoiceId));
  await isIn(socket, 'UNPAID');
  return socket;
}

const sql = (object: string, query: string, ...bindings: unknown[]) =>
  world.call<Readonly<Record<string, string>>[]>(`${object}/sql`, [query, ...bindings]);
/** The object's memory is gone, its storage is not; the next request makes it anew. */
const kill = (object: string): Promise<unknown> => world.call(`${object}/kill`, {}).catch(() => {});

const shippedFor = ({ invoiceId }: Invoice) =>
  sql('account', 'SELECT key, correlation FROM shipped WHERE key = ?', `invoice:${invoiceId}:PAID`);

const eventOf = ({ invoiceId }: Invoice) =>
  makeEvent({
    id: crypto.randomUUID(),
    data: { entityId: invoiceId },
    created: new Date().toISOString(),
  });

/** Longer than a token is good for, with what two clocks may differ. */
const TOKEN_LIFETIME = 906_000;
/** A token that is made then, milliseconds from now. */
const tokenIn = (ahead: number, sub: string) =>
  createRelay({
    ...{ origin: ORIGIN, tokenSecret: TOKEN_SECRET },
    clock: { ...world.sandbox.clock, now: () => Date.now() + ahead },
    account: { fetch: () => expect.fail('a token asks nobody') },
    rooms: { idFromName: (name) => name, get: () => expect.fail('a token asks nobody') },
  }).createToken(sub);

/** Tells a room something as the account object does. */
const tell = (invoice: Invoice, number: number, description: string) =>
  world.call(`room/${invoice.invoiceId}/update`, {
    invoiceId: invoice.invoiceId,
    shown: {
      epoch: 'test',
      version: number,
      asOf: number,
      seenFor: 0,
      value: { ...invoice, description, correlationId: undefined, issuerId: '', receiverId: '' },
    },
  });

interface Exchanged {
  readonly invoiceId: string;
  readonly data?: { readonly code: string };
}

/**
 * Why the account object asked for this invoice since the last time; not what comes by the clock:
 * looks, polls, lists of other events.
 */
async function causes({ invoiceId }: Invoice): Promise<readonly string[]> {
  const rows = await sql('account', 'SELECT reason, url FROM sent');
  await sql('account', 'DELETE FROM sent');
  return rows
    .filter(({ url }) => url!.includes(invoiceId))
    .map(({ reason }) => reason!)
    .filter((reason) => /^(an event|events of|payments of|a page|get a code|a state)/.test(reason));
}

describe('the relay in workerd', () => {
  it('tells a page that its invoice is paid, without any webhook', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice);
    expect(socket.protocol).to.equal('paystate.v1');
    await world.pay(invoice);
    await isIn(socket, 'PAID');
    expect(socket.messages.map(({ seq }) => seq)).to.deep.equal(
      socket.messages.map((_, at) => at + socket.messages[0]!.seq),
    );
    socket.close();
  });

  it('hears of a payment by webhook, with one read for handler and pages', async () => {
    const invoice = await world.client.invoices.create({
      amount: { amount: '12.50', currency: 'EUR' },
      correlationId: 'order of the webhook test',
    });
    const socket = await pageOf(invoice);
    await world.pay(invoice);
    await causes(invoice);
    const event = eventOf(invoice);
    expect(await world.deliver(event)).to.equal(200);
    expect(await world.deliver(event)).to.equal(200); // twice
    await isIn(socket, 'PAID');
    const shipped = await until(
      'the handler',
      async () => (await shippedFor(invoice)).length > 0 && shippedFor(invoice),
    );
    expect(shipped).to.deep.equal([
      { key: `invoice:${invoice.invoiceId}:PAID`, correlation: 'order of the webhook test' },
    ]);
    // one for the event, and one for payments where a regular look was first
    const reads = await causes(invoice);
    expect(reads.length, reads.join('; ')).to.be.at.most(2);
    expect(await world.deliver(eventOf(invoice))).to.equal(200); // another event of the same state
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await shippedFor(invoice)).to.have.length(1);
    socket.close();
  });

  it('acts on no delivery that is not signed, and never answers 410 or 501', async () => {
    const invoice = await world.invoice();
    await world.pay(invoice);
    await causes(invoice);
    expect(await world.deliver(eventOf(invoice), 'another secret of ours')).to.equal(401);
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await world.hookStatus(method)).to.equal(405);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await shippedFor(invoice)).to.deep.equal([]);
    expect(await causes(invoice)).to.deep.equal([]);
  });

  it('ships what it had acknowledged before it died', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice);
    await world.pay(invoice);
    expect(await world.deliver(eventOf(invoice))).to.equal(200);
    await kill('account');
    await world.call('account/ring', {});
    await isIn(socket, 'PAID');
    await until('the handler', async () => (await shippedFor(invoice)).length === 1);
    socket.close();
  });

  for (const point of [0, 5, 15, 40, 55, 60, 70, 90, 150, 400])
    it(`loses nothing when it dies ${point} ms after a delivery`, async () => {
      const invoice = await world.invoice();
      const socket = await pageOf(invoice);
      await world.pay(invoice);
      expect(await world.deliver(eventOf(invoice))).to.equal(200);
      await new Promise((resolve) => setTimeout(resolve, point));
      await kill('account');
      await world.call('account/ring', {});
      await isIn(socket, 'PAID');
      await until('the handler', async () => (await shippedFor(invoice)).length > 0);
      expect(await shippedFor(invoice)).to.have.length(1);
      socket.close();
    });

  it('finds by the feed what no webhook brought', async () => {
    const invoice = await world.invoice();
    await world.pay(invoice);
    await sql('account', 'UPDATE paystate_account SET feed_at = 0'); // the last read was long ago
    await kill('account');
    await world.call('account/ring', {});
    await until('the handler', async () => (await shippedFor(invoice)).length === 1);
  });

  it('W15: reads once and renews once for a hundred pages', async () => {
    const invoice = await world.invoice();
    const token = await world.token(invoice.invoiceId);
    const sockets = await Promise.all(Array.from({ length: 100 }, () => world.socket(token)));
    for (const socket of sockets) await isIn(socket, 'UNPAID');
    world.requests();
    const path = `/pay/v1/invoices/${invoice.invoiceId}`;
    const headers = { authorization: `Bearer ${token}` };
    const codes = await Promise.all(
      sockets.map(
        async () =>
          (await (
            await world.ask(`${path}/quote`, { method: 'POST', headers })
          ).json()) as InvoiceQuote,
      ),
    );
    expect(new Set(codes.map(({ lnInvoice }) => lnInvoice)).size).to.equal(1);
    await until('the code on all pages', () =>
      sockets.every((socket) => lastOf(socket).quote?.lnInvoice === codes[0]!.lnInvoice),
    );
    expect(lastOf(sockets[0]!).secondsLeft).to.be.within(1, 30);
    expect(await causes(invoice)).to.deep.equal(['get a code for a checkout page']);
    await world.sandbox.payer.pay(codes[0]!.lnInvoice);
    expect(await world.deliver(eventOf(invoice))).to.equal(200);
    for (const socket of sockets) await isIn(socket, 'PAID');
    const reads = await causes(invoice);
    expect(reads.length, reads.join('; ')).to.be.at.most(2);
    await world.call('account/stop-time', {}); // what was read a moment ago is given again
    const looks = await Promise.all(
      sockets.map(
        async () => ((await (await world.ask(path, { headers })).json()) as Invoice).state,
      ),
    );
    expect(new Set(looks)).to.deep.equal(new Set(['PAID']));
    await world.call('account/stop-time', {});
    expect((await causes(invoice)).length).to.be.at.most(1); // not one for each page
    expect(new Set(sockets.map((socket) => lastOf(socket).seq)).size).to.equal(1);
    for (const socket of sockets) socket.close();
  });

  it('takes each version once and no older one, and gives a page that comes back the newest', async () => {
    const invoice = await world.invoice();
    const token = await world.token(invoice.invoiceId);
    for (let number = 1; number <= 5; number++) await tell(invoice, number, `text ${number}`);
    await tell(invoice, 5, 'the same number again');
    await tell(invoice, 3, 'an older number');
    const [facts] = await sql(`room/${invoice.invoiceId}`, 'SELECT json FROM facts');
    const { epoch, seq, row } = JSON.parse(facts!['json']!);
    expect([seq, row.value.description]).to.deep.equal([5, 'text 5']);
    for (const resume of [
      { epoch, seq: 3 },
      { epoch, seq: 55 },
      { epoch: 'another', seq: 3 },
    ]) {
      const socket = await world.socket(token, resume);
      await until('the newest', () => socket.messages.length > 0);
      expect(socket.messages[0]!.epoch).to.equal(epoch);
      expect(socket.messages[0]!.seq).to.be.at.least(5);
      expect(socket.messages[0]!.value).to.include({ state: 'UNPAID' });
      socket.close();
    }
  });

  it('serves the SDK in a page: a webhook makes it look, a lost socket makes it poll, and it comes back', async () => {
    const invoice = await world.invoice();
    const page = world.page(await world.token(invoice.invoiceId));
    const watch = watchInvoice(page.client, invoice.invoiceId);
    const states: string[] = [];
    let isDone = false;
    const stop = watch.subscribe({
      next: ({ value }) => void (value && states.push(value.state)),
      complete: () => void (isDone = true),
    });
    await until('the relay', () => watch.status().reason.startsWith('relay'));
    page.lose();
    await until('the loss', () => page.opened() === 0);
    await until('another socket', () => page.opened() === 1);
    await until('the relay again', () => watch.status().reason.startsWith('relay'));
    const asked = page.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(page.requests.length).to.be.at.most(asked + 1);
    const { lnInvoice } = await page.client.invoices.quote(invoice.invoiceId);
    await world.sandbox.payer.pay(lnInvoice);
    expect(await world.deliver(eventOf(invoice))).to.equal(200);
    await until('paid', () => isDone);
    expect(states).to.deep.equal(['UNPAID', 'PAID']);
    stop();
  });

  for (const count of [1, 10, 100])
    it(`brings a change to all pages, none of which asks for it: ${count}`, async () => {
      const invoice = await world.invoice();
      const token = await world.token(invoice.invoiceId);
      const pages = Array.from({ length: count }, () => world.page(token));
      const watches = pages.map(({ client }) => watchInvoice(client, invoice.invoiceId));
      const states: string[][] = pages.map(() => []);
      for (const [at, watch] of watches.entries())
        watch.subscribe(({ value }) => void (value && states[at]!.push(value.state)));
      const isConfirmed = (watch: (typeof watches)[number]) => {
        const { reason, nextReadAt = Infinity } = watch.status();
        return reason.startsWith('relay') && nextReadAt > Date.now() + 60_000;
      };
      await until('the relay on all pages', () => watches.every(isConfirmed));
      await new Promise((resolve) => setTimeout(resolve, 500)); // what was on its way is back
      const asked = () => pages.reduce((sum, { requests }) => sum + requests.length, 0);
      const before = asked();
      await world.pay(invoice);
      await causes(invoice);
      expect(await world.deliver(eventOf(invoice))).to.equal(200);
      await until('paid on all pages', () => states.every((all) => all.at(-1) === 'PAID'));
      expect(asked() - before, 'reads by pages').to.equal(0);
      // one for the event, and one for payments where a regular look was first
      const reads = await causes(invoice);
      expect(reads.length, reads.join('; ')).to.be.at.most(2);
      for (const page of pages) page.lose();
    });

  it('asks the account object again after that was aborted, as often as it is', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice); // the room has asked it once
    const room = `room/${invoice.invoiceId}`;
    for (let round = 0; round < 3; round++) {
      await kill('account');
      const forget = 'UPDATE paystate_follow SET until = 0 WHERE invoice_id = ?';
      await sql('account', forget, invoice.invoiceId);
      await world.call(`${room}/ring`, {});
      const followed = 'SELECT 1 AS one FROM paystate_follow WHERE invoice_id = ? AND until > 0';
      expect(await sql('account', followed, invoice.invoiceId)).to.have.length(1);
    }
    socket.close();
  });

  it('W14: answers a beat with the newest number', async () => {
    const socket = await pageOf(await world.invoice());
    const { epoch, seq } = lastOf(socket);
    socket.send('ping');
    await until('the beat', () =>
      socket.texts.some((text) => text.startsWith(`pong:${epoch}:${seq}:`)),
    );
    socket.close();
    const early = await world.socket(await world.token('not-there')); // nothing to tell of yet
    early.send('ping');
    await until('the beat', () => early.texts.some((text) => /^pong:.+:0:/.test(text)));
    early.close();
  });

  it('goes on where it was when its objects were put out of memory', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice);
    const { epoch, seq } = lastOf(socket);
    await world.worker.evictDurableObject('Room', {
      name: `main/${invoice.invoiceId}`,
      webSockets: 'hibernate',
    });
    await kill('account');
    await world.pay(invoice);
    await world.call('account/ring', {});
    await isIn(socket, 'PAID');
    expect(lastOf(socket).epoch).to.equal(epoch);
    expect(lastOf(socket).seq).to.be.greaterThan(seq);
    socket.close();
  });

  it('keeps all objects out of memory while nothing changes, and pages live by alarms and auto-responses', async () => {
    const invoice = await world.invoice();
    const { invoiceId } = invoice;
    const socket = await pageOf(invoice);
    const { epoch } = lastOf(socket);
    expect(await world.deliver(eventOf(await world.invoice()))).to.equal(200); // webhooks arrive
    await sql('account', 'UPDATE paystate_follow SET until = 0 WHERE invoice_id <> ?', invoiceId);
    const aged = 'UPDATE paystate_follow SET since = since - 60000, check_at = 0 WHERE until > 0';
    await sql('account', aged);
    await kill('account');
    await world.call('account/ring', {}); // a check by its alarm
    await until('an object that nothing keeps awake', async () => {
      const { timers } = await world.call<{ timers: number }>('account/timers', {});
      return timers === 0;
    });
    const seen = 'SELECT seen FROM paystate_follow WHERE invoice_id = ?';
    const [row] = await sql('account', seen, invoiceId);
    expect(Number(row!['seen'])).to.be.above(Date.now() - 60_000);
    await world.call(`room/${invoiceId}/ring`, {}); // it learns that its value was true
    await world.worker.evictDurableObject('Account', { name: 'main' });
    const room = { name: `main/${invoiceId}`, webSockets: 'hibernate' as const };
    await world.worker.evictDurableObject('Room', room);
    socket.send('ping');
    const pong = await until('the beat', () =>
      socket.texts.findLast((text) => text.startsWith('pong:')),
    );
    expect(pong.split(':')[1]).to.equal(epoch);
    expect(Number(pong.split(':')[3])).to.be.above(Date.now() - 120_000);
    await world.pay(invoice);
    expect(await world.deliver(eventOf(invoice))).to.equal(200);
    await isIn(socket, 'PAID');
    socket.close();
  });

  it('brings to a room what it had stored and not yet said when it died', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice);
    const [row] = await sql(
      'account',
      'SELECT json FROM paystate_invoice WHERE invoice_id = ?',
      invoice.invoiceId,
    );
    const json = JSON.stringify({ ...JSON.parse(row!['json']!), state: 'PENDING' });
    await sql(
      'account',
      'UPDATE paystate_invoice SET version = version + 1, json = ? WHERE invoice_id = ?',
      json,
      invoice.invoiceId,
    );
    await kill('account');
    await world.call('account/ring', {});
    await isIn(socket, 'PENDING');
    socket.close();
  });

  it('W8: always has an alarm before it: every request sets a lost one, and each ringing the next, whatever the service does', async () => {
    const invoice = await world.invoice();
    const room = `room/${invoice.invoiceId}`;
    const inAMinute = ({ alarm }: { alarm: number | null }) =>
      alarm !== null && alarm <= Date.now() + 61_000;
    const alarmOf = (object: string, door: string) =>
      world.call<{ alarm: number | null }>(`${object}/${door}`, {});
    for (const object of ['account', room]) {
      await tell(invoice, 1, 'known');
      expect((await alarmOf(object, 'disarm')).alarm).to.equal(null);
      if (object === room) await tell(invoice, 2, 'known');
      else await world.call('account/read', { invoiceId: invoice.invoiceId });
      expect(inAMinute(await alarmOf(object, 'alarm')), object).to.equal(true);
    }
    const socket = await pageOf(invoice).catch(() => undefined);
    const endAway = world.sandbox.fault({ action: { status: 503 } });
    await kill('account');
    for (const object of ['account', room]) {
      await alarmOf(object, 'disarm'); // an alarm that rings is set no more
      expect(inAMinute(await alarmOf(object, 'ring')), object).to.equal(true);
    }
    endAway();
    socket?.close();
  });

  it('closes sockets whose token is over, before it says anything more', async () => {
    const invoice = await world.invoice();
    const room = `room/${invoice.invoiceId}`;
    const [socket, idle] = [await pageOf(invoice), await pageOf(invoice)];
    await world.call(`${room}/pass`, TOKEN_LIFETIME);
    const told = socket.messages.length;
    await tell(invoice, 10 ** 13, 'too late');
    expect(await socket.closed()).to.equal(4401);
    expect(socket.messages.slice(told).map(({ value }) => value?.description)).not.to.include(
      'too late',
    );
    expect(await idle.closed()).to.equal(4401);
  });

  it('closes a socket whose token is over by its alarm where nothing is said', async () => {
    const invoice = await world.invoice();
    const socket = await pageOf(invoice);
    await world.call(`room/${invoice.invoiceId}/pass`, TOKEN_LIFETIME);
    await world.call(`room/${invoice.invoiceId}/ring`, {});
    expect(await socket.closed()).to.equal(4401);
  });

  it('keeps a socket open with a new token for the same invoice, and with no other', async () => {
    const [invoice, other] = [await world.invoice(), await world.invoice()];
    const room = `room/${invoice.invoiceId}`;
    const [renewed, wrong] = [await pageOf(invoice), await pageOf(invoice)];
    await world.call(`${room}/pass`, TOKEN_LIFETIME - 60_000);
    renewed.send({ token: await tokenIn(TOKEN_LIFETIME - 60_000, invoice.invoiceId) });
    wrong.send({ token: await tokenIn(TOKEN_LIFETIME - 60_000, other.invoiceId) });
    expect(await wrong.closed()).to.equal(4401);
    await world.call(`${room}/pass`, 120_000);
    await tell(invoice, 10 ** 13, 'in time');
    await until('the message', () => lastOf(renewed).value?.description === 'in time');
    renewed.close();
  });

  it('opens no socket without a token', async () => {
    const failed = await world.socket('x.y.z').then(
      () => false,
      () => true,
    );
    expect(failed).to.equal(true);
  });

  it('survives whatever a page sends', async () => {
    const socket = await pageOf(await world.invoice());
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"resume":7}',
      '{"resume":{"epoch":1,"seq":"x"}}',
      '{"token":7}',
      'x'.repeat(10_000),
    ])
      socket.send(text);
    socket.send('ping');
    await until('the beat', () => socket.texts.some((text) => text.startsWith('pong:')));
    socket.close();
  });

  it('W13: forgets a room a day after its end, and begins another one later', async () => {
    const invoice = await world.invoice();
    await tell({ ...invoice, state: 'PAID' }, 1, 'old');
    const room = `room/${invoice.invoiceId}`;
    const factsOf = async () =>
      JSON.parse((await sql(room, 'SELECT json FROM facts'))[0]!['json']!);
    const facts = await factsOf();
    await world.call(`${room}/ring`, {});
    expect((await factsOf()).epoch).to.equal(facts.epoch); // not yet
    const yesterday = JSON.stringify({ ...facts, touchedAt: Date.now() - 24 * 3_600_000 - 1_000 });
    await sql(room, 'UPDATE facts SET json = ?', yesterday);
    await world.call(`room/${invoice.invoiceId}/ring`, {});
    expect(
      await sql(room, "SELECT name FROM sqlite_master WHERE name IN ('facts', 'ring')"),
    ).to.deep.equal([]);
    await tell(invoice, 1, 'new');
    expect((await factsOf()).epoch).not.to.equal(facts.epoch);
  });

  it("makes an order's invoice when it is asked for, once, at the shop's price", async () => {
    const order = await world.call<{ orderId: string; orderSecret: string }>('order', {
      amount: { amount: '7.20', currency: 'EUR' },
      description: 'Two cups',
    });
    world.requests();
    const exchange = async (secret: string) => {
      const body = JSON.stringify({ orderId: order.orderId, amount: '0.01' });
      return (await (
        await world.ask('/pay/token', {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}` },
          body,
        })
      ).json()) as Exchanged;
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(order.orderSecret)));
    expect(new Set(answers.map(({ invoiceId }) => invoiceId)).size).to.equal(1);
    const posts = () => world.requests().filter((request) => request.startsWith('POST'));
    expect(posts()).to.deep.equal(['POST /v1/invoices']);
    const { amount, correlationId } = await world.client.invoices.get(answers[0]!.invoiceId);
    expect([amount, correlationId]).to.deep.equal([
      { amount: '7.20', currency: 'EUR' },
      order.orderId,
    ]);
    expect((await exchange('0'.repeat(32))).data?.code).to.equal('UNAUTHORIZED');
    await kill('account');
    expect((await exchange(order.orderSecret)).invoiceId).to.equal(answers[0]!.invoiceId);
    expect(posts()).to.deep.equal([]);
  });

  it('has said no secret to any page', () => {
    const said = world.heard.join('\n');
    expect(said).to.include('PAID');
    const secrets = [
      world.apiKey,
      TOKEN_SECRET,
      WEBHOOK_SECRET,
      '"correlationId"',
      '"onchainAddress"',
    ];
    expect(secrets.filter((secret) => said.includes(secret))).to.deep.equal([]);
    expect(/"(issuer|receiver)Id":"[^"]/.test(said)).to.equal(false);
  });
});
