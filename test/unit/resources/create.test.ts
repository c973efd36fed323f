import { expect } from 'chai';
import type { ClientOptions } from 'paystate';
import type { FaultAction } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { DRAFT, failureOf, openShop, type Shop } from '../core/shop.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const NAMED = { ...DRAFT, correlationId: 'order-1', description: 'T-shirt' };
const HOUR = 3_600_000;

const made = ({ client, run }: Shop): Promise<number | 'unknown'> =>
  run(client.invoices.list().count());

/** A shop where the first answers to POST invoices come to nothing. */
const lossy = (
  times: number,
  action: FaultAction = 'lost-after',
  options: Partial<ClientOptions> = {},
): Shop => {
  const shop = openShop(options);
  if (times > 0)
    shop.sandbox.fault({
      method: 'POST',
      path: '/v1/invoices',
      nth: Array.from({ length: times }, (_, at) => at + 1),
      action,
    });
  return shop;
};

/** The sandbox's `fetch` with its list answers changed. */
const relisting = (change: (item: Record<string, unknown>) => object | readonly object[]) => {
  const { sandbox } = openShop();
  const { fetch } = sandbox.clientOptions;
  const options: ClientOptions = {
    ...sandbox.clientOptions,
    async fetch(url, init) {
      const answer = await fetch!(url, init);
      if (init.method !== 'GET') return answer;
      const page = (await answer.json()) as { items: Record<string, unknown>[] };
      return new Response(JSON.stringify({ ...page, items: page.items.flatMap(change) }), {
        headers: answer.headers,
      });
    },
  };
  const shop = openShop(options);
  return { ...shop, sandbox, run: sandbox.run };
};

describe('a correlationId without characters', () => {
  it('is one that the service may take', async () => {
    const { client, run } = openShop();
    const { invoiceId } = await run(client.invoices.create({ ...DRAFT, correlationId: '' }));
    const [found] = await run(client.invoices.list({ correlationId: '' }).toArray({ limit: 2 }));
    expect(found!.invoiceId).to.equal(invoiceId);
  });
});

