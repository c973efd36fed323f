// Protects: the schemas are valibot's own objects, which users compose; the compiler holds each to its interface; what the
// service writes of absence and open words is decided in one file.
import { toJsonSchema } from '@valibot/to-json-schema';
import { expect } from 'chai';
import { currencyExchangeQuotes, events, invoices, subscriptions } from 'paystate/endpoints';
import * as schemas from 'paystate/schemas';
import * as v from 'valibot';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { nodesOf, sourceFiles, textOf } from './source.ts';

/** Made in `wire.ts` only, or nowhere: JSON Schema knows no `check`. */
const RESERVED = [
  'object',
  'objectWithRest',
  'optional',
  'exactOptional',
  'nullish',
  'nullable',
  'undefinedable',
  'picklist',
  'enum',
  'union',
  'variant',
  'custom',
  'check',
  'rawCheck',
];

/** Files that may, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'resources/payments.schemas.ts: nullish': 'an executed payment without a state is PENDING',
};

interface Imported {
  readonly source?: { readonly value?: unknown };
  readonly specifiers?: readonly {
    readonly local: { readonly name: string };
    readonly imported?: { readonly name: string };
  }[];
}

const reservedIn = (code: string): string[] => {
  const nodes = [...nodesOf(code)];
  const specifiers = nodes
    .filter(
      (node) => node.type === 'ImportDeclaration' && (node as Imported).source?.value === 'valibot',
    )
    .flatMap((node) => (node as Imported).specifiers ?? []);
  const spaces = specifiers.filter(({ imported }) => !imported).map(({ local }) => local.name);
  const named = specifiers.flatMap(({ imported }) => imported?.name ?? []);
  const members = nodes.flatMap((node) => {
    const { type, object, property } = node as {
      type: string;
      object?: { name?: string };
      property?: { name?: string };
    };
    return type === 'MemberExpression' && spaces.includes(object?.name ?? '')
      ? (property?.name ?? [])
      : [];
  });
  return [...named, ...members].filter((name) => RESERVED.includes(name));
};

/** Sandbox, command and test kit check files and options of users, which no service sends. */
const isOfTheService = (file: string): boolean =>
  file !== 'resources/wire.ts' && !/^(sandbox|cli|testing)\//.test(file);

type Any = v.GenericSchema<unknown, unknown>;
type AnyObject = v.LooseObjectSchema<v.ObjectEntries, undefined>;

const exported = (Object.entries(schemas as object) as readonly (readonly [string, Any])[]).filter(
  ([name]) => name.endsWith('Schema'),
);
const isObject = (schema: Any): schema is AnyObject => /^(loose|strict)_object$/.test(schema.type);
const objects = exported.flatMap(([name, schema]) =>
  isObject(schema) ? [[name, schema] as const] : [],
);
const rules = Object.entries(schemas).filter(([name]) => name.endsWith('Rules'));

/** The schema and every schema inside it. */
function* partsOf(schema: object): Generator<v.GenericSchema> {
  const { entries, wrapped, item, pipe } = schema as {
    entries?: Readonly<Record<string, object>>;
    wrapped?: object;
    item?: object;
    pipe?: readonly { kind: string }[];
  };
  yield schema as v.GenericSchema;
  const inside = [wrapped, item, pipe?.find(({ kind }) => kind === 'schema')];
  for (const part of [...Object.values(entries ?? {}), ...inside]) if (part) yield* partsOf(part);
}

