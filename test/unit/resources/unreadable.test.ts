// Protects: one wrong member or row of an answer does not hide the rest, is reported, and is never
// taken for one that is absent.
import { expect } from 'chai';
import { ensureSubscription, eventFeed } from 'paystate';
import { type Drift, rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from '../core/shop.ts';

const MONEY = { amount: '12.50', currency: 'EUR' };
const EUR = { currency: 'EUR', current: '5.00', pending: '0', reserved: '0', available: '5.00' };
const USD = { ...EUR, currency: 'USD' };
const BAD = { ...INVOICE, invoiceId: 'bad', amount: { amount: 12.5, currency: 'EUR' } };
const invoice = (invoiceId: string, more: object = {}) => ({ ...INVOICE, invoiceId, ...more });
const page = (...items: readonly unknown[]) => ({ items, count: items.length });

const shopOf = (...bodies: readonly unknown[]) => {
  const drifts: Drift[] = [];
  const wire = answering(...bodies.map((body) => json(body)));
  const drift = reportDrift((one) => void drifts.push(one));
  const fieldsOf = () => drifts.map(({ field, kind }) => `${field} ${kind}`);
  return { ...openShop({ fetch: wire.fetch, drift, maxAttempts: 1 }), drifts, fieldsOf, wire };
};

describe('a member that may be absent and is of another type', () => {
  it('is left out and reported, and the rest is delivered', async () => {
    const { client, run, drifts } = shopOf({ ...INVOICE, description: 5, payerId: { id: 'x' } });
    const found = await run(client.invoices.get(INVOICE.invoiceId));
    expect(found).to.deep.equal(INVOICE);
    expect(drifts.map(({ field, kind, text }) => [field, kind, text])).to.deep.equal([
      ['description', 'unreadable', 'must be string'],
      ['payerId', 'unreadable', 'must be string'],
    ]);
  });

  it('spoils no balance, deprecated or not', async () => {
    const body = [
      { ...EUR, outgoing: 'none', total: 5 },
      { ...USD, available: 5 },
    ];
    const { client, run, fieldsOf } = shopOf(body);
    const balances = await run(client.balances.list());
    expect(balances).to.deep.equal([EUR, { ...USD, available: undefined }].map(withoutUndefined));
    expect(fieldsOf()).to.deep.equal([
      '[].outgoing unreadable',
      '[].total unreadable',
      '[].available unreadable',
    ]);
  });

  it('is not taken for one that the answer leaves out', async () => {
    const { client, run } = shopOf({ ...INVOICE, correlationId: 77 });
    const error = await failureOf(run(client.invoices.create({ ...DRAFT, correlationId: 'a' })));
    expect([error.code, error.outcome]).to.deep.equal(['RESPONSE_MISMATCH', 'unknown']);
  });

  it('is strict where it is money or holds objects', async () => {
    for (const more of [
      { transactions: {} },
      { transactions: [{ transactionId: 't', state: 'COMPLETED', amountReceived: 5 }] },
    ]) {
      const { client, run } = shopOf({ ...INVOICE, ...more });
      const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
      expect([error.code, error.outcome]).to.deep.equal(['RESPONSE_INVALID', 'not-done']);
    }
    const { client, run } = shopOf({
      paymentQuoteId: 'q',
      amount: MONEY,
      totalAmount: MONEY,
      totalFee: 0.1,
    });
    const asked = { lnInvoice: 'lnbc1u1x', sourceCurrency: 'EUR' } as const;
    const error = await failureOf(run(client.paymentQuotes.createLightning({ ...asked })));
    expect(error.validationErrors).to.have.property('totalFee');
  });

  it('is refused where drift is refused', async () => {
    const fetch = answering(json({ ...INVOICE, description: 5 })).fetch;
    const { client, run } = openShop({ fetch, drift: rejectDrift, maxAttempts: 1 });
    const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect([error.code, Object.keys(error.validationErrors!)]).to.deep.equal([
      'RESPONSE_INVALID',
      ['description'],
    ]);
  });
});

describe('a row that cannot be read', () => {
  const ROWS = page(invoice('a'), BAD, invoice('b'));
  const UNREADABLE = [{ index: 1, row: BAD }];

  it('does not hide the others of its page, and is told with them', async () => {
    const { client, run, drifts } = shopOf(ROWS);
    const rows = await run(client.invoices.list().toArray({ limit: 10 }));
    expect(rows.map(({ invoiceId }) => invoiceId)).to.deep.equal(['a', 'b']);
    expect(rows.unreadable).to.deep.equal(UNREADABLE);
    expect(drifts.map(({ field, kind, text }) => [field, kind, text])).to.deep.equal([
      ['items[].amount.amount', 'unreadable', 'must be string'],
    ]);
    const pages = client.invoices.list().pages()[Symbol.asyncIterator]();
    const { value } = (await run(pages.next())) as { value: { items: typeof rows } };
    expect(value.items.unreadable).to.deep.equal(UNREADABLE);
  });

  it('ends a loop with an error after all others', async () => {
    const { client, run } = shopOf(ROWS);
    const seen: string[] = [];
    const walk = async () => {
      for await (const { invoiceId } of client.invoices.list()) seen.push(invoiceId);
    };
    const error = await failureOf(run(walk()));
    expect([seen, error.code, error.outcome]).to.deep.equal([
      ['a', 'b'],
      'RESPONSE_INVALID',
      'not-done',
    ]);
  });

  it('makes no empty list', async () => {
    const { client, run } = shopOf(page(BAD));
    const error = await failureOf(run(client.invoices.list().toArray({ limit: 1 })));
    expect(error.code).to.equal('RESPONSE_INVALID');
    const empty = shopOf(page());
    expect(await empty.run(empty.client.invoices.list().toArray({ limit: 1 }))).to.deep.equal([]);
  });

  it('keeps its place where a list goes on', async () => {
    const all = [invoice('a'), BAD, invoice('b'), { ...BAD, invoiceId: 'worse' }, invoice('c')];
    const fetch = (url: string): Promise<Response> => {
      const query = new URL(url).searchParams;
      const skip = Number(query.get('$skip') ?? 0);
      const items = all.slice(skip, skip + Number(query.get('$top')));
      return Promise.resolve(Response.json({ items, count: all.length }));
    };
    for (const pageSize of [1, 2, 3, 5]) {
      const { client, run } = openShop({ fetch: fetch as never });
      const rows = await run(client.invoices.list({}, { pageSize }).toArray({ limit: 10 }));
      expect(rows.map(({ invoiceId }) => invoiceId)).to.deep.equal(['a', 'b', 'c']);
      expect(rows.unreadable).to.have.length(2);
    }
  });

  it('makes no page of its own count unread', async () => {
    const { client, run } = shopOf({ ...ROWS, count: 'three' });
    const error = await failureOf(run(client.invoices.list().toArray({ limit: 10 })));
    expect(error.validationErrors).to.have.property('count');
  });

  it('hides no other balance', async () => {
    const { client, run } = shopOf([{ ...EUR, current: 5 }, USD]);
    const balances = await run(client.balances.list());
    expect([...balances]).to.deep.equal([USD]);
    expect(balances.unreadable).to.deep.equal([{ index: 0, row: { ...EUR, current: 5 } }]);
  });

  it('is no member that the service can send', async () => {
    const { client, run } = shopOf({ ...page(invoice('a')), unreadable: 5 });
    const rows = await run(client.invoices.list().toArray({ limit: 10 }));
    expect([rows.length, rows.unreadable]).to.deep.equal([1, undefined]);
  });
});

describe('what is decided by a row that is absent', () => {
  it('is not decided where it may be a row that cannot be read: a second subscription', async () => {
    const draft = {
      webhookUrl: 'https://shop.example/hooks',
      webhookVersion: 'v1',
      secret: 'a secret of a test',
      enabled: true,
      eventTypes: ['invoice.updated'],
    };
    const { client, run, wire } = shopOf([{ ...draft, id: 7, created: '2026-03-04T09:15:27Z' }]);
    const error = await failureOf(run(ensureSubscription(client, draft)));
    expect([error.code, error.outcome]).to.deep.equal(['RESPONSE_INVALID', 'not-done']);
    expect(wire.sent.map(({ init }) => init.method)).to.deep.equal(['GET']);
  });

  it('… an invoice with the name of another', async () => {
    const named = { ...DRAFT, correlationId: 'order-1' };
    const found = { ...INVOICE, correlationId: 'order-1' };
    const fetch = answering(refusal(409, 'DUPLICATE_INVOICE'), json(page(found, BAD))).fetch;
    const { client, run } = openShop({ fetch });
    const error = await failureOf(run(client.invoices.ensure(named)));
    expect([error.code, error.outcome]).to.deep.equal(['EXISTS_UNREAD', 'unknown']);
  });

  it('… the receives of a request', async () => {
    const receive = {
      receiveId: 'r1',
      receiveRequestId: 'q',
      type: 'ONCHAIN',
      state: 'COMPLETED',
      amountReceived: 5,
      created: '2026-03-04T09:15:27Z',
    };
    const { client, run } = shopOf(page(receive));
    const list = client.receiveRequests.listReceives('q').toArray({ limit: 1 });
    expect((await failureOf(run(list))).code).to.equal('RESPONSE_INVALID');
  });

  it('… an event that the feed could not read', async () => {
    const event = { id: 'e1', eventType: 'invoice.updated', created: '2026-03-04T09:15:27Z' };
    const { client, run } = shopOf(page({ ...event, data: { entityId: 5 } }));
    const feed = eventFeed(client, { from: '2026-03-04T09:00:00Z' })[Symbol.asyncIterator]();
    const { value } = await run(feed.next());
    expect(value?.gap).to.include({ eventId: 'e1', reason: 'an event that cannot be read' });
  });
});

describe('broken rules of a refusal', () => {
  const rulesOf = async (validationErrors: unknown) => {
    const fetch = answering(refusal(400, 'INVALID_DATA', { validationErrors })).fetch;
    const { client, run } = openShop({ fetch, maxAttempts: 1 });
    const error = await failureOf(run(client.invoices.create(DRAFT)));
    expect(error.code).to.equal('INVALID_DATA');
    return error.validationErrors;
  };
  const RULE = { code: 'INVALID_DATA_VALUE', message: 'is wrong', values: { field: 'amount' } };

  it('pass as the service writes them', async () => {
    expect(await rulesOf({ amount: [RULE] })).to.deep.equal({ amount: [RULE] });
  });

  it('have their type whatever the service writes', async () => {
    for (const odd of ['wrong', 5, null, [], [RULE], { amount: RULE }, { amount: 'is wrong' }, {}])
      expect(await rulesOf(odd), JSON.stringify(odd)).to.equal(undefined);
    expect(await rulesOf({ amount: [null, 'x', RULE], other: [{ code: 5 }] })).to.deep.equal({
      amount: [RULE],
    });
    const rules = await rulesOf({ amount: [{ code: 'NEW', message: {}, values: 'x', more: 1 }] });
    expect(rules).to.deep.equal({
      amount: [{ code: 'NEW', message: 'NEW', values: undefined, more: 1 }],
    });
  });
});

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}
