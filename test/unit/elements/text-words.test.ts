// Protects: each key has its own sentence in each language, none that belongs to another key.
import { expect } from 'chai';
import { de, elementsDe } from 'paystate/messages/de';
import { elementsEn, en } from 'paystate/messages/en';
import { elementsEs, es } from 'paystate/messages/es';
import { elementsFr, fr } from 'paystate/messages/fr';
import { describe, it } from '#test';
import { ELEMENT_WORDS, ERROR_WORDS } from './text-words.ts';

const languages = ['en', 'de', 'es', 'fr'] as const;
const elements: readonly object[] = [elementsEn, elementsDe, elementsEs, elementsFr];
const errors: readonly object[] = [en, de, es, fr];

/** The texts of one language in a table. */
const textsAt = (words: typeof ELEMENT_WORDS, at: number): object =>
  Object.fromEntries(Object.entries(words).map(([key, texts]) => [key, texts[at]]));

describe('the words of each key', () => {
  for (const [at, locale] of languages.entries())
    it(`in ${locale} are its own`, () => {
      expect(elements[at]).to.deep.equal({ locale, ...textsAt(ELEMENT_WORDS, at) });
      expect(errors[at]).to.deep.equal(textsAt(ERROR_WORDS, at));
    });
});
