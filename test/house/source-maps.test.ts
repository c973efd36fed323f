// Protects: a stack trace leads to the line that was written, although marks were put into the built files.
import { globSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const MARKED = /\/\* @__PURE__ \*\/ (new \w+|\w+)/g;

interface Mark {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly word: string;
}

const marksIn = (file: string): Mark[] =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, line) =>
      [...text.matchAll(MARKED)].map((match) => {
        const word = match[1] ?? '';
        return { file, line, column: match.index + match[0].length - word.length, word };
      }),
    );

/** The source from the place that the mark leads to: a declaration may stand on a line before its call. */
const placeInSource = ({ file, line, column }: Mark): string => {
  const map = new SourceMap(JSON.parse(readFileSync(join(root, `${file}.map`), 'utf8')));
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry)) return 'nothing';
  const source = readFileSync(join(root, dirname(file), entry.originalSource), 'utf8').split('\n');
  return source
    .slice(entry.originalLine, entry.originalLine + 3)
    .join('\n')
    .slice(entry.originalColumn);
};

describe('source maps', () => {
  it('lead from each marked call to its own line in the source', () => {
    const marks = globSync('dist/**/*.js', { cwd: root })
      .filter((file) => !file.endsWith('.min.js'))
      .flatMap(marksIn);
    expect(marks.length).to.be.greaterThan(20);
    const lost = marks.filter((mark) => !placeInSource(mark).includes(mark.word));
    expectNone(
      lost.map(
        (mark) =>
          `${mark.file}:${mark.line + 1}:${mark.column} ${mark.word} leads to ${placeInSource(mark)}`,
      ),
    );
  });
});
