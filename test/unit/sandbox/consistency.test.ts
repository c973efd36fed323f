// Node only: the sandbox computes the same in every engine.
// Reads that are behind, events with odd times, and how often an intent was settled.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { type Ask, asker, euros, newInvoice, query } from './ask.ts';
import { openShop, subscribe } from './receiver.ts';

const HOUR = 60 * 60_000;

interface Shown {
  readonly id: string;
  readonly created: string;
  readonly eventType: string;
}

const eventsOf = async (
  ask: Ask,
  words: Readonly<Record<string, string | number>> = {},
): Promise<readonly Shown[]> =>
  (await ask('GET', `/v1/events${query({ top: 100, ...words })}`)).at('items') as readonly Shown[];

describe('sandbox: a replica that is behind', () => {
  it('does not have what is younger, and has the rest in its older state', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const old = await newInvoice(ask);
    await sandbox.advance(HOUR);
    sandbox.fault({ method: 'GET', path: '/v1/invoices/{}', action: { stale: 5_000 } });
    const look = async (id: string): Promise<unknown> => {
      const { status, at } = await ask('GET', `/v1/invoices/${id}`);
      return status === 200 ? at('state') : at('data.code');
    };
    const young = await newInvoice(ask);
    await sandbox.payer.pay(old);
    expect([await look(old), await look(young)]).to.deep.equal(['UNPAID', 'NOT_FOUND']);
    await sandbox.advance(4_000);
    await ask('PATCH', `/v1/invoices/${young}/cancel`);
    expect([await look(old), await look(young)]).to.deep.equal(['UNPAID', 'NOT_FOUND']);
    await sandbox.advance(1_001);
    expect([await look(old), await look(young)]).to.deep.equal(['PAID', 'UNPAID']);
    await sandbox.advance(5_000);
    expect(await look(young)).to.equal('CANCELLED');
  });

  it('remembers what was already there when the fault came', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    await sandbox.advance(1_000);
    sandbox.fault({ path: '/v1/invoices/{}', action: { stale: 5_000 } });
    expect((await ask('GET', `/v1/invoices/${id}`)).status).to.equal(404);
    await sandbox.advance(4_001);
    expect((await ask('GET', `/v1/invoices/${id}`)).status).to.equal(200);
  });

  it('makes lists lag behind what is found by id', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const old = await newInvoice(ask);
    await sandbox.advance(HOUR);
    sandbox.fault({ path: '/v1/invoices', method: 'GET', action: { stale: 5_000 } });
    const list = async (): Promise<unknown> => {
      const { at } = await ask('GET', '/v1/invoices');
      return [
        at('count'),
        ...(at('items') as readonly { state: string }[]).map(({ state }) => state),
      ];
    };
    await newInvoice(ask);
    await sandbox.payer.pay(old);
    expect(await list()).to.deep.equal([1, 'UNPAID']);
    expect((await ask('GET', `/v1/invoices/${old}`)).at('state')).to.equal('PAID');
    await sandbox.advance(5_001);
    expect(await list()).to.deep.equal([2, 'UNPAID', 'PAID']);
  });

  it('makes the feed late, and only for whom the rule is', async () => {
    const sandbox = createSandbox({ accounts: [{ handle: 'shop' }, { handle: 'café' }] });
    const [one, two] = [
      asker(sandbox),
      asker(sandbox, sandbox.clientOptionsFor({ account: 'café' })),
    ];
    sandbox.fault({ account: 'shop', action: { stale: 60_000 } });
    for (const ask of [one, two]) await newInvoice(ask);
    expect([(await eventsOf(one)).length, (await eventsOf(two)).length]).to.deep.equal([0, 1]);
    const id = (await eventsOf(two))[0]!.id;
    expect((await two('GET', `/v1/events/${id}`)).status).to.equal(200);
    await sandbox.advance(60_001);
    expect([(await eventsOf(one)).length, (await eventsOf(two)).length]).to.deep.equal([1, 1]);
  });

  it('writes nothing wrong: the effect of a write is that of always', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    sandbox.fault({ action: { stale: HOUR } });
    const { status } = await ask('POST', '/v1/invoices', { ...euros('1'), correlationId: 'a' });
    expect([
      status,
      (await ask('POST', '/v1/invoices', { ...euros('1'), correlationId: 'a' })).status,
    ]).to.deep.equal([201, 409]);
  });
});

/** Events of `count` invoices, one a second. */
const filled = async (
  count: number,
  rule: Parameters<Sandbox['fault']>[0],
): Promise<{ readonly sandbox: Sandbox; readonly ask: Ask }> => {
  const sandbox = createSandbox();
  sandbox.fault(rule);
  const ask = asker(sandbox);
  for (let index = 0; index < count; index++) {
    await newInvoice(ask);
    await sandbox.advance(200);
  }
  return { sandbox, ask };
};

