import { describe, it } from '#test';
import { expect } from 'chai';
import { qrSvg } from 'paystate/elements';
import { pixelsOf, readBack } from './read-back.ts';

const BOLT11 = `LNTB229860N1${'P54KLVSSP5T24YS3QP4KNDZXKWHZLM4GJJA8S5K3FK574ANQFJMS928TLFEZVSPP5UE959SLWNWHJADEJ2QAN2KHSAECHL4A0RNLL'.repeat(3)}`;

describe('qrSvg', () => {
  for (const text of ['a', 'lightning:LNBC1', BOLT11])
    it(`draws a code that reads back: ${text.length} characters`, () => {
      expect(readBack(qrSvg(text))).to.equal(text);
    });

  it('is smaller in upper case', () => {
    expect(pixelsOf(qrSvg(BOLT11)).modules).to.be.lessThan(
      pixelsOf(qrSvg(BOLT11.toLowerCase())).modules,
    );
  });

  it('keeps a quiet zone of four modules on all sides', () => {
    const { modules } = pixelsOf(qrSvg('a'));
    const runs = [...qrSvg('a').matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, width]) => [
      Number(x),
      Number(y),
      Number(x) + Number(width),
    ]);
    expect(Math.min(...runs.map(([x]) => x!))).to.equal(4);
    expect(Math.min(...runs.map(([, y]) => y!))).to.equal(4);
    expect(Math.max(...runs.map(([, , end]) => end!))).to.equal(modules - 4);
  });

  it('reads out its label, and no label becomes markup', () => {
    const svg = qrSvg('a', { label: '"><script>' });
    expect(svg).to.not.include('<script');
    expect(svg).to.include('role="img" aria-label="&#34;&#62;&#60;script&#62;"');
  });
});
