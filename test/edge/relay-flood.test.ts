// Protects: a flood of one kind of question leaves the others, and other customers, served; no question leads elsewhere.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import type { Invoice } from 'paystate';
import { makeEvent } from 'paystate/testing';
import { after, describe, it } from '#test';
import { AWKWARD } from '../unit/relay/shop.ts';
import { openRelay, ORIGIN } from './relay-harness.ts';
import { until } from './until.ts';

const { world, close } = await openRelay();
after(close);

const DAY = 86_400_000;

const bearer = async (invoiceId: string) => ({
  authorization: `Bearer ${await world.token(invoiceId)}`,
});
const statusesOf = (answers: readonly Response[]) =>
  [...new Set(answers.map(({ status }) => status))].sort();

/** The account's object ends, and begins anew. */
async function sleep(): Promise<void> {
  await world.call('account/kill', {}).catch(() => {});
  const isThere = () =>
    world.call('account/alarm', {}).then(
      () => true,
      () => false,
    );
  await until('another object', isThere);
}

/** Asks the account's object for a code, as the room of an invoice does. */
const quote = ({ invoiceId }: Invoice) =>
  world.call<{ status?: number; wait?: number }>('account/quote', { invoiceId });

let strangers = 0;
/** Headers of a request from an address of its own: one address has a third of each share at most. */
const fromAnywhere = () => ({
  'cf-connecting-ip': `198.51.${Math.floor(++strangers / 250)}.${(strangers % 250) + 1}`,
});

/** Plays a flood within one moment of the account's time: a window of its shares must not end meanwhile. */
async function atOnce<T>(play: () => Promise<T>): Promise<T> {
  await world.call('account/stop-time', {});
  try {
    return await play();
  } finally {
    await world.call('account/stop-time', {});
  }
}

/** A customer who is served: sees the invoice, gets a code, and hears of the payment. */
async function isServed(invoice: Invoice): Promise<void> {
  const headers = await bearer(invoice.invoiceId);
  const path = `/pay/v1/invoices/${invoice.invoiceId}`;
  const socket = await world.socket(await world.token(invoice.invoiceId));
  await until('the truth', () => socket.messages.at(-1)?.value?.state === 'UNPAID');
  expect((await world.ask(path, { headers })).status).to.equal(200);
  const quote = (await (await world.ask(`${path}/quote`, { method: 'POST', headers })).json()) as {
    lnInvoice: string;
  };
  await world.sandbox.payer.pay(quote.lnInvoice);
  await until('paid', () => socket.messages.at(-1)?.value?.state === 'PAID');
  socket.close();
}

