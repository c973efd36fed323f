// Protects: bech32, bech32m and base58check are read and written as packages do that others rely on: what one writes the
// other reads, and what one refuses the other does not take.
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from '#test';
import { decodeBase58check, encodeBase58check } from '../../src/lightning/hashes.ts';
import { decodeBech32, encodeBech32 } from '../../src/lightning/bech32.ts';
import { bech32, bech32m, bs58check } from '../peers/peers.mjs';

const LONGEST = 1_000;
const prefix = fc.constantFrom('bc', 'tb', 'bcrt', 'lnbc', 'lnbc2500u', 'lnurl', 'a1b');
const words = fc.array(fc.nat(31), { maxLength: 400 });
const kinds = { bech32, bech32m };
const kind = fc.constantFrom('bech32' as const, 'bech32m' as const);
/** One place of a text gets another character: a slip of the hand. */
const slip = fc.record({
  at: fc.nat(),
  letter: fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7lb1oiBQ '),
});
const slipped = (text: string, { at, letter }: { at: number; letter: string }): string => {
  const place = at % text.length;
  return text.slice(0, place) + letter + text.slice(place + 1);
};

const ours = (text: string) => {
  try {
    const { prefix: found, words: read, kind: is } = decodeBech32(text, LONGEST, 'text');
    return { prefix: found, words: [...read], kind: is };
  } catch {
    return undefined;
  }
};
const theirs = (text: string) => {
  for (const [name, peer] of Object.entries(kinds)) {
    const found = peer.decodeUnsafe(text, LONGEST);
    if (found) return { ...found, kind: name };
  }
  return undefined;
};

describe('bech32 and base58', () => {
  it('bech32: the same text is written of the same words', () => {
    fc.assert(
      fc.property(prefix, words, kind, (start, five, is) => {
        expect(encodeBech32(start, five, is)).to.equal(kinds[is].encode(start, five, LONGEST));
      }),
    );
  });

  it('bech32: the same is read of every text, also of one with a slip', () => {
    fc.assert(
      fc.property(
        prefix,
        words,
        kind,
        fc.option(slip),
        fc.boolean(),
        (start, five, is, wrong, up) => {
          const written = kinds[is].encode(start, five, LONGEST);
          const cased = up ? written.toUpperCase() : written;
          const text = wrong ? slipped(cased, wrong) : cased;
          expect(ours(text)).to.deep.equal(theirs(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('base58check: the same text is written of the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        expect(encodeBase58check(bytes)).to.equal(bs58check.encode(bytes));
      }),
    );
  });

  it('base58check: the same is read of every text, also of one with a slip', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 80 }),
        fc.option(slip),
        (bytes, wrong) => {
          const written = bs58check.encode(bytes);
          const text = wrong ? slipped(written, wrong) : written;
          const read = decodeBase58check(text);
          const other = bs58check.decodeUnsafe(text);
          expect(read && [...read]).to.deep.equal(other && [...other]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
