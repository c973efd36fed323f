// Node only: the sandbox computes the same in every engine.
// Filters held against a little evaluator that shares nothing with the sandbox: it works on the JSON that anybody sees.
import { expect } from 'chai';
import fc from 'fast-check';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, itLong } from '#test';
import { type Ask, asker, newInvoice, query } from './ask.ts';

type Shown = Readonly<
  Record<'invoiceId' | 'correlationId' | 'state' | 'created' | 'currency', string>
>;

/** A filter as text, and whether an invoice fits it. */
interface Asked {
  readonly text: string;
  readonly fits: (invoice: Shown) => boolean;
}

const NAMES = ['a', 'b c', "d's", "''", 'ü€', 'and', ') or (', 'state eq'];
const START = Date.parse('2026-01-05T09:00:00Z');

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const space = fc.constantFrom(' ', '  ', '\t ');

/** `field eq 'x'`, or `field in (…)`. */
const among = (field: keyof Shown, values: readonly string[]): fc.Arbitrary<Asked> =>
  fc
    .tuple(
      fc.subarray([...values], { minLength: 1, maxLength: Math.min(3, values.length) }),
      fc.boolean(),
      space,
    )
    .map(([some, asList, gap]) => {
      const [only = ''] = some;
      if (!asList)
        return {
          text: `${field}${gap}eq${gap}${quoted(only)}`,
          fits: (invoice) => invoice[field] === only,
        };
      return {
        text: `${field}${gap}in${gap}(${some.map(quoted).join(`,${gap}`)})`,
        fits: (invoice) => some.includes(invoice[field]),
      };
    });

/** The middle of a second, written with zero to nine digits in some zone: nothing is created there. */
const moment = fc
  .record({
    second: fc.integer({ min: -1, max: 25 }),
    digits: fc.integer({ min: 1, max: 9 }),
    zone: fc.integer({ min: -14, max: 14 }),
  })
  .map(({ second, digits, zone }) => {
    const local = new Date(START + second * 1_000 + zone * 3_600_000).toISOString().slice(0, 19);
    const offset =
      zone === 0 ? 'Z' : `${zone < 0 ? '-' : '+'}${`${Math.abs(zone)}`.padStart(2, '0')}:00`;
    return {
      at: START + second * 1_000 + 500,
      text: `${local}.${'5'.padEnd(digits, '0')}${offset}`,
    };
  });

const OPERATORS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  eq: (a, b) => a === b,
};

const time: fc.Arbitrary<Asked> = fc
  .tuple(fc.constantFrom(...Object.keys(OPERATORS)), moment, space)
  .map(([operator, { at, text }, gap]) => ({
    text: `created${gap}${operator}${gap}${text}`,
    fits: ({ created }) => OPERATORS[operator]!(Date.parse(created), at),
  }));

