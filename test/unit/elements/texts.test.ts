// Protects: the elements have every text in every language, each with the places that are filled in.
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
const placesOf = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe('texts of the elements', () => {
  for (const [language, texts] of Object.entries(languages))
    it(`in ${language} are there, short, and have the same places`, () => {
      expect(Object.keys(texts).sort()).to.deep.equal(Object.keys(elementsEn).sort());
      expect(texts.locale).to.equal(language);
      for (const [key, text] of Object.entries(texts)) {
        expect(text, key).to.match(/^\S.{1,120}$/u);
        expect(placesOf(text), key).to.deep.equal(placesOf(elementsEn[key as 'same']));
        expect(text.split('|').length, key).to.be.at.most(2);
      }
    });
});