describe('a path at the relay', () => {
  it('that is no id, sent byte by byte, reaches nothing at the service', async () => {
    const { invoiceId } = await world.invoice();
    const token = await world.token(invoiceId);
    const { hostname, port } = world.at('/');
    const statusOf = async (method: string, path: string): Promise<string> => {
      const line = connect(Number(port), hostname);
      line.write(
        Buffer.from(
          `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\norigin: ${ORIGIN}\r\nauthorization: Bearer ${token}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
        ),
      );
      const [first] = (await once(line, 'data').catch(() => ['HTTP/1.1 broken off'])) as [
        Buffer | string,
      ];
      line.destroy();
      return String(first).split(' ')[1]!;
    };
    await new Promise((resolve) => setTimeout(resolve, 200));
    world.requests();
    for (const id of AWKWARD)
      for (const [method, end] of [
        ['GET', ''],
        ['POST', '/quote'],
      ] as const) {
        const path = `/pay/v1/invoices/${id}${end}`;
        if (!/[\r\n]/.test(path))
          expect(await statusOf(method, path), path).to.be.oneOf(['400', '403', '404']);
      }
    expect(await statusOf('GET', `/pay/v1/invoices/${invoiceId}`)).to.equal('200');
    expect(world.requests().filter((request) => request.startsWith('POST'))).to.deep.equal([]);
    expect(
      world.sandbox.log
        .map(({ path }) => path)
        .filter(
          (path) =>
            !/^\/v1\/(invoices(\/[\w-]{36}(\/quote)?)?|events|subscriptions)(\?|$)/.test(path),
        ),
    ).to.deep.equal([]);
  });
});

describe('a flood at the relay', () => {
  it('of orders makes invoices up to a share of the limit, and customers with an order are served', async () => {
    const invoice = await world.invoice();
    world.requests();
    const open = async () => {
      const { orderId, orderSecret } = await world.call<{ orderId: string; orderSecret: string }>(
        'order',
        { amount: { amount: '1.00', currency: 'EUR' } },
      );
      return world.ask('/pay/token', {
        method: 'POST',
        headers: { authorization: `Bearer ${orderSecret}`, ...fromAnywhere() },
        body: JSON.stringify({ orderId }),
      });
    };
    const answers: Response[] = [];
    await atOnce(async () => {
      while (answers.length < 250)
        answers.push(...(await Promise.all(Array.from({ length: 50 }, open))));
    });
    expect(world.requests().filter((request) => request === 'POST /v1/invoices')).to.have.length(
      200,
    );
    expect(statusesOf(answers)).to.deep.equal([200, 429]);
    expect(Number(answers.at(-1)!.headers.get('retry-after'))).to.be.within(1, 60);
    await isServed(invoice);
  });

  it('of codes that are refused asks the service a dozen times, and others get their codes', async () => {
    const [paid, invoice] = [await world.invoice(), await world.invoice()];
    await world.pay(paid);
    const headers = await bearer(paid.invoiceId);
    world.requests();
    const answers: Response[] = [];
    await atOnce(async () => {
      while (answers.length < 40)
        answers.push(
          await world.ask(`/pay/v1/invoices/${paid.invoiceId}/quote`, { method: 'POST', headers }),
        );
    });
    expect(world.requests().filter((request) => request.startsWith('POST'))).to.have.length(12);
    expect(statusesOf(answers)).to.deep.equal([422, 429]);
    await isServed(invoice);
  });

  it('of looks at what is not there uses up its share and no more, and open pages hear of what changes', async () => {
    const invoice = await world.invoice();
    const socket = await world.socket(await world.token(invoice.invoiceId));
    await until('the truth', () => socket.messages.at(-1)?.value?.state === 'UNPAID');
    world.requests();
    const ids = new Set<string>();
    const look = async () => {
      const id = crypto.randomUUID();
      ids.add(`GET /v1/invoices/${id}`);
      const headers = { ...(await bearer(id)), ...fromAnywhere() };
      return world.ask(`/pay/v1/invoices/${id}`, { headers });
    };
    const answers: Response[] = [];
    await atOnce(async () => {
      while (answers.length < 350)
        answers.push(...(await Promise.all(Array.from({ length: 50 }, look))));
    });
    expect(statusesOf(answers)).to.deep.equal([404, 429]);
    const asked = world.requests().filter((request) => ids.has(request.split('?')[0]!));
    expect(asked.length).to.be.within(290, 300); // looks of other tests count
    await world.pay(invoice);
    await until('paid', () => socket.messages.at(-1)?.value?.state === 'PAID');
    socket.close();
  });

  it('has spent its share also after the object has slept', async () => {
    const [invoice, other] = [await world.invoice(), await world.invoice()];
    await atOnce(async () => {
      for (let time = 0; time < 12; time++)
        expect((await quote(invoice)).status, `${time}`).to.equal(undefined);
      await sleep();
      expect(await quote(invoice)).to.include({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      expect((await quote(other)).status).to.equal(undefined);
    });
  });

  it('of deliveries that nobody has signed wakes no object, and one that is signed comes through', async () => {
    const invoice = await world.invoice();
    const wokenBy = async (deliver: () => Promise<number>, times: number) => {
      const { woken: before } = await world.call<{ woken: number }>('woken', {});
      const statuses = await Promise.all(Array.from({ length: times }, deliver));
      const { woken } = await world.call<{ woken: number }>('woken', {});
      return [woken - before, [...new Set(statuses)]];
    };
    const event = { id: 'one', data: { entityId: invoice.invoiceId } };
    const made = makeEvent({ ...event, created: new Date().toISOString() });
    const long = makeEvent({ ...event, eventType: 'x'.repeat(70_000) });
    const old = makeEvent({ ...event, created: new Date(Date.now() - 31 * DAY).toISOString() });
    expect(
      await wokenBy(() => world.deliver(made, 'the secret of somebody else'), 200),
    ).to.deep.equal([0, [401]]);
    expect(await wokenBy(() => world.deliver(long), 1)).to.deep.equal([0, [413]]);
    expect(await wokenBy(() => world.deliver(old), 1)).to.deep.equal([0, [400]]);
    expect(await wokenBy(() => world.hookStatus('GET'), 1)).to.deep.equal([0, [405]]);
    expect(await wokenBy(() => world.deliver(made), 1)).to.deep.equal([1, [200]]);
  });

  it('that the service blocks stays blocked after the object has slept, and nothing is sent', async () => {
    const [invoice, other] = [await world.invoice(), await world.invoice()];
    const endFault = world.sandbox.fault({
      method: 'POST',
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '600' } },
    });
    expect((await quote(invoice)).status).to.equal(429);
    endFault();
    await sleep();
    world.requests();
    const { status, wait } = await quote(other);
    expect(status).to.equal(429);
    expect(wait).to.be.within(60_000, 600_000); // one of its own would be an hour
    expect(world.requests().filter((request) => request.startsWith('POST'))).to.deep.equal([]);
  });
});
