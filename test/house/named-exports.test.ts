// Protects: whoever reads the manual meets everything that an entry exports.
import { describe, it } from '#test';
import { documents, textOfDocument } from './documents.ts';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';
import { join } from 'node:path';

/** Rows of data, one for each operation or resource: the chapters have tables of what they are made of. */
const DATA = ['paystate/endpoints', 'paystate/operations', 'paystate/schemas'];

const manual = documents
  .filter((document) => /^(README|src\/.+\/(README|in-detail))\.md$/.test(document))
  .map(textOfDocument)
  .join('\n');
const words = new Set(manual.match(/[A-Za-z_$][\w$]*/g));

describe('the manual', () => {
  for (const { specifier, javascript } of entries.filter(
    (entry) => !DATA.includes(entry.specifier),
  ))
    it(`names every value of ${specifier}`, async () => {
      const exported = Object.keys((await import(join(root, javascript))) as object);
      expectNone(exported.filter((name) => !words.has(name)));
    });
});
