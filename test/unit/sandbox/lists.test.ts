// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { allEndpoints } from '../contract/endpoint-tables.ts';
import { type Ask, asker, euros, newInvoice, query } from './ask.ts';

interface Shop {
  readonly ask: Ask;
  readonly ids: readonly string[];
  /** correlationIds of what a filter finds, oldest first. */
  readonly found: (filter: string) => Promise<readonly string[]>;
}

/** Six invoices a second apart: a EUR, b USD, c EUR paid, d's EUR, e BTC cancelled, and one without a name. */
const shop = async (): Promise<Shop> => {
  const sandbox = createSandbox();
  const ask = asker(sandbox);
  const names = ['a', 'b', 'c', "d's", 'e', undefined];
  const currencies = ['EUR', 'USD', 'EUR', 'EUR', 'BTC', 'EUR'];
  const ids: string[] = [];
  for (const [index, correlationId] of names.entries()) {
    ids.push(
      await newInvoice(ask, {
        correlationId,
        amount: { amount: '1', currency: currencies[index] },
      }),
    );
    await sandbox.advance(1_000);
  }
  await sandbox.payer.pay(ids[2]!);
  await ask('PATCH', `/v1/invoices/${ids[4]}/cancel`);
  const found = async (filter: string): Promise<readonly string[]> => {
    const { at, status } = await ask(
      'GET',
      `/v1/invoices${query({ filter, orderby: 'created asc' })}`,
    );
    if (status !== 200) return [`${status} ${String(at('data.code'))}`];
    return (at('items') as readonly { correlationId?: string }[]).map(
      (item) => item.correlationId ?? '-',
    );
  };
  return { ask, ids, found };
};

const REFUSED = ['400 INVALID_DATA_QUERY'];