/** Filters of any form, with no more parentheses than they need, or with more. */
const filters = (ids: readonly string[]): fc.Arbitrary<Asked> => {
  const leaf = fc.oneof(
    among('correlationId', NAMES),
    among('state', ['UNPAID', 'PAID', 'CANCELLED', 'nothing']),
    among('currency', ['EUR', 'USD']),
    time,
    fc
      .constantFrom(...ids)
      .map(
        (id): Asked => ({ text: `invoiceId eq ${id}`, fits: ({ invoiceId }) => invoiceId === id }),
      ),
  );
  const joined = (word: 'and' | 'or', parts: readonly Asked[], inParentheses: boolean): Asked => {
    const text = parts.map((part) => part.text).join(` ${word} `);
    const fits = (invoice: Shown): boolean =>
      word === 'and'
        ? parts.every((part) => part.fits(invoice))
        : parts.some((part) => part.fits(invoice));
    return { text: inParentheses ? `( ${text})` : text, fits };
  };
  const all = fc
    .tuple(fc.array(leaf, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([parts, wrap]) => joined('and', parts, wrap));
  const any = (needed: boolean): fc.Arbitrary<Asked> =>
    fc
      .tuple(fc.array(all, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([parts, wrap]) => joined('or', parts, needed || wrap));
  const nested = fc
    .tuple(fc.array(fc.oneof(any(true), leaf), { minLength: 1, maxLength: 2 }), fc.boolean())
    .map(([parts, wrap]) => joined('and', parts, wrap));
  return fc.oneof(leaf, any(false), nested);
};

interface Shop {
  readonly sandbox: Sandbox;
  readonly ask: Ask;
  readonly ids: readonly string[];
}

/** Two dozen invoices, a second apart. */
const openShop = async (): Promise<Shop> => {
  const sandbox = createSandbox({ signed: false, filterLimits: { comparisons: 200 } });
  const ask = asker(sandbox);
  const ids: string[] = [];
  for (let index = 0; index < 24; index++) {
    ids.push(
      await newInvoice(ask, {
        correlationId: NAMES[index - 8],
        amount: { amount: '1', currency: index % 3 === 0 ? 'USD' : 'EUR' },
      }),
    );
    await sandbox.advance(1_000);
  }
  return { sandbox, ask, ids };
};

const listed = async (
  ask: Ask,
  words: Readonly<Record<string, string | number>>,
): Promise<{ items: readonly Shown[]; count: number }> => {
  const { text } = await ask('GET', `/v1/invoices${query(words)}`);
  const { items, count } = JSON.parse(text) as {
    items: readonly (Shown & { amount: { currency: string } })[];
    count: number;
  };
  return { items: items.map((item) => ({ ...item, currency: item.amount.currency })), count };
};

const idsOf = (items: readonly Shown[]): readonly (string | undefined)[] =>
  items.map(({ invoiceId }) => invoiceId);

describe('sandbox: OData', () => {
  itLong(
    'finds what an independent reading finds, on any page and in both orders, while states change',
    async () => {
      const { sandbox, ask, ids } = await openShop();
      const paging = fc.record({
        top: fc.integer({ min: 1, max: 9 }),
        skip: fc.integer({ min: 0, max: 9 }),
        up: fc.boolean(),
      });
      const changes = [...ids];
      await fc.assert(
        fc.asyncProperty(
          filters(ids),
          paging,
          fc.boolean(),
          async ({ text, fits }, { top, skip, up }, move) => {
            await sandbox.advance(2_000);
            const changed =
              move && changes.length > 6 ? changes.splice(changes.length >> 1, 1)[0] : undefined;
            if (changed)
              await (changes.length % 2
                ? sandbox.payer.pay(changed)
                : ask('PATCH', `/v1/invoices/${changed}/cancel`));
            const { items: all } = await listed(ask, { orderby: `created ${up ? 'asc' : 'desc'}` });
            const expected = all.filter(fits);
            const { items, count } = await listed(ask, {
              filter: text,
              orderby: `created ${up ? 'asc' : 'desc'}`,
              top,
              skip,
            });
            expect([count, idsOf(items)], text).to.deep.equal([
              expected.length,
              idsOf(expected.slice(skip, skip + top)),
            ]);
          },
        ),
        { numRuns: 250, seed: 11 },
      );
    },
  );

  itLong('refuses every filter that lacks a word', async () => {
    const { sandbox, ask, ids } = await openShop();
    await fc.assert(
      fc.asyncProperty(filters(ids), fc.nat(), async ({ text }, place) => {
        await sandbox.advance(2_000);
        const words = text.match(/'(?:[^']|'')*'|[^\s(),']+|[(),]/g)!;
        const shorter = words.filter((_, index) => index !== place % words.length).join(' ');
        const { status } = await ask('GET', `/v1/invoices${query({ filter: shorter })}`);
        expect(status, shorter).to.equal(400);
      }),
      { numRuns: 150, seed: 12 },
    );
  });

  itLong('keeps what it looks up right while events leave at the beginning', async () => {
    const sandbox = createSandbox({ signed: false });
    const ask = asker(sandbox);
    const counted = async (filter: string): Promise<unknown> =>
      (await ask('GET', `/v1/events${query({ filter })}`)).at('count');
    const count = async (type: string): Promise<unknown> => {
      const [lookedUp, scanned] = [
        await counted(`eventType eq '${type}'`),
        await counted(
          `eventType eq '${type}' or created lt 2020-01-01T00:00:00Z and deliverySuccess eq true`,
        ),
      ];
      expect(scanned).to.equal(lookedUp);
      return lookedUp;
    };
    const counts: unknown[] = [];
    for (let day = 0; day < 33; day++) {
      const id = await newInvoice(ask);
      if (day % 4 === 0) await ask('PATCH', `/v1/invoices/${id}/cancel`);
      counts.push(await count('invoice.created'), await count('invoice.updated'));
      await sandbox.advance(24 * 60 * 60_000 + 1_000);
    }
    const expected = Array.from({ length: 33 }, (_, day) => [
      Math.min(day + 1, 30),
      Array.from({ length: Math.min(day + 1, 30) }, (_, back) => day - back).filter(
        (one) => one % 4 === 0,
      ).length,
    ]);
    expect(counts).to.deep.equal(expected.flat());
  });
});
