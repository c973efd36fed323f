// The project's documents: which there are, and what in them can be checked against the project.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entries } from './entries.ts';
import { root } from './source.ts';

/** Every Markdown file of the project, by its path from the top. */
export const documents: readonly string[] = [
  '*.md',
  '.github/*.md',
  '{src,test,scripts,demo,worker-example}/**/*.md',
]
  .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
  .map((file) => file.replaceAll('\\', '/'))
  .sort();

export const textOfDocument = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Cells of the rows of all tables with these titles, as they are written. */
export function tableIn(
  document: string,
  ...titles: readonly string[]
): readonly (readonly string[])[] {
  const head = `| ${titles.join(' | ')} |`;
  const [, ...after] = textOfDocument(document).split(`${head}\n`);
  if (after.length === 0) throw new Error(`${document} has no table ${head}`);
  return after.flatMap((text) => {
    const lines = text.split('\n');
    const end = lines.findIndex((line) => !line.startsWith('|'));
    return lines.slice(1, end).map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
  });
}

/** A block of code: its marks, its language with options, and its lines. */
export const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;
const isSpecifier = (name: string): boolean =>
  name.startsWith('@') || entries.some(({ specifier }) => specifier === name);
/** Runs write it; a fresh clone does not have it. */
const isMade = (name: string): boolean => name.startsWith('.cache/');
const isPath = (name: string): boolean =>
  /^[\w.][\w./-]*$/.test(name) && (/\w\//.test(name) || /\.(ts|mjs|md|json|html|txt)$/.test(name));

/** Files and folders that a document names: in code marks, with a slash or an ending. */
export const pathsIn = (markdown: string): readonly string[] =>
  [...markdown.replace(FENCE, '').matchAll(/`([^`\n]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => isPath(name) && !isSpecifier(name) && !isMade(name));

const targetsIn = (markdown: string): readonly string[] =>
  [...markdown.replace(FENCE, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** Returns the targets of a document's links, as far as they stay inside the project. */
export const linksIn = (markdown: string): readonly string[] =>
  targetsIn(markdown)
    .map((target) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));

/** Returns the anchor that a page makes of a heading: lower case, hyphens, no other signs. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsIn = (markdown: string): readonly string[] =>
  [...markdown.replace(FENCE, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, text = '']) =>
    anchorOf(text),
  );

/** Links to headings that are not there: `textOf` reads the document that a link leads to. */
export const deadAnchorsIn = (
  document: string,
  textOf: (file: string) => string,
): readonly string[] =>
  targetsIn(textOf(document))
    .map((target) => /^([^#:]*)#(.+)$/.exec(target))
    .filter((found) => found !== null)
    .filter(([, file, anchor]) => {
      const other = file ? join(dirname(document), file) : document;
      return other.endsWith('.md') && !anchorsIn(textOf(other)).includes(anchor!);
    })
    .map(([target]) => `${document} → ${target}`);

const namesInSource: ReadonlySet<string> = new Set(
  globSync('**/*', { cwd: join(root, 'src') }).map((file) => basename(file)),
);

/** Tells whether it exists: from the top, the document or src; a bare name anywhere in src. */
export const isThere = (document: string, name: string): boolean =>
  ['', dirname(document), 'src'].some((folder) => existsSync(join(root, folder, name))) ||
  namesInSource.has(name);
