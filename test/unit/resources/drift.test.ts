// Protects: whatever the service changes without notice passes, is reported once and is counted.
import { expect } from 'chai';
import {
  bankPaymentMethods,
  currencyExchangeQuotes,
  deposits,
  invoices,
  payments,
  payouts,
  payoutOriginators,
} from 'paystate/endpoints';
import * as endpoints from 'paystate/endpoints';
import { type Drift, rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it, itLong } from '#test';
import { methodDraft } from '../bank/bank.ts';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from '../core/shop.ts';

const LAG_MS = 30_000;
const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const EVENT = {
  id: '11d0f2ab-7f5c-4c71-8a8f-94a8b2f0b6c1',
  eventType: 'invoice.updated',
  webhookVersion: 'v1',
  data: { entityId: '7f3c5a90', changes: ['state'] },
  created: '2026-03-04T09:15:44.9786861+00:00',
};
const DEPOSIT = {
  id: 'd1',
  amount: EUR('10.00'),
  fee: EUR('0.10'),
  totalAmount: EUR('10.10'),
  state: 'PENDING',
};

const listening = () => {
  const drifts: Drift[] = [];
  return { drifts, drift: reportDrift((one) => void drifts.push(one)) };
};

/** A client that gets these bodies in turn. */
const shopOf = (...bodies: readonly unknown[]) => {
  const { drifts, drift } = listening();
  const fetch = answering(...bodies.map((body) => json(body))).fetch;
  return { ...openShop({ fetch, drift, maxAttempts: 1 }), drifts, drift };
};

describe('answers changed in a thousand ways that the service may choose', () => {
  type Change = (at: number) => readonly [object, string];
  const CHANGES: readonly Change[] = [
    (at) => [{ ...INVOICE, [`member_${at}`]: at }, `member_${at} unknown-field`],
    (at) => [{ ...INVOICE, state: `STATE_${at}` }, 'state unknown-value'],
    (at) => [
      { ...INVOICE, amount: { ...DRAFT.amount, currency: `CUR${at}` } },
      'amount.currency unknown-value',
    ],
    (at) => [
      { ...INVOICE, amount: { ...DRAFT.amount, [`tax_${at}`]: '1' } },
      `amount.tax_${at} unknown-field`,
    ],
  ];
  const EVENTS: readonly Change[] = [
    (at) => [{ ...EVENT, eventType: `invoice.renamed-${at}` }, 'eventType unknown-value'],
    (at) => [{ ...EVENT, webhookVersion: `v${at + 9}` }, 'webhookVersion unknown-value'],
    (at) => [
      { ...EVENT, data: { ...EVENT.data, [`more_${at}`]: null } },
      `data.more_${at} unknown-field`,
    ],
  ];

  itLong('pass, and each is reported once', async () => {
    const { drifts, drift } = listening();
    const wanted: string[] = [];
    let body: object = {};
    const fetch = () => Promise.resolve(Response.json(body));
    const { client, run } = openShop({ fetch, drift, maxAttempts: 1 });
    for (let round = 0; round < 2; round++)
      for (let at = 0; at < 1_000; at++) {
        const isEvent = at % 10 < 3;
        const list = isEvent ? EVENTS : CHANGES;
        const [changed, told] = list[at % list.length]!(at);
        body = changed;
        const read: unknown = await run<unknown>(
          isEvent ? client.events.get(EVENT.id) : client.invoices.get(INVOICE.invoiceId),
        );
        expect(read).to.deep.equal(changed);
        if (round === 0) wanted.push(told);
      }
    expect(drifts.map(({ field, kind }) => `${field} ${kind}`)).to.deep.equal(wanted);
    expect(new Set(drifts.map((one) => JSON.stringify(one))).size).to.equal(1_000);
    expect(drift.counts().map(({ count }) => count)).to.deep.equal(wanted.map(() => 2));
  });

  it('and codes of errors: the refusal stays what it is', async () => {
    const { drifts, drift } = listening();
    const refusals = Array.from({ length: 20 }, (_, at) => refusal(422, `NEW_CODE_${at}`));
    const { fetch } = answering(...refusals, refusal(404, 'NOT_FOUND'));
    const { client, run } = openShop({ fetch, drift, maxAttempts: 1 });
    for (let at = 0; at < 22; at++) {
      const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
      expect([error.kind, error.code]).to.deep.equal([
        'refused',
        at < 20 ? `NEW_CODE_${at}` : 'NOT_FOUND',
      ]);
    }
    expect(drifts.map(({ kind, text }) => `${kind} ${text}`)).to.deep.equal(
      refusals.map((_, at) => `unknown-code NEW_CODE_${at}`),
    );
    const strict = openShop({ fetch: answering(refusals[0]!).fetch, drift: rejectDrift });
    const error = await failureOf(strict.run(strict.client.invoices.get('x')));
    expect(error.code).to.equal('NEW_CODE_0');
  });

  itLong('are counted up to a limit, and still pass beyond it', () => {
    const { drifts, drift } = listening();
    const { schema } = invoices.get.output!;
    for (let at = 0; at < 10_100; at++)
      drift('/v1/invoices/{invoiceId}', schema, { ...INVOICE, [`m${at}`]: 1 });
    expect([drifts.length, drift.counts().length]).to.deep.equal([10_000, 10_000]);
  });
});

