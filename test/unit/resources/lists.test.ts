import { expect } from 'chai';
import { type Invoice, type List, type ServiceEvent, whereEvent, whereInvoice } from 'paystate';
import { describe, it, itLong } from '#test';
import {
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  refusal,
  type Shop,
} from '../core/shop.ts';

const fill = (shop: Shop, count: number, from = 0): Promise<unknown> =>
  shop.run(
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        shop.client.invoices.create({ ...DRAFT, correlationId: `n${at + from}` }),
      ),
    ),
  );

const queries = (shop: Shop): URLSearchParams[] =>
  shop.sandbox.log
    .filter(({ method }) => method === 'GET')
    .map(({ query }) => new URLSearchParams(query));

const all = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of list) found.push(item);
  return found;
};

describe('lists', () => {
  it('send nothing before they are read', async () => {
    const shop = openShop();
    shop.client.invoices.list();
    shop.client.events.list();
    expect(shop.sandbox.log).to.have.length(0);
  });

  it('give every item once, the oldest first, a hundred a page', async () => {
    const shop = openShop();
    await fill(shop, 205);
    const found = await shop.run(all(shop.client.invoices.list()));
    expect(new Set(found.map(({ invoiceId }) => invoiceId)).size).to.equal(205);
    expect(found.map(({ created }) => created)).to.deep.equal(
      found.map(({ created }) => created).sort(),
    );
    expect(
      queries(shop).map((query) => [query.get('$top'), query.get('$skip'), query.get('$orderby')]),
    ).to.deep.equal([
      ['100', '0', 'created asc'],
      ['100', '99', 'created asc'],
      ['100', '198', 'created asc'],
    ]);
  });

  it('give pages with what the service says about them', async () => {
    const shop = openShop();
    await fill(shop, 5);
    const pages = await shop.run(all(shop.client.invoices.list({}, { pageSize: 2 }).pages()));
    expect(pages.map(({ items, count }) => [items.length, count])).to.deep.equal([
      [2, 5],
      [2, 5],
      [1, 5],
    ]);
  });

  it('ask for a page only when it is needed', async () => {
    const shop = openShop();
    await fill(shop, 6);
    for (const [limit, items, asked] of [
      [0, 0, 0],
      [-1, 0, 0],
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 2],
      [4, 4, 2],
      [99, 6, 3],
    ] as const) {
      const before = queries(shop).length;
      expect(
        await shop.run(shop.client.invoices.list({}, { pageSize: 2 }).toArray({ limit })),
      ).to.have.length(items);
      expect(queries(shop).length - before).to.equal(asked);
    }
    const before = queries(shop).length;
    await shop.run(
      (async () => {
        for await (const _ of shop.client.invoices.list({}, { pageSize: 2 })) break;
      })(),
    );
    expect(queries(shop).length - before).to.equal(1);
  });

  it('count without reading', async () => {
    const shop = openShop();
    await fill(shop, 3);
    expect(await shop.run(shop.client.invoices.list().count())).to.equal(3);
    expect(await shop.run(shop.client.events.list().count())).to.equal(3);
    expect(await shop.run(shop.client.invoices.list({ state: 'PAID' }).count())).to.equal(0);
    expect(queries(shop)[0]!.get('$top')).to.equal('1');
  });

  it('say so where the service does not count, and read to the end all the same', async () => {
    for (const unknown of [{ count: 0, isCountUnknown: true }, { count: null }, {}]) {
      const page = (from: number, to: number) =>
        json({
          items: [1, 2, 3].slice(from, to).map((at) => ({ ...INVOICE, invoiceId: `${at}` })),
          ...unknown,
        });
      const { client, run } = openShop({
        fetch: answering(page(0, 2), page(2, 3), page(3, 3)).fetch,
      });
      expect(
        (await run(client.invoices.list({}, { pageSize: 2 }).toArray({ limit: 9 }))).map(
          ({ invoiceId }) => invoiceId,
        ),
      ).to.deep.equal(['1', '2', '3']);
      const other = openShop({ fetch: answering(page(0, 2)).fetch });
      expect(await other.run(other.client.invoices.list().count())).to.equal('unknown');
    }
  });

  it('lose and repeat nothing when rows are added meanwhile', async () => {
    const shop = openShop();
    await fill(shop, 7);
    const found: Invoice[] = [];
    await shop.run(
      (async () => {
        for await (const invoice of shop.client.invoices.list({}, { pageSize: 2 })) {
          found.push(invoice);
          if (found.length < 6) await shop.client.invoices.create(DRAFT);
        }
      })(),
    );
    expect(found).to.have.length(12);
    expect(new Set(found.map(({ invoiceId }) => invoiceId)).size).to.equal(12);
  });

  it('give an item once also where pages overlap', async () => {
    const page = (...ids: string[]) =>
      json({ items: ids.map((invoiceId) => ({ ...INVOICE, invoiceId })), count: 4 });
    const { client, run } = openShop({ fetch: answering(page('a', 'b'), page('b', 'c')).fetch });
    expect(
      (await run(all(client.invoices.list({}, { pageSize: 2 })))).map(({ invoiceId }) => invoiceId),
    ).to.deep.equal(['a', 'b', 'c']);
  });

  it('end with the failure of a page', async () => {
    const page = json({ items: [{ ...INVOICE }], count: 2 });
    const { client, run } = openShop({ fetch: answering(page, refusal(403, 'FORBIDDEN')).fetch });
    const found: Invoice[] = [];
    const error = await failureOf(
      run(
        (async () => {
          for await (const one of client.invoices.list({}, { pageSize: 1 })) found.push(one);
        })(),
      ),
    );
    expect([error.code, error.neededScope, found.length]).to.deep.equal([
      'FORBIDDEN',
      'partner.invoice.read',
      1,
    ]);
  });

  it('take pages of 1 to 100', () => {
    const { client } = openShop();
    for (const pageSize of [0, -1, 101, 1.5, Number.NaN, Infinity, '5' as unknown as number])
      for (const list of [
        () => client.invoices.list({}, { pageSize }),
        () => client.events.list({}, { pageSize }),
      ])
        expect(list).to.throw().with.property('validationErrors').with.property('pageSize');
    for (const pageSize of [1, 100, undefined]) client.invoices.list({}, { pageSize });
  });
});

