// Protects: the example's shop in real workerd: what is paid as agreed is shipped once, and everything else waits for a person.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { after, describe, it } from '#test';
import { startShop } from '../../demo/serve/shop.ts';
import { worldOf } from './shop-world.ts';
import { until } from './until.ts';

const shop = await startShop();
after(() => shop.close());

const { sandbox } = shop;
const own = createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' }));
const { post, order, opened, state, becomes, office, cron, line } = worldOf(shop);
/** What a page is given for its order's secret. */
interface Pass {
  readonly token: string;
  readonly invoiceId: string;
}

/** An open page makes the shop read every two seconds. */
const SEVERAL_READS = 5_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const sentPayments = () =>
  sandbox.log.filter(
    ({ method, path, status }) =>
      method === 'PATCH' &&
      /^\/v1\/payment-quotes\/.*\/execute$/.test(path) &&
      (status ?? 500) < 300,
  ).length;

describe("the example's orders", () => {
  it('are one, with one invoice, however often the same click is sent', async () => {
    const key = crypto.randomUUID();
    const placed = await Promise.all([1, 2, 3].map(() => order({ morning: 1 }, key)));
    placed.push(await order({ morning: 1 }, key));
    expect(new Set(placed.map((one) => JSON.stringify(one))).size).to.equal(1);
    const ids = await Promise.all(placed.map(opened));
    expect(new Set(ids).size).to.equal(1);
    const { correlationId } = await own.invoices.get(ids[0]!);
    expect(correlationId).to.equal(placed[0]!.orderId);
    expect((await post('/orders', { key, cart: { morning: 2 } })).status).to.equal(409);
  });

  it('tell of themselves to their own secret alone', async () => {
    const [mine, other] = [await order(), await order()];
    expect(await state(mine)).to.equal('open');
    const headers = { authorization: `Bearer ${other.orderSecret}` };
    const { status } = await fetch(`${shop.url}/orders/${mine.orderId}`, { headers });
    expect(status).to.equal(401);
  });
});

