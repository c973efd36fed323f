// Formats the code blocks of the site to fit their column, which is narrower than on a code host.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FENCE } from '../../../test/house/documents.ts';
import { root } from '../../../test/house/source.ts';
import { withNarrowComments } from './comments.ts';

/** The maximum length of a line of code, in characters. It fits the column at 1280 px. */
export const WIDTH = 72;

/** The indentation of a script in an HTML page. */
const INDENT = '  ';
const INNER_WIDTH = WIDTH - INDENT.length;

const SCRIPT = /(?<=<script type="module">\n)[\s\S]*?(?=<\/script>)/g;
const FORMATTED = new Set(['ts', 'tsx', 'js', 'json']);

/** The project's formatting rules, with another line width. */
const RULES = {
  root: true,
  linter: { enabled: false },
  assist: { enabled: false },
  formatter: { lineWidth: WIDTH, indentStyle: 'space', indentWidth: INDENT.length },
  javascript: { formatter: { quoteStyle: 'single', arrowParentheses: 'always' } },
  overrides: [{ includes: ['**/*.inner.js'], formatter: { lineWidth: INNER_WIDTH } }],
};

/** Formats all files in one run of the formatter. Code that it can't parse stays the same. */
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
    const widthOf = (file: string): number => (file.includes('.inner.') ? INNER_WIDTH : WIDTH);
    const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
    return new Map(
      [...files.keys()].map((file) => [file, withNarrowComments(textOf(file), widthOf(file))]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the new text of a piece of code. `file` is a unique file name for it. */
type Change = (file: string, code: string) => string;

/** Applies a change to each script of an HTML page, without the script's indentation. */
const changeScripts = (name: string, html: string, change: Change): string =>
  html.replace(SCRIPT, (script) =>
    change(`${name}.inner.js`, script.replaceAll(/^ {2}/gm, '')).replaceAll(/^(?=.)/gm, INDENT),
  );

function changeFence(name: string, language: string, code: string, change: Change): string {
  const [syntax = ''] = language.trim().split(' ');
  if (code.split('\n').every((line) => line.length <= WIDTH)) return code;
  if (syntax === 'html') return changeScripts(name, code, change);
  return FORMATTED.has(syntax) ? change(`${name}.${syntax}`, code) : code;
}

const changeAll = (pages: ReadonlyMap<string, string>, change: Change): Map<string, string> =>
  new Map(
    [...pages].map(([path, text], page) => {
      let n = 0;
      const changed = text.replace(FENCE, (fence: string, _marks, language: string, code: string) =>
        fence.replace(code, () => changeFence(`${page}-${(n += 1)}`, language, code, change)),
      );
      return [path, changed];
    }),
  );

/** Formats the code blocks of all pages. A line with a long string can still be too long. */
export function narrowed(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  changeAll(pages, (file, code) => {
    files.set(file, code);
    return code;
  });
  const formatted = formatAll(files);
  return changeAll(pages, (file) => formatted.get(file)!);
}
