// Protects: an order is told as paid for its own invoice alone; rooms live as long as anybody may come back, and are told what they
// have missed; pages are told for how long asking is useless; on real SQLite in virtual time.
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import type { PaidOrder } from 'paystate/relay';
import { describe, it } from '#test';
import { record } from '../unit/state/shop.ts';
import { openObjects, type RelayObjects } from './relay-objects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AMOUNT = { amount: '7.20', currency: 'EUR' };
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
};

/** A shop that ships what is told to be paid. */
const openShop = (): RelayObjects & { readonly shipped: PaidOrder[] } => {
  const shipped: PaidOrder[] = [];
  const on = { orderPaid: (paid: PaidOrder) => void shipped.push(paid) };
  return { ...openObjects(undefined, { ...HOOKED, on }), shipped };
};

const order = async ({ sandbox, relay, exchange }: RelayObjects, opens = true) => {
  const made = await sandbox.run(relay.createOrder({ amount: AMOUNT, description: 'Two cups' }));
  const invoiceId = opens
    ? (await exchange(made.orderId, made.orderSecret)).body.invoiceId
    : undefined;
  return { ...made, invoiceId };
};

/** Nothing runs in the account object meanwhile; first, deliveries that are on their way come in. */
const sleep = async ({ account, sandbox }: RelayObjects, time: number): Promise<void> => {
  await sandbox.advance(5 * MINUTE);
  account.evict();
  account.loseAlarm();
  await sandbox.advance(time);
};

describe('an order that is paid', () => {
  it('is told with its invoice, once', async () => {
    const shop = openShop();
    const { orderId, invoiceId } = await order(shop);
    await shop.sandbox.payer.pay(invoiceId!);
    await shop.sandbox.advance(MINUTE);
    const [paid] = shop.shipped;
    expect(shop.shipped).to.have.length(1);
    expect(paid!.orderId).to.equal(orderId);
    expect(paid!.draft.amount).to.deep.equal(AMOUNT);
    expect([paid!.invoice.invoiceId, paid!.invoice.state]).to.deep.equal([invoiceId, 'PAID']);
    expect(shop.problems).to.deep.equal([]);
  });

  for (const [what, reason, draftOf] of [
    ['another amount', 'amount', { amount: { amount: '7.19', currency: 'EUR' } }],
    ['another currency', 'amount', { amount: { amount: '7.20', currency: 'USD' } }],
  ] as const)
    it(`is not paid by an invoice of its name with ${what}`, async () => {
      const shop = openShop();
      const { sandbox, client, shipped, problems } = shop;
      const { orderId } = await order(shop, false);
      const made = await sandbox.run(
        client.invoices.create({ ...draftOf, correlationId: orderId }),
      );
      await sandbox.payer.pay(made.invoiceId);
      await sandbox.advance(6 * MINUTE);
      expect(shipped).to.deep.equal([]);
      expect(problems).to.deep.equal([{ kind: 'not-ours', invoiceId: made.invoiceId, reason }]);
    });

  it('is not paid by an invoice that names no order', async () => {
    const shop = openShop();
    await order(shop);
    const { invoiceId } = await shop.invoice();
    await shop.sandbox.payer.pay(invoiceId);
    await shop.sandbox.advance(6 * MINUTE);
    expect(shop.shipped).to.deep.equal([]);
    expect(shop.problems).to.deep.equal([{ kind: 'not-ours', invoiceId, reason: 'no-order' }]);
  });

  it('is known until a month after it was over, whenever it is paid', async () => {
    const shop = openShop();
    const { account, sandbox } = shop;
    const { orderId, invoiceId } = await order(shop);
    const orders = async (): Promise<number> => {
      await sandbox.run(account.living.alarm());
      return account.rows(`SELECT * FROM paystate_order WHERE order_id = '${orderId}'`).length;
    };
    await sleep(shop, 31 * DAY);
    expect(await orders()).to.equal(1);
    await sandbox.payer.pay(invoiceId!);
    await sandbox.advance(MINUTE);
    expect(shop.shipped).to.have.length(1);
    await sleep(shop, 29 * DAY);
    expect(await orders()).to.equal(1);
    await sleep(shop, 2 * DAY);
    expect(await orders()).to.equal(0);
  });

  it('is kept as long as it was not shipped, however long it was over', async () => {
    const on = { orderPaid: () => Promise.reject(new Error('no van')) };
    const shop = { ...openObjects(undefined, { ...HOOKED, on }), shipped: [] };
    const { account, sandbox } = shop;
    const { orderId, invoiceId } = await order(shop);
    await sandbox.payer.pay(invoiceId!);
    await sandbox.advance(MINUTE);
    await sleep(shop, 70 * DAY);
    await sandbox.run(account.living.alarm());
    expect(
      account.rows(`SELECT * FROM paystate_order WHERE order_id = '${orderId}'`),
    ).to.have.length(1);
  });
});

