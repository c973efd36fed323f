import { expect } from 'chai';
import {
  type EventFields,
  InputError,
  type InvoiceFields,
  type Condition,
  whereEvent,
  whereInvoice,
} from 'paystate';
import { describe, it, itLong } from '#test';
import { answering, DRAFT, json, openShop } from './shop.ts';

type Tree =
  | { readonly field: string; readonly operator: string; readonly value: string }
  | { readonly word: 'and' | 'or'; readonly parts: readonly Tree[] };

/** A reader of filters that shares no code with their maker; it knows nothing of what was meant. */
const parse = (text: string): Tree => {
  const tokens = text.match(/\(|\)|'(?:[^']|'')*'|[^\s()']+/g) ?? [];
  if (text.replace(/\(|\)|'(?:[^']|'')*'|[^\s()']+/g, '').trim() !== '')
    throw new Error(`left over in ${text}`);
  let place = 0;
  const single = (): Tree => {
    if (tokens[place] === '(') {
      place++;
      const inner = chain('or');
      if (tokens[place++] !== ')') throw new Error('a parenthesis stays open');
      return inner;
    }
    const [field = '', operator = '', raw = ''] = tokens.slice(place, (place += 3));
    if (!/^[a-z]+$/i.test(field) || !/^(eq|gt|lt|ge|le)$/.test(operator))
      throw new Error(`no comparison: ${field} ${operator}`);
    return {
      field,
      operator,
      value: raw.startsWith("'") ? `text ${raw.slice(1, -1).replaceAll("''", "'")}` : `bare ${raw}`,
    };
  };
  const chain = (word: 'and' | 'or'): Tree => {
    const part = word === 'or' ? () => chain('and') : single;
    const parts = [part()];
    while (tokens[place] === word) {
      place++;
      parts.push(part());
    }
    return parts.length === 1 ? parts[0]! : { word, parts };
  };
  const tree = chain('or');
  if (place !== tokens.length) throw new Error('something follows');
  return tree;
};

/** The same meaning in one form: chains of one word are one chain. */
const flat = (tree: Tree): Tree => {
  if (!('word' in tree)) return tree;
  const parts = tree.parts
    .map(flat)
    .flatMap((part) => ('word' in part && part.word === tree.word ? part.parts : [part]));
  return { word: tree.word, parts };
};

const randomOf =
  (seed: number) =>
  (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };

const NASTY = [
  "o'neil",
  "''",
  "' or state eq 'PAID",
  "x') or (state eq 'PAID",
  'a or b',
  ' and ',
  "'",
  '(',
  ')',
  '100% +&=#?/\\',
  'Größe 日本 🎟️',
  '\u2028',
  "a'' eq 'b",
  'null',
  'eq',
  '$filter',
  'x\ty',
  '%27 or 1 eq 1',
  "\\' or 1 eq 1",
];
const TIMES = [
  '2026-03-04T09:15:00Z',
  '2026-03-04T09:15:00.1234567+02:00',
  '2026-03-04T09:15:00-11:30',
];

/** A random condition and what it means. */
const draw = (
  below: (limit: number) => number,
  fields: InvoiceFields,
  depth = 0,
): { readonly term: Condition<'invoice'>; readonly tree: Tree } => {
  const kind = depth > 3 ? below(3) : below(6);
  if (kind <= 1) {
    const field = (['state', 'correlationId', 'currency', 'invoiceId', 'payerId'] as const)[
      below(5)
    ]!;
    const value = NASTY[below(NASTY.length)]!;
    return {
      term: fields[field].eq(value),
      tree: { field, operator: 'eq', value: `text ${value}` },
    };
  }
  if (kind === 2) {
    const operator = (['eq', 'gt', 'lt', 'ge', 'le'] as const)[below(5)]!;
    const time = TIMES[below(TIMES.length)]!;
    return {
      term: fields.created[operator](time),
      tree: { field: 'created', operator, value: `bare ${time}` },
    };
  }
  if (kind === 3) {
    const values = Array.from({ length: 1 + below(4) }, () => NASTY[below(NASTY.length)]!);
    const parts = values.map(
      (value): Tree => ({ field: 'state', operator: 'eq', value: `text ${value}` }),
    );
    return {
      term: fields.state.in(values),
      tree: parts.length === 1 ? parts[0]! : { word: 'or', parts },
    };
  }
  const [one, two] = [draw(below, fields, depth + 1), draw(below, fields, depth + 1)];
  const word = kind === 4 ? 'and' : 'or';
  return { term: one.term[word](two.term), tree: { word, parts: [one.tree, two.tree] } };
};