describe("the example's back office", () => {
  it('hears at once of an order, of its payment and of its end', async () => {
    const desk = line();
    expect(await desk.opens).to.equal(true);
    const placed = await order();
    await until('the order', () => desk.last(placed.orderId)?.state === 'open');
    await sandbox.payer.pay(await opened(placed));
    await until('the parcel', () => desk.last(placed.orderId)?.state === 'shipped');
    expect(await state(placed)).to.equal('shipped');
    expect(JSON.stringify(desk.heard)).not.to.contain('hash');
    desk.close();
  });

  it('sees within seconds what a lost webhook leaves behind, as long as a page is open', async () => {
    const [paid, reversed] = [await order(), await order()];
    const [one, other] = [await opened(paid), await opened(reversed)];
    await sandbox.payer.pay(other);
    await becomes(reversed, 'shipped');
    const desk = line();
    expect(await desk.opens).to.equal(true);
    const endLost = sandbox.fault({ delivery: 'lost-before' });
    await sandbox.payer.pay(one);
    await sandbox.payer.reverse(other);
    await until('the parcel', () => desk.last(paid.orderId)?.state === 'shipped');
    await until('the reversal', () => desk.last(reversed.orderId)?.state === 'reversed');
    endLost();
    desk.close();
  });

  it('reads while a page is open, and nothing after the last one has closed', async () => {
    await sleep(1_000); // an earlier page has just closed
    // the relay reads lists of its own, by ids
    const reads = () =>
      sandbox.log.filter(({ path, query }) => path === '/v1/invoices' && query.includes('REVERSED'))
        .length;
    const before = reads();
    await sleep(SEVERAL_READS);
    expect(reads()).to.equal(before);
    const desks = [line(), line()];
    for (const { opens } of desks) expect(await opens).to.equal(true);
    desks[0]!.close();
    desks[1]!.ping();
    await until('the pong', () => desks[1]!.pongs() === 1);
    const one = reads();
    await until('further reads', () => reads() > one + 2);
    desks[1]!.close();
    await sleep(1_000); // one may be under way
    const last = reads();
    await sleep(SEVERAL_READS);
    expect(reads()).to.equal(last);
  });

  it('opens for its secret only, and for its own page only', async () => {
    const desk = line('0'.repeat(64));
    const foreign = line(shop.officeSecret, 'https://evil.example');
    expect([await desk.opens, await foreign.opens]).to.deep.equal([false, false]);
    expect((await office('reconcile', {}, 'guessed')).status).to.equal(401);
    const headers = {
      authorization: `Bearer ${shop.officeSecret}`,
      origin: 'https://evil.example',
    };
    expect((await post('/office/reconcile', {}, headers)).status).to.equal(403);
    expect((await fetch(`${shop.url}/office/live?secret=${shop.officeSecret}`)).status).to.equal(
      403,
    );
  });

  it('cancels an order: no page can pay it any more', async () => {
    const [seen, unseen] = [await order(), await order()];
    const invoiceId = await opened(seen);
    for (const placed of [seen, unseen]) {
      expect(await office('cancel', { orderId: placed.orderId })).to.include({ said: 'cancelled' });
      expect(await state(placed)).to.equal('cancelled');
    }
    for (const id of [invoiceId, await opened(unseen)])
      expect((await own.invoices.get(id)).state).to.equal('CANCELLED');
  });

  it('ships an order whose customer was faster than its cancelling', async () => {
    const placed = await order();
    const invoiceId = await opened(placed);
    const paying = sandbox.payer.pay(invoiceId, { pendingFor: 3_000 });
    await until('the payment', async () => (await own.invoices.get(invoiceId)).state === 'PENDING');
    await office('cancel', { orderId: placed.orderId });
    await paying;
    await becomes(placed, 'shipped');
  });

  it('keeps what is paid after it was cancelled for a person, who ships it', async () => {
    const placed = await order();
    const invoiceId = await opened(placed);
    await office('cancel', { orderId: placed.orderId });
    sandbox.move('invoice', invoiceId, 'PAID');
    await becomes(placed, 'held');
    expect(await office('ship', { orderId: placed.orderId })).to.include({ said: 'shipped' });
    expect(await state(placed)).to.equal('shipped');
  });

  it('sees money that is no order, and nothing is shipped for it', async () => {
    const placed = await order({ box: 1 });
    const cent = { amount: { amount: '0.01', currency: 'EUR' }, correlationId: placed.orderId };
    const { invoiceId } = await own.invoices.create(cent);
    await sandbox.payer.pay(invoiceId);
    const reason = await until('the stray', async () => {
      const desk = line();
      const { strays = [] } = await until('a list', () => desk.heard[0]);
      desk.close();
      return strays.find(({ invoice_id }) => invoice_id === invoiceId)?.reason;
    });
    expect(reason).to.be.oneOf(['amount', 'other-invoice']);
    await cron(); // finds the same invoice under the order's number
    expect(await state(placed)).to.equal('held');
  });

  it('pays back once, also where the Worker dies in between', async () => {
    const placed = await order({ filters: 1 });
    await sandbox.payer.pay(await opened(placed));
    await becomes(placed, 'shipped');
    const before = sentPayments();
    const wish = {
      orderId: placed.orderId,
      to: sandbox.payer.createBolt11({ sat: '2100' }),
      name: crypto.randomUUID(),
    };
    expect(await office('refund', { orderId: placed.orderId })).to.include({
      said: 'not possible: it needs a destination',
    });
    office('refund', wish).catch(() => {}); // the connection breaks off
    // Sent, and perhaps not heard of. A quote whose answer is lost is waited for, minutes of real
    // time: the refund's own tests do that in virtual time.
    await until('its payment', () => sentPayments() > before);
    await shop.kill();
    await shop.start();
    await until('the refund, or that nothing of it has begun', async () => {
      await cron();
      if ((await state(placed)) === 'held') await office('refund', wish);
      return (await state(placed)) === 'refunded';
    });
    expect(await office('refund', { ...wish, name: crypto.randomUUID() })).to.include({
      said: 'not possible: the order is refunded',
    });
    expect(sentPayments() - before).to.equal(1);
  });
});

