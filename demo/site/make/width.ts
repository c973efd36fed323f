// Formats code for the site's column, which is narrower than a code host's page.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../test/house/source.ts';
import { withNarrowComments } from './comments.ts';

/** Characters that fit into a line of a code block at 1280 px. */
export const WIDTH = 72;

const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;
const FORMATTED = new Set(['ts', 'tsx', 'js']);

const isWide = (code: string): boolean => code.split('\n').some((line) => line.length > WIDTH);

/** The rules of `biome.json`, apart from the width. */
const RULES = {
  root: true,
  linter: { enabled: false },
  assist: { enabled: false },
  formatter: { lineWidth: WIDTH, indentStyle: 'space', indentWidth: 2 },
  javascript: { formatter: { quoteStyle: 'single', arrowParentheses: 'always' } },
};

/** Formats files of one folder in one run of the formatter. Leaves code that it can't parse. */
function formatAll(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folder = join(root, '.cache', `width-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(RULES));
    for (const [file, code] of files) writeFileSync(join(folder, file), code);
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { error } = spawnSync(process.execPath, [biome, 'format', '--write', '.'], {
      cwd: folder,
    });
    if (error) throw error;
    const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
    return new Map(
      [...files.keys()].map((file) => [file, withNarrowComments(textOf(file), WIDTH)]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the pages with all TypeScript and JavaScript in lines that fit, as far as possible. */
export function narrowed(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const each = (change: (name: string, fence: string, code: string) => string) =>
    [...pages].map(([path, text], page) => {
      let n = 0;
      const changed = text.replace(
        FENCE,
        (fence: string, _marks, language: string, code: string) => {
          const [syntax = ''] = language.trim().split(' ');
          n += 1;
          if (!FORMATTED.has(syntax) || !isWide(code)) return fence;
          return change(`${page}-${n}.${syntax}`, fence, code);
        },
      );
      return [path, changed] as const;
    });
  each((name, fence, code) => {
    files.set(name, code);
    return fence;
  });
  const formatted = formatAll(files);
  return new Map(each((name, fence, code) => fence.replace(code, () => formatted.get(name)!)));
}
