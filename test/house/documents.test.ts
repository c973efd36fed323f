// Protects: the documents other than the root README name what exists, and their lists are
// complete.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { chapterOf, undescribed } from './chapters.ts';
import {
  deadAnchorsIn,
  documents,
  isThere,
  linksIn,
  pathsIn,
  tableIn,
  textOfDocument,
} from './documents.ts';
import { entries } from './entries.ts';
import { fencesOf } from './fences.ts';
import { expectNone } from './none.ts';
import { roomOf, rooms } from './rooms.ts';
import { root, sourceFiles } from './source.ts';

/** Documents whose file names are checked; the others are for users, or about the past. */
const INNER = ['.github/CONTRIBUTING.md', '.github/SECURITY.md', 'src/README.md', 'test/README.md'];
const MOST_WORDS = 40;
const MOST_LINES = 150;
const MOST_BYTES = 9_500;

const partOf = (document: string, title: string): string =>
  textOfDocument(document)
    .split(/^## /m)
    .find((part) => part.startsWith(title)) ?? '';

/** Threats whose test is not there under its title, and those without one that do not say why. */
const untested = (): readonly string[] =>
  tableIn('.github/SECURITY.md', 'no.', 'threat', 'file', 'title of the test, or why there is none')
    .filter(([, , file = '', title = '']) => {
      if (file === '–') return !title.endsWith('.');
      const text = textOfDocument(file.replaceAll('`', '')).replaceAll("\\'", "'");
      return !["'", '"', '`'].some((quote) =>
        text.includes(quote + title.replaceAll('\\$', '$') + quote),
      );
    })
    .map((row) => row.join(' | '));

describe('documents', () => {
  it('are found, and their files and folders are recognised', () => {
    expect(documents).to.include.members([...INNER, 'README.md', 'CHANGELOG.md']);
    const paths = '`core/http/send.ts`, `model.ts`, `state/`, `test/house/a-b.test.ts`';
    const others = '`paystate/rx` `@noble/hashes` `npm run build` `/v1/invoices` `outcome` `a.b`';
    expect(pathsIn(paths)).to.have.length(4);
    expect(pathsIn(others)).to.have.length(0);
    expect(linksIn('[a](b/c.md#d) [e](https://f.example) [g](#h)')).to.deep.equal(['b/c.md']);
    const names = ['core/http/send.ts', '../README.md', 'send.ts', 'core/never.ts', 'never.ts'];
    expect(names.map((name) => isThere('src/README.md', name))).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  for (const document of INNER)
    it(`name files and folders that exist: ${document}`, () => {
      const names = pathsIn(textOfDocument(document));
      expect(names).not.to.have.length(0);
      expectNone([...new Set(names)].filter((name) => !isThere(document, name)));
    });

  it('link to files that exist', () => {
    expectNone(
      documents.flatMap((document) =>
        linksIn(textOfDocument(document))
          .filter((target) => !isThere(document, target))
          .map((target) => `${document} → ${target}`),
      ),
    );
  });

  it('link to headings that exist', () => {
    const texts: Record<string, string> = {
      'a/b.md':
        '# One `two`, three\n\n[x](#one-two-three) [y](../c.md#four) [z](#five) [w](d.ts#L1)',
      'c.md': '# Four\n\n[v](a/b.md#four)',
    };
    const dead = Object.keys(texts).flatMap((file) => deadAnchorsIn(file, (name) => texts[name]!));
    expect(dead).to.deep.equal(['a/b.md → #five', 'c.md → a/b.md#four']);
    expectNone(documents.flatMap((document) => deadAnchorsIn(document, textOfDocument)));
  });
});

describe('the manual', () => {
  it('has a chapter for every entry, and says of each what it is for', () => {
    expectNone(undescribed());
    expectNone(entries.map(chapterOf).filter((chapter) => !documents.includes(chapter)));
  });
});

describe('README.md', () => {
  it(`has at most ${MOST_BYTES} bytes: the rest is in the chapters`, () => {
    expect(Buffer.byteLength(textOfDocument('README.md'))).to.be.at.most(MOST_BYTES);
  });

  it('shows the commands that continuous integration runs', () => {
    const shown = fencesOf(textOfDocument('README.md')).flatMap(({ code }) => code.split('\n'));
    const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
    const commands = lines.filter((line) => line.startsWith('npm '));
    expect(commands).not.to.have.length(0);
    expectNone(commands.filter((line) => !shown.some((text) => text.startsWith(line))));
  });
});

describe('src/README.md', () => {
  it('draws every room, and no other', () => {
    const [drawing] = fencesOf(textOfDocument('src/README.md')).filter(
      ({ language }) => language === 'text',
    );
    const drawn = drawing!.code
      .split('\n')
      .map((line) => line.slice(11).split(/ {3,}/)[0]!)
      .flatMap((names) => names.split(' · '))
      .map((name) => name.trim().replace(/\.ts$/, ''))
      .filter(Boolean);
    expect(drawn).to.have.members(Object.keys(rooms));
    expect(new Set(sourceFiles.map(roomOf)).size).to.be.at.most(drawn.length);
  });

  it(`explains at most ${MOST_WORDS} words, each once, in alphabetical order`, () => {
    const rows = [...partOf('src/README.md', 'Words').matchAll(/^\| ([^|]+?) \|/gm)];
    const words = rows.slice(1).map(([, word]) => word!);
    expect(words.length).to.be.within(20, MOST_WORDS);
    const lower = words.map((word) => word.toLowerCase());
    expect(lower).to.deep.equal([...new Set(lower)].sort());
  });
});

describe('.github', () => {
  it('says of each threat which test covers it, by a title that exists', () => {
    expectNone(untested());
  });

  for (const document of INNER.filter((file) => file.startsWith('.github/')))
    it(`is short: ${document} has at most ${MOST_LINES} lines`, () => {
      expect(textOfDocument(document).trimEnd().split('\n').length).to.be.at.most(MOST_LINES);
    });
});
