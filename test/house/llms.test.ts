// Protects: llms.txt is what the entries, chapters and recipes say now, and leads to files that are published.
import { expect } from 'chai';
import { describe, it } from '#test';
import { rowOf } from './chapters.ts';
import { documents, isThere, linksIn, textOfDocument } from './documents.ts';
import { entries } from './entries.ts';
import { llmsText } from './llms.ts';
import { expectNone } from './none.ts';

describe('llms.txt', () => {
  it('is what `npm run generate -- tables` writes', () => {
    expect(textOfDocument('llms.txt') === llmsText(), 'npm run generate -- tables').to.equal(true);
  });

  it('names every entry and every chapter, and nothing that does not exist', () => {
    const text = textOfDocument('llms.txt');
    const links = linksIn(text);
    const chapters = documents.filter((document) => /^src\/.+\/README\.md$/.test(document));
    expectNone(chapters.filter((chapter) => !links.includes(chapter)));
    expectNone(entries.filter((entry) => !text.includes(`[${rowOf(entry)}](`)));
    expectNone(links.filter((link) => !isThere('llms.txt', link)));
  });
});