describe('a filter', () => {
  itLong('says what was meant, whatever the values hold: 3,000 drawn ones', () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      let meant: Tree | undefined;
      const term = whereInvoice((fields) => {
        const drawn = draw(randomOf(seed), fields);
        meant = drawn.tree;
        return drawn.term;
      });
      expect(flat(parse(term.text)), term.text).to.deep.equal(flat(meant!));
    }
  });

  it('travels to the service as it is, percent-encoded once', async () => {
    const wire = answering(json({ items: [], count: 0 }));
    const { client, run } = openShop({ fetch: wire.fetch });
    for (const value of NASTY.filter((text) => !text.includes('\t'))) {
      const filter = whereInvoice((f) => f.correlationId.eq(value).and(f.created.gt(TIMES[1]!)));
      await run(client.invoices.list(filter).count());
      const { url } = wire.sent.at(-1)!;
      expect(new URL(url).searchParams.get('$filter')).to.equal(filter.text);
      expect(url).to.contain('%2B02%3A00').and.not.contain('+');
      expect([...new URL(url).searchParams.keys()]).to.deep.equal([
        '$filter',
        '$orderby',
        '$top',
        '$skip',
      ]);
    }
  });

  it('keeps its form when a list adds its own window', async () => {
    const wire = answering(json({ items: [], count: 0 }));
    const { client, run } = openShop({ fetch: wire.fetch });
    const either = whereInvoice((f) => f.state.eq('PAID').or(f.state.eq('UNPAID')));
    await run(
      client.invoices
        .list(either, { cursor: JSON.stringify([either.text, 1_767_603_600]) })
        .toArray({ limit: 1 }),
    );
    expect(new URL(wire.sent[0]!.url).searchParams.get('$filter')).to.equal(
      "(state eq 'PAID' or state eq 'UNPAID') and created gt 2026-01-05T09:00:00Z",
    );
  });

  it('finds in the sandbox what it means', async () => {
    const { sandbox, client, run } = openShop();
    for (const correlationId of ['a', 'b', "o'neil"]) {
      await run(client.invoices.create({ ...DRAFT, correlationId }));
      await sandbox.advance(60_000);
    }
    const names = async (build: (f: InvoiceFields) => Condition<'invoice'>) =>
      (await run(client.invoices.list(whereInvoice(build)).toArray({ limit: 9 }))).map(
        (invoice) => invoice.correlationId,
      );
    expect(await names((f) => f.correlationId.in(['a', "o'neil"]))).to.deep.equal(['a', "o'neil"]);
    expect(
      await names((f) => f.created.gt('2026-01-05T09:00:30Z').and(f.state.eq('UNPAID'))),
    ).to.deep.equal(['b', "o'neil"]);
    expect(
      await names((f) =>
        f.correlationId
          .eq('a')
          .or(f.correlationId.eq('b'))
          .and(f.created.lt('2026-01-05T09:00:30Z')),
      ),
    ).to.deep.equal(['a']);
    const updated = (f: EventFields) =>
      f.eventType
        .in(['invoice.updated', 'invoice.created'])
        .and(f.created.lt('2026-01-05T09:00:30Z'));
    expect(await run(client.events.list(whereEvent(updated)).count())).to.equal(1);
  });

  it('refuses what is no date or no text, before anything is sent', () => {
    for (const time of [
      '',
      'yesterday',
      '2026-03-04',
      "2026-03-04T09:15:00Z or state eq 'PAID'",
      5 as unknown as string,
    ])
      for (const operator of ['eq', 'gt', 'lt', 'ge', 'le'] as const)
        expect(() => whereInvoice((f) => f.created[operator](time)), time).to.throw(InputError);
    for (const value of [undefined, null, 7, {}, ['x']])
      expect(() => whereInvoice((f) => f.state.eq(value as unknown as string))).to.throw(
        InputError,
      );
    expect(() => whereInvoice((f) => f.state.in([]))).to.throw(InputError);
  });
});

// Compile only: fields, operators and resources are typed.
export const typed = (): void => {
  // @ts-expect-error no such field
  whereInvoice((f) => f.colour.eq('red'));
  // @ts-expect-error events have no order but these two
  whereEvent((f) => f.created.ge('2026-03-04T09:15:00Z'));
  // @ts-expect-error a text has no order
  whereInvoice((f) => f.state.gt('PAID'));
  const paid = whereInvoice((f) => f.state.eq('PAID'));
  // @ts-expect-error a condition on invoices is none on events
  openShop().client.events.list(paid);
};
