// Protects: a schema that does not fit its hand-written interface does not compile, and neither does a use of a schema that
// valibot would not carry out. Each line below is a mistake that the compiler must see: `tsc -p test` is the test.
import { expect } from 'chai';
import type { Invoice, InvoiceDraft, Money, Payout } from 'paystate';
import {
  type InvoiceDraftSchema,
  InvoiceSchema,
  type MoneySchema,
  type PayoutSchema,
} from 'paystate/schemas';
import * as v from 'valibot';
import { describe, it } from '#test';
import { type EntriesOf, maybe, type ObjectSchema, openText } from '../../src/resources/wire.ts';

interface Sample {
  readonly id: string;
  readonly state: 'OPEN' | 'DONE' | (string & {});
  readonly amount: { readonly amount: string };
  readonly note?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

const amount = v.looseObject<EntriesOf<Sample['amount']>>({ amount: v.string() });
const right: EntriesOf<Sample> = {
  id: v.string(),
  state: openText<'OPEN' | 'DONE'>(),
  amount,
  note: maybe(v.string()),
  tags: maybe(v.array(v.string())),
};
const { note: _note, ...withoutNote } = right;
const { id: _id, ...withoutId } = right;

/** The mistakes; the compiler refuses each where it is marked. */
export const mistakes: readonly (() => ObjectSchema<Sample>)[] = [
  // @ts-expect-error: an optional member is forgotten
  () => v.looseObject<EntriesOf<Sample>>(withoutNote),
  // @ts-expect-error: a required member is forgotten
  () => v.looseObject<EntriesOf<Sample>>(withoutId),
  // @ts-expect-error: a member is invented
  () => v.looseObject<EntriesOf<Sample>>({ ...right, invented: v.string() }),
  // @ts-expect-error: a member is too wide
  () => v.looseObject<EntriesOf<Sample>>({ ...right, id: v.unknown() }),
  // @ts-expect-error: a member has another type
  () => v.looseObject<EntriesOf<Sample>>({ ...right, id: v.number() }),
  // @ts-expect-error: an optional member is required
  () => v.looseObject<EntriesOf<Sample>>({ ...right, note: v.string() }),
  // @ts-expect-error: a required member is optional
  () => v.looseObject<EntriesOf<Sample>>({ ...right, id: maybe(v.string()) }),
  // @ts-expect-error: null would reach the caller
  () => v.looseObject<EntriesOf<Sample>>({ ...right, note: v.nullish(v.string()) }),
  // @ts-expect-error: null would be refused
  () => v.looseObject<EntriesOf<Sample>>({ ...right, note: v.optional(v.string()) }),
  // @ts-expect-error: null and undefined would be refused
  () => v.looseObject<EntriesOf<Sample>>({ ...right, note: v.exactOptional(v.string()) }),
  // @ts-expect-error: new words would be refused
  () => v.looseObject<EntriesOf<Sample>>({ ...right, state: v.picklist(['OPEN', 'DONE']) }),
  // @ts-expect-error: a word is forgotten
  () => v.looseObject<EntriesOf<Sample>>({ ...right, state: openText<'OPEN'>() }),
  // @ts-expect-error: a word is invented
  () => v.looseObject<EntriesOf<Sample>>({ ...right, state: openText<'OPEN' | 'DONE' | 'NEW'>() }),
  // @ts-expect-error: the words are not named
  () => v.looseObject<EntriesOf<Sample>>({ ...right, state: v.string() }),
  // @ts-expect-error: the inner type of an optional member is another
  () => v.looseObject<EntriesOf<Sample>>({ ...right, tags: maybe(v.array(v.number())) }),
  // @ts-expect-error: an inner object lacks a member
  () => v.looseObject<EntriesOf<Sample>>({ ...right, amount: v.looseObject({}) }),
];

const schema: ObjectSchema<Sample> = v.looseObject<EntriesOf<Sample>>(right);

/** Code as users write it: valibot infers the types that the interfaces declare. */
export const uses = {
  sample: (read: v.InferOutput<typeof schema>): Sample => read,
  invoice: (read: v.InferOutput<typeof InvoiceSchema>): Invoice => read,
  payout: (read: v.InferOutput<typeof PayoutSchema>): Payout => read,
  money: (read: v.InferOutput<typeof MoneySchema>): Money => read,
  draft: (read: v.InferOutput<typeof InvoiceDraftSchema>): InvoiceDraft => read,
  picked: (): Pick<Invoice, 'invoiceId' | 'amount'> =>
    v.parse(v.pick(InvoiceSchema, ['invoiceId', 'amount']), {}),
  omitted: (): Omit<Invoice, 'state'> => v.parse(v.omit(InvoiceSchema, ['state']), {}),
  partial: (): string | undefined => v.parse(v.partial(InvoiceSchema), {}).invoiceId,
  // @ts-expect-error: a partial one may lack its id
  careless: (): string => v.parse(v.partial(InvoiceSchema), {}).invoiceId,
  // @ts-expect-error: there is no such member
  wrong: () => v.pick(InvoiceSchema, ['nothing']),
  // @ts-expect-error: what was omitted cannot be read
  gone: (): string => v.parse(v.strictObject(v.omit(InvoiceSchema, ['state']).entries), {}).state,
};

describe('types of schemas', () => {
  it('make mistakes that were tried fail to compile', () => {
    expect(mistakes).to.have.length(16);
    expect(
      v.parse(schema, { id: 'a', state: 'NEW', amount: { amount: '1' }, note: null }),
    ).to.include({
      id: 'a',
      note: undefined,
    });
  });
});
