// Maps documents to pages of the site, and rewrites the links between documents.
import { posix } from 'node:path';
import { chapterOf } from '../../../test/house/chapters.ts';
import { documents, FENCE } from '../../../test/house/documents.ts';
import { entries } from '../../../test/house/entries.ts';
import { COOKBOOK, RECIPES } from '../../../test/house/recipes.ts';

/** Documents whose page has another path than the document. */
const PLACES: Readonly<Record<string, string>> = {
  'README.md': 'start.md',
  'CHANGELOG.md': 'changes.md',
  LICENSE: 'licence.md',
  'src/README.md': 'project/architecture.md',
  'demo/README.md': 'project/demos.md',
  'worker-example/README.md': 'project/worker-example.md',
  [`${COOKBOOK}/README.md`]: 'cookbook/index.md',
};

const OWN = 'demo/site/pages/';

/** Returns the path of a file's page, or `undefined` if the site doesn't show the file. */
export function pageOf(file: string): string | undefined {
  if (file in PLACES) return PLACES[file];
  if (file.startsWith(OWN)) return file.slice(OWN.length);
  if (/^src\/.+\/README\.md$/.test(file)) return `manual/${file.slice(4, -'/README.md'.length)}.md`;
  if (/^src\/.+\/(in-detail|what-binds)\.md$/.test(file)) return `manual/${file.slice(4)}`;
  const recipe = /^demo\/cookbook\/([\w-]+)\.ts$/.exec(file);
  return recipe ? `cookbook/${recipe[1]}.md` : undefined;
}

/** The documents that have a page on the site. */
export const shownDocuments: readonly string[] = documents.filter((file) => pageOf(file));

/**
 * The chapters of the manual, in reading order. The client and watching come first, then a chapter
 * for each entry point. Subchapters follow their chapter.
 */
export const chapters: readonly string[] = [
  ...new Set([
    'src/core/README.md',
    'src/state/README.md',
    ...entries.map(chapterOf),
    'src/cli/README.md',
  ]),
].flatMap((file) => [file, ...shownDocuments.filter((other) => isBelow(other, file))]);

function isBelow(file: string, chapter: string): boolean {
  return file !== chapter && file.startsWith(chapter.slice(0, -'README.md'.length));
}

/** The names of all recipes, by section of the cookbook. */
export const recipesByPart: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(RECIPES).map(([part, recipes]) => [part, Object.keys(recipes)]),
);

/** Returns the relative link from one page to another. */
export function linkBetween(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

const PICTURE = /^(?:!\[[^\]]*\]\([^)]*\)|<picture>[\s\S]*?<\/picture>)\n+/gm;
const LINK = /\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Applies a change to a document's text, but not to its fenced code blocks. */
export function outsideFences(text: string, change: (text: string) => string): string {
  let done = 0;
  let result = '';
  for (const { 0: fence, index } of text.matchAll(FENCE)) {
    result += change(text.slice(done, index)) + fence;
    done = index + fence.length;
  }
  return result + change(text.slice(done));
}

/** Points a document's links at pages. Links to files without a page become plain text. */
export function withPageLinks(file: string, text: string): string {
  const page = pageOf(file)!;
  const linked = (all: string, label: string, target: string): string => {
    if (/^([a-z]+:|#)/.test(target)) return all;
    const [path = '', anchor] = target.split('#');
    const there = pageOf(posix.join(posix.dirname(file), path));
    if (there === undefined) return label;
    return `[${label}](${linkBetween(page, there)}${anchor ? `#${anchor}` : ''})`;
  };
  return outsideFences(text, (part) => part.replace(PICTURE, '').replace(LINK, linked));
}
