// Node only: codecs compute the same in every engine.
// Whoever can append a field to an invoice must not change what it says: the first of several counts.
import { expect } from 'chai';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { KEY, PAYEE, ruleOf, TEA } from './invoice-drafts.ts';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The six words with which BIP 173 ends a text. */
function checksum(prefix: string, words: readonly number[]): number[] {
  const codes = [...prefix].map((char) => char.charCodeAt(0));
  let state = 1;
  for (const word of [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...words,
    0,
    0,
    0,
    0,
    0,
    0,
  ]) {
    const top = state >>> 25;
    state = ((state & 0x1ffffff) << 5) ^ word;
    GENERATOR.forEach((part, bit) => void (state ^= (top >> bit) & 1 ? part : 0));
  }
  return Array.from({ length: 6 }, (_, at) => ((state ^ 1) >>> (5 * (5 - at))) & 31);
}

interface Parts {
  readonly prefix: string;
  readonly time: number[];
  readonly fields: number[][];
  readonly signature: number[];
}

function taken(text: string): Parts {
  const at = text.lastIndexOf('1');
  const words = [...text.slice(at + 1, -6)].map((char) => ALPHABET.indexOf(char));
  const signature = words.splice(-104);
  const time = words.splice(0, 7);
  const fields: number[][] = [];
  while (words.length > 0) fields.push(words.splice(0, 3 + words[1]! * 32 + words[2]!));
  return { prefix: text.slice(0, at), time, fields, signature };
}

function written({ prefix, time, fields, signature }: Parts): string {
  const words = [...time, ...fields.flat(), ...signature];
  return `${prefix}1${[...words, ...checksum(prefix, words)].map((word) => ALPHABET[word]).join('')}`;
}

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