describe("a page of the example's shop", () => {
  it('cannot tell other pages of its invoice that it is paid', async () => {
    const { orderId, orderSecret } = await order();
    const bearer = { authorization: `Bearer ${orderSecret}` };
    const pass = (await (await post('/pay/token', { orderId }, bearer)).json()) as Pass;
    const heard: string[] = [];
    const open = async () => {
      const options = { protocols: ['paystate.v1', pass.token], headers: { origin: shop.url } };
      const url = `${shop.url.replace('http', 'ws')}/pay/live`;
      const socket = new WebSocket(url, options as never);
      socket.addEventListener('message', ({ data }) => void heard.push(String(data)));
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      return socket;
    };
    const [forger, other] = [await open(), await open()];
    other.send('{"resume":null}');
    const truth = await until('what is true', () => heard.find((text) => text.includes('UNPAID')));
    const said = JSON.parse(truth) as { value: object };
    const forged = JSON.stringify({ ...said, seq: 99, value: { ...said.value, state: 'PAID' } });
    for (const text of [forged, `{"update":${forged}}`, `{"version":${forged}}`]) forger.send(text);
    forger.send('ping');
    other.send('ping');
    await until('both beats', () => heard.filter((text) => text.startsWith('pong')).length === 2);
    expect(heard.filter((text) => text.includes('"PAID"'))).to.deep.equal([]);
    for (const socket of [forger, other]) socket.close();
  });
});

describe("the example's cron", () => {
  it('ships once what a lost webhook left behind, and says what differed', async () => {
    const placed = await order();
    const invoiceId = await opened(placed);
    const endLost = sandbox.fault({ delivery: 'lost-before' });
    await sandbox.payer.pay(invoiceId);
    const said = (await office('reconcile')) as { differences?: readonly object[] };
    endLost();
    expect(said.differences).to.deep.include({
      orderId: placed.orderId,
      shop: 'open',
      service: 'PAID',
      done: 'shipped',
    });
    expect(await state(placed)).to.equal('shipped');
    await cron();
    expect(((await office('reconcile')) as typeof said).differences).to.deep.equal([]);
  });

  it('sees what was cancelled or taken back elsewhere', async () => {
    const [cancelled, reversed] = [await order(), await order()];
    await own.invoices.cancel(await opened(cancelled));
    const invoiceId = await opened(reversed);
    await sandbox.payer.pay(invoiceId);
    await becomes(reversed, 'shipped');
    await sandbox.payer.reverse(invoiceId);
    await cron();
    expect([await state(cancelled), await state(reversed)]).to.deep.equal([
      'cancelled',
      'reversed',
    ]);
  });

  it('subscribes the webhook once', async () => {
    await cron();
    await cron();
    expect((await own.subscriptions.list()).length).to.equal(1);
  });
});

describe("the example's log", () => {
  it('is lines of JSON without a secret, a key or an address of a customer', () => {
    const log = readFileSync(shop.log, 'utf8');
    const lines = [...log.matchAll(/(\{"at":.*\})\s*$/gm)].map(([, json]) => JSON.parse(json!));
    const events = new Set(lines.map(({ event }: { event: string }) => event));
    expect([...events]).to.include.members([
      'order-shipped',
      'order-held',
      'followed',
      'reconciled',
      'problem',
    ]);
    const said = JSON.stringify(lines);
    for (const secret of [shop.apiKey, ...shop.secrets, '198.51.100.'])
      expect(said.includes(secret!)).to.equal(false);
  });
});
