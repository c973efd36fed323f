// Protects: the elements have every text in every language, each with the places that are filled in; each state of a checkout
// has a title and a sentence, and none is longer than a payer reads.
import { expect } from 'chai';
import type { ElementTexts } from 'paystate/elements';
import { elementsDe } from 'paystate/messages/de';
import { elementsEn } from 'paystate/messages/en';
import { elementsEs } from 'paystate/messages/es';
import { elementsFr } from 'paystate/messages/fr';
import { describe, it } from '#test';

const languages: Readonly<Record<string, ElementTexts>> = {
  de: elementsDe,
  en: elementsEn,
  es: elementsEs,
  fr: elementsFr,
};
const STATES = [
  'awaiting',
  'noPicture',
  'paused',
  'pending',
  'unconfirmed',
  'partial',
  'less',
  'paid',
  'late',
  'over',
  'cancelled',
  'reversed',
  'unsafe',
  'unknown',
  'failed',
  'notFound',
  'stale',
  'offline',
  'blocked',
] as const;
/** Titles and sentences are at most this long, characters. */
const LONGEST = 110;
const placesOf = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe('texts of the elements', () => {
  for (const [language, texts] of Object.entries(languages))
    it(`in ${language} are there, short, and have the same places`, () => {
      expect(Object.keys(texts).sort()).to.deep.equal(Object.keys(elementsEn).sort());
      expect(texts.locale).to.equal(language);
      for (const [key, text] of Object.entries(texts)) {
        expect(text, key).to.match(/^\S.*\S$/u);
        expect(placesOf(text), key).to.deep.equal(placesOf(elementsEn[key as 'same']));
        for (const part of text.split('|')) expect(part.length, part).to.be.within(2, LONGEST);
        const isState = STATES.includes(key as (typeof STATES)[number]);
        expect(text.split('|').length, key).to.equal(isState ? 2 : 1);
      }
    });

  it('say the same of a payment twice in no language: each has texts of its own', () => {
    for (const state of STATES) {
      const texts = Object.values(languages).map((one) => one[state]);
      expect(new Set(texts).size, state).to.equal(texts.length);
    }
  });
});