describe('creation of an invoice', () => {
  it('C1: makes a name before the first byte when none is given, and says it', async () => {
    const shop = openShop();
    const invoice = await shop.run(shop.client.invoices.create(DRAFT));
    expect(invoice.correlationId).to.match(UUID).and.have.length.at.most(40);
    shop.sandbox.fault({ action: 'lost-before' });
    const error = await failureOf(shop.run(shop.client.invoices.create(DRAFT)));
    expect(error.correlationId).to.match(UUID).and.not.equal(invoice.correlationId);
  });

  for (const [name, action] of Object.entries({
    'after the act': 'lost-after',
    'before the act': 'lost-before',
    'in the middle': 'cut-body',
    'for a page of a proxy': { status: 502, html: '<h1>Bad gateway</h1>', processed: true },
    'for an empty 504': { status: 504, processed: true },
    'for a 500 of the service': { status: 500, code: 'INTERNAL_SERVER_ERROR', processed: true },
    'for its time limit': { delay: 11_000, processed: true },
  } satisfies Record<string, FaultAction>))
    for (const times of [1, 2])
      it(`C1: an answer lost ${name}, ${times === 1 ? 'once' : 'twice'}, makes one invoice`, async () => {
        const shop = lossy(times, action);
        const { value, attempts } = await shop.run(
          shop.client.invoices.create(DRAFT).withResponse(),
        );
        expect([value.state, value.amount, attempts]).to.deep.equal([
          'UNPAID',
          DRAFT.amount,
          times + 1,
        ]);
        expect(value.correlationId).to.match(UUID);
        expect(await made(shop)).to.equal(1);
      });

  it('C1: an answer lost each time is unknown, with the name to ask again by', async () => {
    const shop = lossy(3);
    const error = await failureOf(shop.run(shop.client.invoices.create(DRAFT)));
    expect([error.kind, error.code, error.outcome, error.next, error.attempts]).to.deep.equal([
      'unreachable',
      'UNREACHABLE',
      'unknown',
      'retry',
      3,
    ]);
    const { invoice, existed } = await shop.run(
      shop.client.invoices.ensure({ ...DRAFT, correlationId: error.correlationId! }),
    );
    expect([invoice.correlationId, existed, await made(shop)]).to.deep.equal([
      error.correlationId,
      true,
      1,
    ]);
  });

  it('C2: a duplicate on the first try is an error, however equal the two are', async () => {
    const shop = openShop();
    const { invoiceId } = await shop.run(shop.client.invoices.create(NAMED));
    await shop.run(shop.sandbox.payer.pay(invoiceId));
    const error = await failureOf(shop.run(shop.client.invoices.create(NAMED)));
    expect([error.kind, error.code, error.outcome, error.next, error.attempts]).to.deep.equal([
      'refused',
      'DUPLICATE_INVOICE',
      'unknown',
      'read-first',
      1,
    ]);
    expect([error.correlationId, error.values]).to.deep.equal([
      'order-1',
      { correlationId: 'order-1' },
    ]);
  });

  for (const action of ['lost-before', 'lost-after'] as const)
    it(`C2: also where the first order was made after a lost attempt (${action})`, async () => {
      const shop = lossy(1, action);
      const { invoiceId } = await shop.run(shop.client.invoices.create(NAMED));
      await shop.run(shop.sandbox.payer.pay(invoiceId));
      const error = await failureOf(shop.run(shop.client.invoices.create(NAMED)));
      expect([error.code, error.attempts]).to.deep.equal(['DUPLICATE_INVOICE', 1]);
    });

  it("C3: an older invoice is not this call's, even if it is equal", async () => {
    const shop = lossy(0);
    await shop.run(shop.client.invoices.create(NAMED));
    await shop.sandbox.advance(HOUR);
    shop.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-before' });
    const error = await failureOf(shop.run(shop.client.invoices.create(NAMED)));
    expect([error.kind, error.code, error.correlationId]).to.deep.equal([
      'refused',
      'DUPLICATE_INVOICE',
      'order-1',
    ]);
    expect(error.values!['existing']).to.include({ correlationId: 'order-1', state: 'UNPAID' });
    expect(error.outcome).to.equal('unknown');
  });

  it('C3: a wrong clock of our own changes nothing', async () => {
    for (const clockSkew of [-24 * HOUR, 24 * HOUR]) {
      const { sandbox } = openShop();
      const { client } = openShop(sandbox.clientOptionsFor({ clockSkew }));
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      expect((await sandbox.run(client.invoices.create(NAMED))).correlationId).to.equal('order-1');
    }
  });

  for (const [name, other] of Object.entries({
    amount: { ...NAMED, amount: { amount: '20.00', currency: 'EUR' } },
    currency: { ...NAMED, amount: { amount: '12.50', currency: 'USD' } },
    description: { ...NAMED, description: 't-shirt' },
    'a description more': { ...NAMED, description: undefined },
  }))
    it(`C4: another ${name} under the same name is another invoice, and the error shows it`, async () => {
      const shop = lossy(0);
      await shop.run(shop.client.invoices.create(other));
      shop.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-before' });
      for (const verb of ['create', 'ensure'] as const) {
        const error = await failureOf(shop.run<unknown>(shop.client.invoices[verb](NAMED)));
        expect([error.code, error.outcome, error.next, error.correlationId]).to.deep.equal([
          'DUPLICATE_INVOICE',
          'unknown',
          'read-first',
          'order-1',
        ]);
        expect(error.values!['existing']).to.deep.include({
          amount: other.amount,
          state: 'UNPAID',
        });
      }
      expect(await made(shop)).to.equal(1);
    });

  it('amounts are compared as decimals, descriptions after absent = null = ""', async () => {
    const shop = lossy(1);
    const invoice = await shop.run(
      shop.client.invoices.create({
        amount: { amount: '012.5', currency: 'EUR' },
        description: '',
      }),
    );
    expect(invoice.amount.amount).to.equal('12.50');
    const other = relisting((item) => ({
      ...item,
      amount: { amount: '12.5000', currency: 'EUR' },
      description: null,
    }));
    other.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    expect((await other.run(other.client.invoices.create(DRAFT))).description).to.equal(undefined);
  });

  it('an invoice for somebody else is not the same', async () => {
    const shop = relisting((item) => ({ ...item, receiverId: 'somebody-else' }));
    shop.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    expect(
      (await failureOf(shop.run(shop.client.invoices.create(NAMED)))).values!['existing'],
    ).to.include({ receiverId: 'somebody-else' });
  });

  it("a name that differs in its letters' case is another name, and two of one name are one too many", async () => {
    for (const change of [
      (item: object) => ({ ...item, correlationId: 'ORDER-1' }),
      (item: object) => [item, { ...item, invoiceId: 'second' }],
    ]) {
      const shop = relisting(change);
      shop.sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      expect((await failureOf(shop.run(shop.client.invoices.create(NAMED)))).code).to.equal(
        'EXISTS_UNREAD',
      );
    }
  });

  for (const [name, action, facts] of [
    [
      'is refused for a scope',
      { status: 403, code: 'FORBIDDEN' },
      { neededScope: 'partner.invoice.read' },
    ],
    [
      'is blocked for an hour',
      { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '3600' } },
      {},
    ],
    ['fails', { status: 500, code: 'INTERNAL_SERVER_ERROR' }, {}],
    ['is lost', 'lost-after', {}],
    ['is no JSON', { status: 200, html: '<h1>Hi</h1>' }, {}],
  ] as const)
    for (const verb of ['create', 'ensure'] as const)
      it(`C5: ${verb} says EXISTS_UNREAD when the look-up ${name}`, async () => {
        const shop = lossy(1);
        shop.sandbox.fault({ method: 'GET', action });
        const error = await failureOf(shop.run<unknown>(shop.client.invoices[verb](NAMED)));
        expect(error).to.include({
          kind: 'unreachable',
          code: 'EXISTS_UNREAD',
          outcome: 'unknown',
          next: 'read-first',
          correlationId: 'order-1',
          ...facts,
        });
        if (name.includes('hour'))
          expect(error.retryAt).to.be.within(
            shop.sandbox.clock.now() + HOUR - 5_000,
            shop.sandbox.clock.now() + HOUR,
          );
      });

  it('C5: a list that lags is no proof of absence', async () => {
    const empty = { items: [], count: 0 };
    const { sandbox } = openShop();
    const { fetch } = sandbox.clientOptions;
    const { client } = openShop({
      ...sandbox.clientOptions,
      fetch: async (url, init) =>
        init.method === 'GET' ? new Response(JSON.stringify(empty)) : fetch!(url, init),
    });
    sandbox.fault({ nth: 1, action: 'lost-after' });
    const error = await failureOf(sandbox.run(client.invoices.create(NAMED)));
    expect(error).to.include({
      code: 'EXISTS_UNREAD',
      outcome: 'unknown',
      correlationId: 'order-1',
    });
  });

  it("C14: a 4xx that is not the service's leaves doubt", async () => {
    for (const status of [400, 403, 404, 408, 413, 429]) {
      const shop = openShop();
      shop.sandbox.fault({
        method: 'POST',
        action: { status, html: '<h1>No</h1>', processed: true },
      });
      const error = await failureOf(shop.run(shop.client.invoices.create(NAMED)));
      expect(error).to.include({
        kind: 'unreachable',
        code: 'NOT_FROM_SERVICE',
        status,
        outcome: 'unknown',
        correlationId: 'order-1',
      });
    }
  });

  it('C15: a corrected draft is sent again under the same name', async () => {
    const shop = openShop();
    shop.sandbox.fault({
      method: 'POST',
      nth: 1,
      action: { status: 422, code: 'USER_CURRENCY_UNAVAILABLE', values: { currency: 'EUR' } },
    });
    const error = await failureOf(shop.run(shop.client.invoices.create(NAMED)));
    expect([error.outcome, error.values, error.correlationId]).to.deep.equal([
      'not-done',
      { currency: 'EUR' },
      'order-1',
    ]);
    const invoice = await shop.run(
      shop.client.invoices.create({ ...NAMED, amount: { amount: '12.50', currency: 'USD' } }),
    );
    expect([invoice.correlationId, await made(shop)]).to.deep.equal(['order-1', 1]);
  });

  itLong('one call never makes two, whatever is lost', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const shop = openShop({}, { seed });
      for (const action of [
        'lost-after',
        'lost-before',
        'cut-body',
        { status: 503 },
        { delay: 12_000, processed: true },
      ] as const)
        shop.sandbox.fault({ method: 'POST', probability: 0.2, action });
      const ends = await shop.run(
        Promise.allSettled(
          Array.from({ length: 12 }, (_, at) =>
            shop.client.invoices.create({ ...DRAFT, correlationId: `o${at}` }),
          ),
        ),
      );
      const listed = await shop.run(shop.client.invoices.list().toArray({ limit: 100 }));
      const names = listed.map(({ correlationId }) => correlationId);
      expect(new Set(names).size).to.equal(names.length);
      for (const [at, end] of ends.entries()) {
        const known =
          end.status === 'fulfilled'
            ? end.value.invoiceId
            : (await failureOf(Promise.reject(end.reason))).outcome;
        if (known !== 'unknown')
          expect(known).to.equal(
            listed.find(({ correlationId }) => correlationId === `o${at}`)!.invoiceId,
          );
      }
    }
  });
});