describe('a sample', () => {
  it('shows no secret', async () => {
    const preimage = '0f'.repeat(32);
    const code = `lnbc708330n1p${'x7'.repeat(100)}`;
    const { client, run, drifts } = shopOf({
      ...INVOICE,
      state: preimage,
      [code]: preimage,
      created: `Bearer ${preimage}`,
      description: 5,
    });
    await run(client.invoices.get(INVOICE.invoiceId));
    const told = JSON.stringify(drifts);
    expect(drifts).to.have.length(4);
    expect(told).not.to.contain(preimage.slice(0, 8));
    expect(told).not.to.contain('lnbc');
    for (const { text, field } of drifts) {
      expect(text.length).to.be.at.most(64);
      expect(field.length).to.be.at.most(64);
    }
  });
});

describe('a time that cannot be read', () => {
  it('passes with its text and is reported once for its member', async () => {
    const odd = ['yesterday', '2026-13-01T00:00:00Z', '2026-03-04T09:15:27', '1772615727', ''];
    const { client, run, drifts, drift } = shopOf(
      ...odd.map((created) => ({ ...INVOICE, created })),
      INVOICE,
    );
    for (const created of odd)
      expect((await run(client.invoices.get(INVOICE.invoiceId))).created).to.equal(created);
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(drifts).to.deep.equal([
      {
        path: '/v1/invoices/{invoiceId}',
        field: 'created',
        kind: 'unreadable-time',
        text: 'aaaaaaaaa',
      },
    ]);
    expect(drift.counts().map(({ count }) => count)).to.deep.equal([odd.length]);
  });

  it('is found in every member of every answer that holds a time', () => {
    const missed: string[] = [];
    for (const table of Object.values(endpoints as object) as readonly object[])
      for (const row of Object.values(table ?? {}) as readonly endpoints.AnyEndpoint[])
        for (const name of timesIn(row?.output?.schema)) missed.push(`${row.operation} ${name}`);
    expect(missed).to.deep.equal([]);
  });

  it('is refused where drift is refused', async () => {
    const fetch = answering(json({ ...INVOICE, created: 'yesterday' })).fetch;
    const { client, run } = openShop({ fetch, drift: rejectDrift, maxAttempts: 1 });
    const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect([error.code, error.validationErrors!['created']![0]!.message]).to.deep.equal([
      'RESPONSE_INVALID',
      'must be a time',
    ]);
  });

  it('stops no list, which is then read without windows of time', async () => {
    const items = ['a', 'b', 'c'].map((invoiceId) => ({
      ...INVOICE,
      invoiceId,
      created: 'yesterday',
    }));
    const { client, run } = shopOf({ items, count: 3 });
    const rows = await run(client.invoices.list().toArray({ limit: 5 }));
    expect(rows.map(({ invoiceId }) => invoiceId)).to.deep.equal(['a', 'b', 'c']);
  });
});

