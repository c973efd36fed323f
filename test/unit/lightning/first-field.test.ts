// Node only: codecs compute the same in every engine.
// Whoever can append a field to an invoice must not change what it says: the first of several counts.
import { expect } from 'chai';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { KEY, PAYEE, ruleOf, TEA } from './invoice-drafts.ts';
import { taken, written } from './invoice-parts.ts';

const OURS = { ...TEA, payee: PAYEE, metadata: '0102', minFinalCltvExpiryDelta: 40 };
const THEIRS = {
  ...OURS,
  description: 'Something else',
  paymentHash: '77'.repeat(32),
  paymentSecret: '88'.repeat(32),
  expirySeconds: 99_999,
  payee: `02${'55'.repeat(32)}`,
  metadata: '0909',
  minFinalCltvExpiryDelta: 9,
  features: [8, 14, 17],
};

describe('a field that stands twice in an invoice', () => {
  it('counts as it stands first: hash, secret, description, end, payee and all others', () => {
    const ours = taken(encodeBolt11(OURS, KEY));
    const theirs = taken(encodeBolt11({ ...THEIRS, payee: undefined }, KEY));
    const stranger = taken(
      written({
        ...ours,
        fields: ours.fields.map((field) =>
          field[0] === 19 ? [...field.slice(0, 3), ...field.slice(3).toReversed()] : field,
        ),
      }),
    );
    expect(written(ours), 'taken apart and put together').to.equal(encodeBolt11(OURS, KEY));
    const { text: _, ...plain } = decodeBolt11(written(ours));
    const payees = stranger.fields.filter(([tag]) => tag === 19);
    expect(theirs.fields.length).to.be.at.least(7);
    for (const field of [...theirs.fields, ...payees]) {
      const { text: __, ...both } = decodeBolt11(
        written({ ...ours, fields: [...ours.fields, field] }),
      );
      expect(both, `tag ${field[0]}`).to.deep.equal(plain);
      const reversed = decodeBolt11(written({ ...ours, fields: [field, ...ours.fields] }));
      expect({ ...reversed, text: '' }, `tag ${field[0]} in front`).not.to.deep.equal({
        ...plain,
        text: '',
      });
    }
  });

  it('of a wrong length counts not at all, and does not stand in the way of the right one', () => {
    const ours = taken(encodeBolt11(OURS, KEY));
    const { text: _, ...plain } = decodeBolt11(written(ours));
    for (const tag of [1, 16, 19]) {
      const { text: __, ...both } = decodeBolt11(
        written({ ...ours, fields: [[tag, 0, 2, 9, 9], ...ours.fields] }),
      );
      expect(both).to.deep.equal(plain);
    }
  });
});

describe('an invoice without a field that it must have', () => {
  it('is refused: nobody could prove that it was paid', () => {
    const ours = taken(encodeBolt11(OURS, KEY));
    const rules = [
      [1, 'payment-hash'],
      [16, 'payment-secret'],
    ] as const;
    for (const [tag, rule] of rules) {
      const fields = ours.fields.filter(([own]) => own !== tag);
      expect(fields.length, rule).to.equal(ours.fields.length - 1);
      expect(ruleOf(() => decodeBolt11(written({ ...ours, fields })))).to.equal(rule);
    }
  });
});
