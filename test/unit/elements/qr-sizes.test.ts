// Protects: codes of all sizes and both kinds of text can be read.
import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import { qrSvg } from 'paystate/elements';
import { readBack } from './read-back.ts';

const lengths = [1, 20, 40, 70, 110, 160, 230, 301, 420, 600, 850, 1_200, 1_700, 2_300, 2_900];

describe('a QR code', () => {
  for (const length of lengths)
    itLong(`of ${length} characters is read as it was written, in either case`, () => {
      const text = `LNBC${'2M1PVJLUEZ7$%'.repeat(Math.ceil(length / 13))}`.slice(0, length);
      for (const one of [text, `${text.toLowerCase().slice(1)}ü`])
        expect(readBack(qrSvg(one))).to.equal(one);
    });

  it('of more than any code holds is refused', () => {
    expect(() => qrSvg('a'.repeat(3_000))).to.throw(RangeError, 'too long');
  });
});