const fieldsOf = (schema: Any, input: unknown): string[] =>
  (v.safeParse(schema, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '');

const isRequired = (schema: AnyObject, key: string): boolean =>
  schema.entries[key]!.type !== 'nullish';

describe('schemas', () => {
  it('are recognised however valibot is imported', () => {
    expect(reservedIn("import * as v from 'valibot'; v.object({}); v.string()")).to.deep.equal([
      'object',
    ]);
    expect(reservedIn("import { optional as o } from 'valibot'; o()")).to.deep.equal(['optional']);
  });

  it('decide in resources/wire.ts only what may be absent and which words are open', () => {
    const found = sourceFiles
      .filter(isOfTheService)
      .flatMap((file) => reservedIn(textOf(file)).map((name) => `${file}: ${name}`));
    expectNone(found.filter((place) => !ALLOWED[place]));
    expect(found).to.include.members(Object.keys(ALLOWED));
  });

  it('of objects name the interface that the compiler holds them to', () => {
    const found = sourceFiles
      .filter(isOfTheService)
      .flatMap((file) =>
        [...textOf(file).matchAll(/\b(?:loose|strict)Object\b(?!<\s*EntriesOf<)/g)].map(() => file),
      );
    expectNone(found);
  });
});

describe('the schemas of paystate/schemas', () => {
  it('are all in this test', () => {
    expect(exported.length).to.be.above(60);
    expect(objects.length).to.be.above(35);
    expect(rules.map(([name]) => name.replace('Rules', ''))).to.deep.equal([
      'bankPaymentMethodDraft',
      'currencyExchangeQuoteDraft',
      'lightningQuoteDraft',
      'onchainQuoteDraft',
      'receiveRequestDraft',
    ]);
  });

  for (const [name, schema] of exported)
    it(`${name} is valibot's own, with all that is inside it`, () => {
      for (const part of partsOf(schema)) {
        expect(part.kind).to.equal('schema');
        expect(Object.values(v)).to.include(part.reference);
        expect(Object.keys(part)).to.include.members(['~standard', '~run', 'type', 'expects']);
      }
      const refused = v.safeParse(schema, Symbol('none'));
      const said = schema['~standard'].validate(Symbol('none')) as { issues?: readonly unknown[] };
      expect(schema['~standard']).to.include({ version: 1, vendor: 'valibot' });
      expect([refused.success, said.issues?.length]).to.deep.equal([false, refused.issues!.length]);
    });

  for (const [name, schema] of exported)
    it(`${name} converts to JSON Schema`, () => {
      const json = toJsonSchema(schema, { typeMode: 'input' });
      if (!isObject(schema)) return expect(json.type).to.match(/^(string|array)$/);
      const keys = Object.keys(schema.entries);
      expect(Object.keys(json.properties!)).to.deep.equal(keys);
      expect(json.required).to.deep.equal(keys.filter((key) => isRequired(schema, key)));
    });

  for (const [name, schema] of objects) {
    const keys = Object.keys(schema.entries);
    const required = keys.filter((key) => isRequired(schema, key));

    it(`${name} can be picked from and omitted from`, () => {
      expect(fieldsOf(schema, {})).to.have.members(required);
      for (const key of keys) {
        const one = v.pick(schema, [key as never]);
        const others = v.omit(schema, [key as never]);
        expect(Object.keys(one.entries)).to.deep.equal([key]);
        expect(fieldsOf(one, {})).to.deep.equal(required.filter((name) => name === key));
        expect(fieldsOf(one, { [key]: Symbol('none') })).to.deep.equal([key]);
        expect(Object.keys(others.entries)).to.have.members(keys.filter((name) => name !== key));
        expect(fieldsOf(others, {})).to.have.members(required.filter((name) => name !== key));
        // a draft refuses what it does not have
        const isDraft = (schema.type as string) === 'strict_object';
        expect(fieldsOf(others, { [key]: Symbol('none') }).includes(key)).to.equal(isDraft);
      }
    });

    it(`${name} can be made partial, strict and one's own`, () => {
      expect(fieldsOf(v.partial(schema), {})).to.deep.equal([]);
      expect(fieldsOf(v.partial(schema), { [keys[0]!]: Symbol('none') })).to.deep.equal([keys[0]]);
      const strict = v.strictObject(v.partial(schema).entries);
      expect(fieldsOf(strict, { unknownToAll: 1 })).to.deep.equal(['unknownToAll']);
      const own = v.object({ ...v.partial(schema).entries, own: v.literal(1) });
      expect(v.parse(own, { own: 1, unknownToAll: 1 })).to.deep.equal({ own: 1 });
    });
  }

  it('check the rules between members where these are piped behind', () => {
    const { BankPaymentMethodDraftSchema, bankPaymentMethodDraftRules } = schemas;
    const draft = {
      transferType: 'ACH',
      accountNumber: '1',
      beneficiaries: [{ type: 'COMPANY', name: 'One' }],
    };
    const whole = v.pipe(BankPaymentMethodDraftSchema, bankPaymentMethodDraftRules);
    expect(fieldsOf(BankPaymentMethodDraftSchema, draft)).to.deep.equal([]);
    expect(fieldsOf(whole, draft)).to.deep.equal(['routingNumber', 'accountType']);
    const full = { ...draft, routingNumber: 'a', accountType: 'SAVINGS' };
    expect(fieldsOf(whole, full)).to.deep.equal([]);
  });

  it('are read without the rules between members where a member is of another type', () => {
    const { input } = currencyExchangeQuotes.create;
    expect(() => input!.read({ sell: 'USD', buy: 'EUR' })).to.throw(/^amount is required$/);
    expect(() => input!.read({ sell: 'USD', buy: 'EUR', amount: '5' })).to.throw(
      /^amount must be an object like \{ amount: '12.50', currency: 'EUR' \}$/,
    );
    const amount = { amount: '5', currency: 'GBP' };
    expect(() => input!.read({ sell: 'USD', buy: 'EUR', amount })).to.throw(
      /^amount.currency must be the currency you sell or buy$/,
    );
  });

  it('name the body where a whole value is of another type, and take words in any case', () => {
    const { input } = subscriptions.update;
    expect(() => input!.read(7)).to.throw(/^body must be an object$/);
    for (const webhookUrl of [
      'HTTPS://shop.example/',
      'https://shop.example/',
      'Http://LocalHost:80',
    ])
      expect(input!.read({ webhookUrl })).to.deep.equal({ webhookUrl });
    expect(() => input!.read({ webhookUrl: 'http://shop.example/' })).to.throw(/^webhookUrl must /);
  });

  it('are walked for drift, also where a row could not be read', () => {
    const found: string[] = [];
    const check = schemas.reportDrift(({ field }) => found.push(field));
    const { path, output } = events.list;
    const row = { id: '1', data: { entityId: 'a', changes: 7, more: 1 } };
    check(path, output!.schema!, { items: [row, 7, null], count: 3 });
    check(path, output!.schema!, { items: 7 });
    expect(found).to.deep.equal([
      'items[].eventType',
      'items[].webhookVersion',
      'items[].data.changes',
      'items[].created',
      'items[]',
      'items[].data.more',
      'items',
    ]);
  });

  it('name every broken rule, whatever a program sets for valibot globally', () => {
    const draft = { amount: { amount: '1,0', currency: 7 }, correlationId: 'x'.repeat(41) };
    v.setGlobalConfig({ abortEarly: true, abortPipeEarly: true });
    v.setGlobalMessage(() => 'a text of theirs');
    try {
      expect(() => invoices.create.input!.read(draft)).to.throw(
        'amount.amount must be a decimal string such as "12.50"; amount.currency must be string; ' +
          'correlationId must be at most 40 characters',
      );
      const change = { secret: ' ' };
      expect(() => subscriptions.update.input!.read(change)).to.throw(
        'secret must be at least 10 characters; secret must not start or end with spaces',
      );
    } finally {
      v.deleteGlobalConfig();
      v.deleteGlobalMessage();
    }
  });

  it('leave out members that would change what an object is', () => {
    const text = '{"amount":"1","currency":"EUR","__proto__":{"a":1},"constructor":1,"more":2}';
    const read = v.parse(schemas.MoneySchema, JSON.parse(text));
    expect(Object.keys(read)).to.deep.equal(['amount', 'currency', 'more']);
    expect(Object.getPrototypeOf(read)).to.equal(Object.prototype);
  });
});