describe('a report of drift', () => {
  it('holds no character that acts on a terminal, whatever the service sends', async () => {
    const act = '\u001b[2J\u009b\n\u202e';
    const currency = `E${act}`;
    const amount = { amount: '1.00', currency };
    const total = { ...amount, amount: '3.00' };
    const body = { ...DEPOSIT, [act]: 1, state: act, totalAmount: total };
    const { client, run, drifts } = shopOf({ ...body, amount, fee: amount });
    await run(client.deposits.get('d1'));
    expect(drifts.map(({ kind }) => kind)).to.include.members([
      ...['unknown-field', 'unknown-value', 'broken-sum'],
    ]);
    for (const { field, text, id = '' } of drifts)
      expect(`${field}${text}${id}`).not.to.match(/[\p{Cc}\p{Bidi_Control}]/u);
    const strict = openShop({ fetch: answering(json({ [act]: 1 })).fetch, drift: rejectDrift });
    const error = await failureOf(strict.run(strict.client.deposits.get('d1')));
    expect(error.message).not.to.match(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

describe('a sum that is not one', () => {
  it('passes and is reported, also where drift is refused', async () => {
    const broken = { ...DEPOSIT, totalAmount: EUR('10.20') };
    const { client, run, drifts } = shopOf(DEPOSIT, broken, broken);
    for (const wanted of [DEPOSIT, broken, broken])
      expect(await run(client.deposits.get('d1'))).to.deep.equal(wanted);
    expect(drifts).to.deep.equal([
      {
        path: '/v1/deposits/{depositId}',
        field: 'totalAmount',
        kind: 'broken-sum',
        text: '10.00 EUR and 0.10 EUR do not add up to 10.20 EUR',
        id: 'd1',
      },
    ]);
    const strict = openShop({ fetch: answering(json(broken)).fetch, drift: rejectDrift });
    expect(await strict.run(strict.client.deposits.get('d1'))).to.deep.equal(broken);
  });

  it('is compared by value and in one currency', async () => {
    const fine = { ...DEPOSIT, amount: EUR('10'), totalAmount: EUR('10.100') };
    const mixed = { ...DEPOSIT, fee: { amount: '0.00001', currency: 'BTC' } };
    const { client, run, drifts } = shopOf(fine, mixed);
    for (let at = 0; at < 2; at++) await run(client.deposits.get('d1'));
    expect(drifts).to.deep.equal([]);
  });

  it('is none in the sandbox', async () => {
    const { drifts, drift } = listening();
    const { client, run, sandbox } = openShop({ drift });
    const method = await run(client.bankPaymentMethods.create(methodDraft('ACH')));
    await sandbox.advance(3_000);
    const draft = { paymentMethodId: method.id, amount: '10.00' };
    await run(client.deposits.estimateFee(draft));
    await run(client.deposits.create(draft));
    const invoice = await run(client.invoices.create(DRAFT));
    await run(client.invoices.quote(invoice.invoiceId));
    await sandbox.advance(60_000);
    await run(client.deposits.list().toArray({ limit: 5 }));
    expect(drifts).to.deep.equal([]);
  });
});

/** Names of members that hold a time by their names, but are read as any text. */
function timesIn(schema: Structure | undefined, path = ''): readonly string[] {
  if (!schema) return [];
  if (schema.wrapped) return timesIn(schema.wrapped, path);
  if (schema.item) return timesIn(schema.item, `${path}[]`);
  return Object.entries(schema.entries ?? {}).flatMap(([name, member]) => {
    const here = `${path}.${name}`;
    const bare = member.wrapped ?? member;
    const isTime = /^(created|completed|initiated|delivered|expiration|expires|validUntil|\w+At)$/;
    if (!isTime.test(name) || bare.type !== 'string') return timesIn(member, here);
    const found: string[] = [];
    reportDrift(({ field, kind }) => void found.push(`${field} ${kind}`))('', schema as never, {
      [name]: 'yesterday',
    });
    return found.includes(`${name} unreadable-time`) ? [] : [here];
  });
}

interface Structure {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Structure>>;
  readonly wrapped?: Structure;
  readonly item?: Structure;
}

describe('states that a resource cannot have come to', () => {
  const { invoiceStates, paymentStates, payoutStates, depositStates } = endpoints;
  const later = (at: number) => ({ asked: {}, sentAt: at * 40_000, receivedAt: at * 40_000 + 10 });

  const TABLES = [
    [invoices.get, invoiceStates, 'invoiceId'],
    [payments.get, paymentStates, 'paymentId'],
    [payouts.get, payoutStates, 'id'],
    [deposits.get, depositStates, 'id'],
    [currencyExchangeQuotes.get, endpoints.currencyExchangeQuoteStates, 'id'],
    [bankPaymentMethods.get, endpoints.bankPaymentMethodStates, 'id'],
    [payoutOriginators.get, endpoints.payoutOriginatorStates, 'id'],
  ] as const;

  /** All pairs of states of one table without a way from the first to the second, by another way. */
  const pairsOf = (transitions: Readonly<Record<string, readonly string[]>>) => {
    const names = Object.keys(transitions);
    const ways = new Map(names.map((from) => [from, new Set(transitions[from])]));
    for (const middle of names)
      for (const from of names)
        if (ways.get(from)!.has(middle))
          for (const to of ways.get(middle)!) ways.get(from)!.add(to);
    const all = names.flatMap((from) => names.map((to) => [from, to] as const));
    return all
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => ({ from, to, isLegal: ways.get(from)!.has(to) }));
  };

  it('are reported once each, fifty of them and more; ways through the table are not', () => {
    let illegal = 0;
    for (const [row, states, idName] of TABLES)
      for (const { from, to, isLegal } of pairsOf(states.transitions)) {
        const { drifts, drift } = listening();
        for (const [at, state] of [from, from, to, to, to].entries())
          drift(row.path, row.output!.schema, { [idName]: 'x1', state }, later(at));
        const told = drifts.filter(({ kind }) => kind === 'illegal-transition');
        const name = `${row.operation} ${from} to ${to}`;
        expect(
          told.map(({ text, id }) => `${text} ${id}`),
          name,
        ).to.deep.equal(isLegal ? [] : [`${from} to ${to} x1`]);
        if (!isLegal) illegal++;
      }
    expect(illegal).to.be.at.least(50);
  });

  it('are seen over all answers of a client, pages and commands included', async () => {
    const paid = { ...INVOICE, state: 'PAID' };
    const { client, run, sandbox, drifts } = shopOf({ items: [paid], count: 1 }, INVOICE, paid);
    await run(client.invoices.list().toArray({ limit: 5 }));
    await sandbox.advance(LAG_MS + 1_000);
    expect((await run(client.invoices.get(INVOICE.invoiceId))).state).to.equal('UNPAID');
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(drifts).to.deep.equal([
      {
        path: '/v1/invoices/{invoiceId}',
        field: 'state',
        kind: 'illegal-transition',
        text: 'PAID to UNPAID',
        id: INVOICE.invoiceId,
      },
    ]);
  });

  it('are none while a replica may lag', async () => {
    const paid = { ...INVOICE, state: 'PAID' };
    const { client, run, sandbox, drifts } = shopOf(paid, INVOICE, paid);
    await run(client.invoices.get(INVOICE.invoiceId));
    await sandbox.advance(LAG_MS - 5_000);
    await run(client.invoices.get(INVOICE.invoiceId));
    await sandbox.advance(LAG_MS);
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(drifts).to.deep.equal([]);
  });

  it('are told of the 10,000 newest, however often these change', () => {
    const { drifts, drift } = listening();
    const see = (at: number, state: string, ...ids: readonly number[]) => {
      const items = ids.map((id) => ({ ...INVOICE, invoiceId: `i${id}`, state }));
      drift(invoices.list.path, invoices.list.output!.schema, { items }, later(at));
    };
    const illegal = () =>
      drifts.flatMap(({ kind, id }) => (kind === 'illegal-transition' ? [id] : []));
    see(0, 'PAID', 0, 1, 2);
    see(0, 'PENDING', ...Array.from({ length: 9_997 }, (_, at) => at + 3));
    see(1, 'PAID', 9_999, 5_000);
    see(2, 'PENDING', 0);
    expect(illegal(), 'none is forgotten').to.deep.equal(['i0']);
    see(3, 'PAID', 10_000, 10_001);
    see(4, 'UNPAID', 2, 1, 9_999, 10_001);
    expect(illegal().slice(1), 'the oldest two are').to.deep.equal(['i2', 'i9999', 'i10001']);
  });

  it('are none of another resource with the same id, nor of unknown states', async () => {
    const first = { ...INVOICE, state: 'PAID' };
    const other = { ...INVOICE, created: '2026-05-04T09:15:27Z' };
    const strange = { ...other, state: 'ON_HOLD' };
    const { client, run, sandbox, drifts } = shopOf(first, other, strange, other);
    for (let at = 0; at < 4; at++) {
      await run(client.invoices.get(INVOICE.invoiceId));
      await sandbox.advance(LAG_MS + 10_000);
    }
    expect(drifts.map(({ kind }) => kind)).to.deep.equal(['unknown-value']);
  });
});