describe('a room', () => {
  const rowsOf = ({ room }: RelayObjects, { invoiceId }: Invoice): number => {
    try {
      return room(invoiceId).rows('SELECT * FROM facts').length;
    } catch {
      return 0; // it has deleted itself
    }
  };
  const opened = async (isPaid: boolean): Promise<readonly [RelayObjects, Invoice]> => {
    const world = openObjects();
    const invoice = await world.invoice();
    const { client } = world.page(invoice.invoiceId);
    const log = record(watchInvoice(client, invoice.invoiceId));
    await world.sandbox.advance(5_000);
    if (isPaid) await world.pay(invoice);
    await world.sandbox.advance(5_000);
    log.stop();
    world.room(invoice.invoiceId).lines.at(-1)!.close();
    return [world, invoice];
  };

  it('is kept for thirty days after the last request, and not for ever', async () => {
    const [world, invoice] = await opened(false);
    await sleep(world, 29 * DAY);
    expect(rowsOf(world, invoice)).to.equal(1);
    await sleep(world, 2 * DAY);
    expect(rowsOf(world, invoice)).to.equal(0);
  });

  it('of a settled invoice is kept for a day', async () => {
    const [world, invoice] = await opened(true);
    await world.sandbox.advance(23 * HOUR);
    expect(rowsOf(world, invoice)).to.equal(1);
    await world.sandbox.advance(2 * HOUR);
    expect(rowsOf(world, invoice)).to.equal(0);
  });

  it('takes each version of the account object once, whatever comes twice or late', async () => {
    const { invoice, line, room, sandbox } = openObjects();
    const made = await invoice();
    const page = await line(made.invoiceId);
    const update = async (number: number, state: string): Promise<number> => {
      const before = page.received().length;
      const value = { ...made, state };
      const shown = { epoch: 'test', version: number, asOf: 0, seenFor: 0, value };
      await sandbox.run(room(made.invoiceId).ask('update', { invoiceId: made.invoiceId, shown }));
      return page.received().length - before;
    };
    expect(await update(10 ** 14, 'PENDING')).to.equal(1);
    expect(await update(10 ** 14, 'PENDING')).to.equal(0);
    expect(await update(10 ** 14 - 1, 'UNPAID')).to.equal(0);
    expect(page.received().at(-1)!.value!.state).to.equal('PENDING');
  });

  it('that cannot be reached is told later, again and again, and others at once', async () => {
    const { invoice, line, pay, room, sandbox, account } = openObjects();
    const [first, second] = [await invoice(), await invoice()];
    const [away, here] = [await line(first.invoiceId), await line(second.invoiceId)];
    room(first.invoiceId).refuses = /INSERT OR REPLACE INTO facts/;
    await pay(first);
    await sandbox.advance(10_000);
    await pay(second);
    await sandbox.advance(5_000);
    expect([away, here].map((page) => page.received().at(-1)!.value!.state)).to.deep.equal([
      'UNPAID',
      'PAID',
    ]);
    expect(account.alarmAt! - sandbox.clock.now()).to.be.at.most(MINUTE);
    room(first.invoiceId).refuses = undefined;
    await sandbox.advance(MINUTE + 1_000);
    expect(away.received().at(-1)!.value!.state).to.equal('PAID');
  });

  it('that stays away is called more and more seldom, up to once a minute', async () => {
    const { invoice, line, pay, room, sandbox } = openObjects();
    const made = await invoice();
    const page = await line(made.invoiceId);
    const { living } = room(made.invoiceId);
    const fetch = living.fetch.bind(living);
    let [calls, isAway] = [0, true];
    living.fetch = async (request) => {
      calls++;
      if (isAway) throw new Error('the room is away');
      return fetch(request);
    };
    await pay(made);
    await sandbox.advance(2 * MINUTE);
    expect(calls).to.be.within(5, 12);
    calls = 0;
    await sandbox.advance(30 * MINUTE);
    expect(calls).to.be.within(12, 62);
    isAway = false;
    await sandbox.advance(MINUTE + 1_000);
    expect(page.received().at(-1)!.value!.state).to.equal('PAID');
  });

  it('gives a code while enough of it is left, and asks for another one then', async () => {
    const { ask, invoice, requests, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    const quotes = () => requests().filter((one) => one.startsWith('POST')).length;
    const code = async () => (await ask(invoiceId, 'POST', '/quote')).body;
    const first = await code();
    const life = first.expirationInSec;
    expect(quotes()).to.equal(1);
    await sandbox.advance((life / 2) * 1_000);
    const same = await code();
    expect([same.lnInvoice === first.lnInvoice, quotes()]).to.deep.equal([true, 0]);
    expect(same.expirationInSec).to.be.within(Math.floor(life / 2) - 2, Math.ceil(life / 2));
    await sandbox.advance((life / 4) * 1_000);
    const next = await code();
    expect([next.lnInvoice === first.lnInvoice, quotes()]).to.deep.equal([false, 1]);
  });
});

describe('a page that asks too much, or too early', () => {
  it('is told for how long asking is useless', async () => {
    const { ask, invoice, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    sandbox.fault({
      path: '/v1/invoices/**',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '90' } },
    });
    const { status, headers } = await ask(invoiceId, 'POST', '/quote');
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(80, 95);
  });

  it('is told nothing of a call that objects do not know', async () => {
    const { account, sandbox } = openObjects();
    for (const call of ['delete-all', 'toString', '__proto__']) {
      const response = await sandbox.run(account.ask(call, {}));
      expect([call, response.status]).to.deep.equal([call, 404]);
    }
  });
});