describe('sandbox: odd events', () => {
  it('share their time to the last digit, and come in another order each time if told so', async () => {
    const { sandbox, ask } = await filled(6, { event: 'tied' });
    const events = await eventsOf(ask);
    expect(new Set(events.map(({ created }) => created)).size).to.be.below(6);
    sandbox.fault({ action: 'unstable-ties' });
    const orders = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const ids = (await eventsOf(ask)).map(({ id }) => id);
      expect(ids).to.have.members(events.map(({ id }) => id));
      orders.add(ids.join(' '));
    }
    expect(orders.size).to.be.above(2);
    const { at } = await ask(
      'GET',
      `/v1/events${query({ top: 2, filter: 'created gt 2026-01-05T09:00:00Z' })}`,
    );
    expect([at('items.length'), at('count')]).to.deep.equal([2, 6]);
  });

  it('are dated ahead or back, and stand where their date says', async () => {
    const { sandbox, ask } = await filled(5, { event: { ahead: HOUR }, nth: 2 });
    sandbox.fault({ event: { ahead: -HOUR }, nth: 1 });
    await newInvoice(ask);
    const hours = (await eventsOf(ask)).map(({ created }) => created.slice(11, 13));
    expect(hours).to.deep.equal(['10', '09', '09', '09', '09', '08']);
    const filter = 'created gt 2026-01-05T09:30:00Z';
    expect((await eventsOf(ask, { filter })).length).to.equal(1);
    expect(
      (
        await eventsOf(ask, {
          filter: "eventType eq 'invoice.created' and created lt 2026-01-05T08:30:00Z",
        })
      ).length,
    ).to.equal(1);
    expect(
      (
        await eventsOf(ask, { filter: "eventType eq 'invoice.created'", orderby: 'created asc' })
      ).map(({ created }) => created.slice(11, 13)),
    ).to.deep.equal([...hours].reverse());
  });

  it('are late in the feed, behind those that came after them, while their webhooks are in time', async () => {
    const shop = openShop();
    await subscribe(shop);
    shop.sandbox.fault({ event: { late: 6_000 }, nth: 1 });
    for (let index = 0; index < 3; index++) {
      await newInvoice(shop.ask);
      await shop.sandbox.advance(1_000);
    }
    expect(shop.got).to.have.length(3);
    const [late] = shop.got;
    expect((await eventsOf(shop.ask)).map(({ id }) => id)).not.to.include(late!.id);
    expect((await shop.ask('GET', `/v1/events/${late!.id}`)).status).to.equal(404);
    await shop.sandbox.advance(3_000);
    expect((await eventsOf(shop.ask)).map(({ id }) => id).indexOf(late!.id)).to.equal(2);
  });

  it('can be of one type only', async () => {
    const { ask, sandbox } = await filled(1, {
      event: { late: HOUR },
      eventType: 'invoice.updated',
    });
    await sandbox.payer.pay((await ask('GET', '/v1/invoices')).word('items.0.invoiceId'));
    expect((await eventsOf(ask)).map(({ eventType }) => eventType)).to.deep.equal([
      'invoice.created',
    ]);
  });
});

describe('sandbox: occasions', () => {
  it('begin after so many: a key that ends', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    sandbox.fault({ skip: 3, action: { status: 401, code: 'UNAUTHORIZED' } });
    const statuses: number[] = [];
    for (let call = 0; call < 5; call++) statuses.push((await ask('GET', '/v1/invoices')).status);
    expect(statuses).to.deep.equal([200, 200, 200, 401, 401]);
  });

  it('last for a window: maintenance', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const now = sandbox.clock.now();
    sandbox.fault({
      from: now + 1_000,
      to: now + 2_000,
      action: {
        status: 503,
        code: 'MAINTENANCE_MODE',
        headers: { 'retry-after': 'Mon, 05 Jan 2026 09:00:02 GMT' },
      },
    });
    const codes: unknown[] = [];
    for (let second = 0; second < 3; second++) {
      codes.push((await ask('GET', '/v1/invoices')).at('data.code'));
      await sandbox.advance(1_000);
    }
    expect(codes).to.deep.equal([undefined, 'MAINTENANCE_MODE', undefined]);
  });
});

describe('sandbox: settlements', () => {
  it('tell how often an intent came to its end, by any word that it carried', async () => {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    sandbox.fault({ method: 'POST', path: '/v1/invoices', nth: 1, action: 'lost-after' });
    const { invoiceId } = await sandbox.run(
      client.invoices.create({ ...euros('5'), description: 'order 17', correlationId: 'o-17' }),
    );
    expect(sandbox.settlements('order 17')).to.deep.equal([]);
    await sandbox.payer.pay(invoiceId);
    expect(sandbox.settlements('order 17')).to.deep.equal([
      { at: sandbox.clock.now(), why: 'invoice PAID', entityId: invoiceId },
    ]);
    expect(sandbox.settlements('o-17')).to.have.length(1);
    expect(sandbox.settlements('order 18')).to.deep.equal([]);
  });

  it('follow a payment from its quote, and count it once although the network brings its execution twice', async () => {
    const sandbox = createSandbox({
      accounts: [{ handle: 'shop', balances: { EUR: '100' } }, { handle: 'café' }],
    });
    const [payer, receiver] = [
      asker(sandbox),
      asker(sandbox, sandbox.clientOptionsFor({ account: 'café' })),
    ];
    const pay = async (description: string): Promise<number> => {
      const id = await newInvoice(receiver, { description });
      const lnInvoice = (await receiver('POST', `/v1/invoices/${id}/quote`)).word('lnInvoice');
      const quote = await payer('POST', '/v1/payment-quotes/lightning', {
        lnInvoice,
        sourceCurrency: 'EUR',
        description: `for ${description}`,
      });
      expect(quote.status, quote.text).to.equal(200);
      const { status, text } = await payer(
        'PATCH',
        `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`,
      );
      await sandbox.advance(60_000);
      expect([200, 202, 422], text).to.include(status);
      return status;
    };
    await pay('one');
    sandbox.fault({ path: '/v1/payment-quotes/{}/execute', action: 'duplicated-last' });
    expect(await pay('two')).to.equal(422);
    for (const label of ['for one', 'for two'])
      expect(sandbox.settlements(label), label).to.have.length(1);
  });
});
