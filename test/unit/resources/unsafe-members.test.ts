// No answer can give an object another nature: members that would are left out, however deep they lie.
import { expect } from 'chai';
import { describe, it } from '#test';
import { answering, INVOICE, openShop } from '../core/shop.ts';

const UNSAFE = ['__proto__', 'constructor', 'prototype'] as const;

/** An answer as text with such members in each of its objects. */
const poisoned = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    '{',
    `{${UNSAFE.map((name) => `"${name}":{"isAdmin":true},`).join('')}`,
  );

/** Every object in it that has one of its own. */
const found = (value: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...UNSAFE.filter((name) => Object.hasOwn(value, name)),
    ...Object.values(value).flatMap(found),
  ];
};

describe('members of an answer that would change what an object is', () => {
  it('are in nothing that a caller gets, while what the service adds stays', async () => {
    const body = { ...INVOICE, more: 'stays' };
    const answers = [poisoned(body), poisoned({ items: [body, body], count: 2 })];
    expect(found(JSON.parse(answers[0]!)).length).to.be.at.least(6);
    const wire = answering(...answers.map((text) => () => new Response(text)));
    const { client, run } = openShop({ fetch: wire.fetch });
    const invoice = await run(client.invoices.get(INVOICE.invoiceId));
    const list = await run(client.invoices.list().toArray({ limit: 2 }));
    for (const one of [invoice, ...list]) {
      expect(found(one)).to.deep.equal([]);
      expect(one).to.include({ more: 'stays', invoiceId: INVOICE.invoiceId });
      for (const object of [one, one.amount])
        expect([Object.getPrototypeOf(object), (object as never)['isAdmin']]).to.deep.equal([
          Object.prototype,
          undefined,
        ]);
      expect(({ ...one } as { isAdmin?: unknown }).isAdmin).to.equal(undefined);
      expect((Object.assign({}, one) as { isAdmin?: unknown }).isAdmin).to.equal(undefined);
    }
  });
});