describe('sandbox: filters', () => {
  it('compare texts exactly, with doubled quotes', async () => {
    const { found } = await shop();
    expect(await found("correlationId eq 'a'")).to.deep.equal(['a']);
    expect(await found("correlationId eq 'A'")).to.deep.equal([]);
    expect(await found("correlationId eq 'd''s'")).to.deep.equal(["d's"]);
    expect(await found("correlationId eq ''")).to.deep.equal([]);
    expect(await found("correlationId in ('e','d''s', 'zz')")).to.deep.equal(["d's", 'e']);
    expect(await found("state eq 'PAID'")).to.deep.equal(['c']);
    expect(await found("currency eq 'EUR'")).to.deep.equal(['a', 'c', "d's", '-']);
  });

  it('bind and before or, and parentheses before both', async () => {
    const { found } = await shop();
    expect(
      await found("correlationId eq 'b' or currency eq 'EUR' and state eq 'PAID'"),
    ).to.deep.equal(['b', 'c']);
    expect(
      await found("(correlationId eq 'b' or currency eq 'EUR') and state eq 'PAID'"),
    ).to.deep.equal(['c']);
    expect(
      await found("state eq 'PAID' and (correlationId eq 'b' or (currency eq 'EUR'))"),
    ).to.deep.equal(['c']);
    expect(await found("  ((state   eq 'CANCELLED'))  ")).to.deep.equal(['e']);
    expect(
      await found("correlationId eq 'a' or correlationId eq 'e' or state in ('PAID')"),
    ).to.deep.equal(['a', 'c', 'e']);
  });

  it('know invoices by id, bare or quoted', async () => {
    const { found, ids, ask } = await shop();
    expect(await found(`invoiceId eq '${ids[0]}'`)).to.deep.equal(['a']);
    expect(await found(`invoiceId eq ${ids[0]}`)).to.deep.equal(['a']);
    expect(
      await found(`invoiceId in (${ids[0]!.toUpperCase()}, '${ids[1]!.toUpperCase()}')\t`),
    ).to.deep.equal(['a', 'b']);
    expect(await found(`invoiceId in ('${ids[4]}','${ids[1]}')`)).to.deep.equal(['b', 'e']);
    expect(await found(`invoiceId eq '${ids[1]}' or invoiceId eq '${ids[0]}'`)).to.deep.equal([
      'a',
      'b',
    ]);
    const account = (await ask('GET', `/v1/invoices/${ids[0]}`)).word('receiverId');
    expect(
      await found(`receiverId eq '${account}' and issuerId eq '${account}' and state eq 'PAID'`),
    ).to.deep.equal(['c']);
    expect(await found(`payerId eq '${account}'`)).to.deep.equal([]);
  });

  it('compare times with the six digits that are stored, whatever digits they are asked with', async () => {
    const { found, ask, ids } = await shop();
    expect(
      await found('created gt 2026-01-05T09:00:02Z and created lt 2026-01-05T09:00:04Z'),
    ).to.deep.equal(['c', "d's"]);
    expect(
      await found(
        'created ge 2026-01-05T10:00:02.5+01:00 and created le 2026-01-05T09:00:04.0000000Z',
      ),
    ).to.deep.equal(["d's"]);
    expect(
      await found('created lt 2026-01-05T09:00:01Z or created gt 2026-01-05T09:00:04.9Z'),
    ).to.deep.equal(['a', '-']);
    expect(
      await found('created gt 2026-01-05T09:00:04Z and created lt 2026-01-05T09:00:02Z'),
    ).to.deep.equal([]);
    expect(await found('created lt 2026-01-05T09:00Z')).to.deep.equal([]);
    expect(await found('created ge 2026-01-05T10:00+01:00')).to.have.length(6);
    for (const [index, id] of ids.entries()) {
      const printed = (await ask('GET', `/v1/invoices/${id}`)).word('created');
      const [before, after] = [
        await found(`created ge ${printed}`),
        await found(`created gt ${printed}`),
      ];
      expect(before).to.have.length(ids.length - index);
      expect(await found(`created eq ${printed}`)).to.have.length(1);
      expect(after).to.have.length(ids.length - index - 1);
    }
  });

  it('are refused when they are not understood', async () => {
    const { found } = await shop();
    const bad = [
      '',
      ' ',
      'state',
      'state eq',
      "state eq 'PAID",
      "state eq 'PAID' and",
      "and state eq 'PAID'",
      "state eq 'PAID' state eq 'PAID'",
      "(state eq 'PAID'",
      "state eq 'PAID')",
      '()',
      "state ne 'PAID'",
      "not state eq 'PAID'",
      "State eq 'PAID'",
      "state EQ 'PAID'",
      "state gt 'PAID'",
      'state eq PAID',
      "state eq ''PAID''",
      "'PAID' eq state",
      "amount eq '1'",
      "__proto__ eq '1'",
      "toString eq '1'",
      "created eq '2026-01-05T09:00:00Z'",
      'created gt 2026-01-05',
      'created gt 2026-01-05T09:00:00',
      'created gt 2026-02-30T00:00:00Z',
      'created in (2026-01-05T09:00:00Z)',
      'invoiceId in ()',
      "invoiceId in ('a',)",
      "invoiceId in 'a'",
      'invoiceId eq not-a-uuid',
      "contains(state,'PAID')",
      'state eq null',
      "state eq 'PAID';",
      "state eq 'PAID'\n",
      "state eq\u00a0'PAID'",
      "STATE eq 'PAID'",
      "state eq'PAID'",
      "state in('PAID')",
      "(state eq 'PAID')and (state eq 'PAID')",
      "state eq 'PAID' or(state eq 'PAID')",
      'created eq 2026-01-05T09:00:60Z',
      'created eq 2026-01-05',
      'deliverySuccess eq true',
      "state eq 'PAID' AND state eq 'PAID'",
      "'",
      `${'('.repeat(40)}state eq 'PAID'${')'.repeat(40)}`,
    ];
    for (const filter of bad) expect(await found(filter), filter).to.deep.equal(REFUSED);
  });

  it('may hold 16 comparisons, members of lists included', async () => {
    const { found, ask } = await shop();
    const terms = (count: number): string =>
      Array.from({ length: count }, () => "state eq 'PAID'").join(' or ');
    const members = (count: number): string =>
      `state in (${Array.from({ length: count }, () => "'PAID'").join(',')})`;
    for (const filter of [terms(16), members(16), `${members(15)} or ${terms(1)}`])
      expect(await found(filter)).to.deep.equal(['c']);
    for (const filter of [terms(17), members(17), `${members(15)} or ${terms(2)}`])
      expect(await found(filter)).to.deep.equal(REFUSED);
    const wide = asker(createSandbox({ filterLimits: { comparisons: 100 } }));
    expect((await wide('GET', `/v1/invoices${query({ filter: terms(100) })}`)).status).to.equal(
      200,
    );
    expect((await wide('GET', `/v1/invoices${query({ filter: terms(101) })}`)).status).to.equal(
      400,
    );
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
  });

  it('may make the request line 8,192 bytes long', async () => {
    const ask = asker(createSandbox());
    const frame = "GET /v1/invoices?$filter=state%20eq%20'' HTTP/1.1".length;
    const asked = (length: number): string =>
      `/v1/invoices?$filter=state%20eq%20'${'y'.repeat(length - frame)}'`;
    const url = new URL(`https://sandbox.invalid${asked(8_192)}`);
    const more = `GET ${url.pathname}${url.search} HTTP/1.1`.length - 8_192; // quotes are encoded
    expect((await ask('GET', asked(8_192 - more))).status).to.equal(200);
    expect((await ask('GET', asked(8_193 - more))).status).to.equal(400);
    const narrow = asker(createSandbox({ filterLimits: { requestLineBytes: 40 } }));
    expect((await narrow('GET', `/v1/invoices?$top=1${'0'.repeat(20)}`)).status).to.equal(400);
  });
});