describe('filters', () => {
  const NASTY = [
    "o'neil",
    "''",
    "' or state eq 'PAID",
    "x' or 'a' eq 'a",
    '100% +&=#?/\\',
    'Größe 日本 🎟️',
    'a or b',
    '$filter',
    "a'', 'b",
    'a\tb',
    'a\nb\r\n',
    '\0',
    '\x7f\x1b',
  ];

  it('keep a text one text, whatever it holds', async () => {
    const shop = openShop();
    await fill(shop, 3);
    for (const correlationId of NASTY) {
      await shop.run(shop.client.invoices.create({ ...DRAFT, correlationId }));
      const found = await shop.run(
        shop.client.invoices.list({ correlationId }).toArray({ limit: 9 }),
      );
      expect(found.map((one) => one.correlationId)).to.deep.equal([correlationId]);
      expect(queries(shop).at(-1)!.get('$filter')).to.equal(
        `correlationId eq '${correlationId.replaceAll("'", "''")}'`,
      );
      expect(await shop.run(shop.client.invoices.list({ state: correlationId }).count())).to.equal(
        0,
      );
      expect(
        await shop.run(shop.client.events.list({ eventType: correlationId }).count()),
      ).to.equal(0);
    }
  });

  itLong('find the original by a nasty name', async () => {
    for (const correlationId of NASTY) {
      const { sandbox, client, run } = openShop();
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      expect(
        (await run(client.invoices.create({ ...DRAFT, correlationId }))).correlationId,
      ).to.equal(correlationId);
    }
  });

  it('hold all at once, times bare and exclusive', async () => {
    const shop = openShop();
    await fill(shop, 1);
    await shop.sandbox.advance(60_000);
    await fill(shop, 1, 1);
    const at = {
      createdAfter: '2026-01-05T09:00:30Z',
      createdBefore: '2026-01-05T11:00:30.1234567+02:00',
    };
    const found = await shop.run(
      shop.client.invoices
        .list({
          state: 'UNPAID',
          correlationId: 'n0',
          createdAfter: '2026-01-05T08:59:00Z',
          createdBefore: at.createdBefore,
        })
        .toArray({ limit: 9 }),
    );
    expect(found.map(({ correlationId }) => correlationId)).to.deep.equal(['n0']);
    expect(queries(shop).at(-1)!.get('$filter')).to.equal(
      "state eq 'UNPAID' and correlationId eq 'n0' and created gt 2026-01-05T08:59:00Z and created lt 2026-01-05T11:00:30.1234567+02:00",
    );
    const counts: unknown[] = [];
    for (const filter of [
      {},
      at,
      { createdAfter: at.createdAfter },
      { createdBefore: at.createdBefore },
    ])
      for (const list of [
        shop.client.invoices.list(filter),
        shop.client.events.list(filter),
      ] as List<unknown>[])
        counts.push(await shop.run(list.count()));
    expect(counts).to.deep.equal([2, 2, 0, 0, 1, 1, 1, 1]);
  });

  it('take a Date, and a time without seconds', async () => {
    const shop = openShop();
    await fill(shop, 1);
    const { list } = shop.client.invoices;
    for (const [time, sent] of [
      [new Date(Date.UTC(2026, 0, 5, 9, 0, 30, 7)), '2026-01-05T09:00:30.007Z'],
      ['2026-01-05T09:01Z', '2026-01-05T09:01:00Z'],
      ['2026-01-05T11:01+02:00', '2026-01-05T11:01:00+02:00'],
    ] as const)
      for (const one of [
        list({ createdBefore: time }),
        list(whereInvoice((f) => f.created.lt(time))),
        shop.client.events.list(whereEvent((f) => f.created.lt(time))),
      ] as List<unknown>[]) {
        expect(await shop.run(one.count())).to.equal(1);
        expect(queries(shop).at(-1)!.get('$filter')).to.equal(`created lt ${sent}`);
      }
  });

  it('refuse what is no date before anything is sent', () => {
    const { sandbox, client } = openShop();
    for (const text of [
      '',
      '2026-03-04',
      'yesterday',
      '2026-03-04T09:15:00',
      '2026-02-30T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2017-01-01T00:59:60.5+01:00',
      new Date(Number.NaN) as unknown as string,
      1_767_603_600_000 as unknown as string,
      "2026-03-04T09:15:00Z or state eq 'PAID'",
      '1767603600000',
      null as unknown as string,
    ])
      for (const field of ['createdAfter', 'createdBefore'])
        for (const list of [
          () => client.invoices.list({ [field]: text }),
          () => client.events.list({ [field]: text }),
        ])
          expect(list, `${text}`).to.throw().with.property('validationErrors').with.property(field);
    expect(sandbox.log).to.have.length(0);
  });

  it('never fall away: an empty text does not list everything', async () => {
    const shop = openShop();
    await fill(shop, 2);
    for (const filter of [{ correlationId: '' }, { state: '' }, { state: '', correlationId: 'n1' }])
      expect(
        await shop.run(shop.client.invoices.list(filter).count()),
        JSON.stringify(filter),
      ).to.equal(0);
    expect(await shop.run(shop.client.events.list({ eventType: '' }).count())).to.equal(0);
  });
});

describe('events', () => {
  it('are listed and found one by one', async () => {
    const shop = openShop();
    const { invoiceId } = await shop.run(shop.client.invoices.create(DRAFT));
    await shop.run(shop.client.invoices.cancel(invoiceId));
    const found: ServiceEvent[] = await shop.run(all(shop.client.events.list()));
    expect(found.map(({ eventType, data }) => [eventType, data.entityId])).to.deep.equal([
      ['invoice.created', invoiceId],
      ['invoice.updated', invoiceId],
    ]);
    expect(await shop.run(shop.client.events.get(found[1]!.id))).to.deep.equal(found[1]);
    expect(
      await shop.run(all(shop.client.events.list({ eventType: 'invoice.updated' }))),
    ).to.deep.equal([found[1]]);
    expect((await failureOf(shop.run(shop.client.events.get('gone')))).code).to.equal('NOT_FOUND');
  });
});