describe('sandbox: pages', () => {
  it('come newest first, or as asked, with the count of all', async () => {
    const { ask, ids } = await shop();
    const listed = async (
      parameters: Readonly<Record<string, string | number>>,
    ): Promise<readonly unknown[]> => {
      const { at } = await ask('GET', `/v1/invoices${query(parameters)}`);
      expect([at('count'), at('isCountUnknown')]).to.deep.equal([6, false]);
      return (at('items') as readonly { invoiceId: string }[]).map(({ invoiceId }) =>
        ids.indexOf(invoiceId),
      );
    };
    expect(await listed({ top: 100 })).to.deep.equal([5, 4, 3, 2, 1, 0]);
    expect(await listed({ orderby: 'created desc', top: 2 })).to.deep.equal([5, 4]);
    expect(await listed({ orderby: 'created', top: 2 })).to.deep.equal([0, 1]);
    expect(await listed({ orderby: ' created\t asc ', top: 2 })).to.deep.equal([0, 1]);
    expect(await listed({ orderby: 'created asc', top: 4, skip: 4 })).to.deep.equal([4, 5]);
    expect(await listed({ skip: 4 })).to.deep.equal([1, 0]);
    expect(await listed({ skip: 5, top: 3 })).to.deep.equal([0]);
    expect(await listed({ skip: 6 })).to.deep.equal([]);
    expect(await listed({ skip: 1_000, orderby: 'created asc' })).to.deep.equal([]);
  });

  it('page through a filter too', async () => {
    const { ask } = await shop();
    const { at } = await ask(
      'GET',
      `/v1/invoices${query({ filter: "currency eq 'EUR'", top: 1, skip: 1 })}`,
    );
    expect([at('count'), at('items.length'), at('items.0.correlationId')]).to.deep.equal([
      4,
      1,
      "d's",
    ]);
  });

  it('hold 50 unless asked, and 100 at most', async () => {
    const ask = asker(createSandbox());
    for (let count = 0; count < 101; count++) await newInvoice(ask);
    expect((await ask('GET', '/v1/invoices')).at('items.length')).to.equal(50);
    expect((await ask('GET', '/v1/invoices?$top=100')).at('items.length')).to.equal(100);
    expect((await ask('GET', '/v1/invoices?$top=1')).at('count')).to.equal(101);
  });

  it('refuses names that a single resource does not have, as lists do', async () => {
    const { ask, ids } = await shop();
    const invoice = `/v1/invoices/${ids[0]}`;
    for (const path of [`${invoice}?includeTransactions=true`, invoice, '/v1/accounts/limits'])
      expect((await ask('GET', path)).status, path).to.equal(200);
    for (const path of [
      `${invoice}?includeTransaction=true`,
      `${invoice}?$top=1`,
      '/v1/accounts/limits?currency=EUR',
      '/v1/balances?page=2',
      '/v1/rates/ticker?=',
      '/v1/subscriptions?$top=1',
    ])
      expect((await ask('GET', path)).at('data.code'), path).to.equal('INVALID_DATA_QUERY');
    // a client that is in use sends commands with more than is published
    const { status } = await ask('POST', '/v1/invoices?descriptionHash=x', euros('1'));
    expect(status).to.equal(201);
  });

  it('of every kind refuse a name that they do not have, and take each that the client sends', async () => {
    const ask = asker(createSandbox({ signed: false }));
    const request = await ask('POST', '/v1/receive-request', { onchain: {} });
    const lists = allEndpoints.filter(
      ({ method, operation }) => method === 'GET' && /\.list/.test(operation),
    );
    expect(lists).to.have.length(12);
    const values: Readonly<Record<string, string>> = {
      $filter: 'created gt 2026-01-05T09:00:00Z',
      $orderby: 'created desc',
      $top: '1',
      $skip: '0',
      $supportedAction: 'DEPOSIT',
    };
    const bare = ['supportedAction=DEPOSIT', 'receiveRequestId=x'];
    for (const { path: pattern, query: names = {} } of lists) {
      const path = pattern.replace(/\{\w+\}/, request.word('receiveRequestId'));
      const asked = async (words: string): Promise<unknown> => {
        const { status, at } = await ask('GET', `${path}?${words}`);
        return at('data.code') ?? status;
      };
      for (const words of ['$nothing=1', 'top=1', 'page=7', '$Top=1', 'paymentHash=x', '=', 'x'])
        expect(await asked(words), `${path} ${words}`).to.equal('INVALID_DATA_QUERY');
      const own = bare.filter((word) => /methods/.test(path) === /Action/.test(word));
      const isKnown = /methods|receives/.test(path);
      for (const words of own)
        expect(await asked(words), `${path} ${words}`).to.equal(
          isKnown ? 200 : 'INVALID_DATA_QUERY',
        );
      for (const name of Object.values(names).filter((one) => one.startsWith('$')))
        expect(
          await asked(new URLSearchParams({ [name]: values[name] ?? 'x' }).toString()),
        ).to.equal(200);
    }
  });

  it('refuse what they do not know', async () => {
    const ask = asker(createSandbox());
    const bad = [
      '$top=0',
      '$top=101',
      '$top=-1',
      '$top=1.5',
      '$top=x',
      '$top=',
      '$skip=-1',
      '$skip=x',
      '$skip=99999999999',
      '$orderby=state',
      '$orderby=created%20up',
      '$orderby=created,state',
      '$orderby=',
      '$orderby=created%20asc%20desc',
      '$select=state',
      '$count=true',
      'top=1',
      'skip=0',
      'page=7',
      '$Top=1',
      '$orderby=created%0Aasc',
      '$orderby=Created',
      '$orderby=created%20ASC',
      '$top=1&$top=2',
    ];
    for (const words of bad)
      expect((await ask('GET', `/v1/invoices?${words}`)).at('data.code'), words).to.equal(
        'INVALID_DATA_QUERY',
      );
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
  });
});
