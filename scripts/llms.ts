// Makes llms.txt, which shows a language model the package's entries, chapters and recipes. Every
// build writes it.
import { chapterOf, purposeOf, rowOf } from '../test/house/chapters.ts';
import { documents, textOfDocument } from '../test/house/documents.ts';
import { entries } from '../test/house/entries.ts';
import { COOKBOOK, RECIPES, taskOf } from '../test/house/recipes.ts';

/** Returns the first paragraph of a document on one line. */
const firstParagraph = (document: string): string =>
  textOfDocument(document)
    .replace(/^# .*\n+/, '')
    .split(/\n\n/)[0]!
    .replaceAll('\n', ' ');

const titleOf = (document: string): string => /^# (.*)$/m.exec(textOfDocument(document))![1]!;

/**
 * Returns the first sentence without links, because a path in a chapter leads nowhere from here.
 */
const summaryOf = (document: string): string => {
  const text = firstParagraph(document).replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
};

const chapters: readonly string[] = [
  ...new Set([
    ...entries.map(chapterOf),
    ...documents.filter((document) => /^src\/.+\/README\.md$/.test(document)),
  ]),
];

const RULES = [
  "An amount is a decimal text with its currency, such as `{ amount: '12.50', currency: 'EUR' }`, never a number.",
  'Every error has `outcome`, which is `not-done` or `unknown`, and `next`, which says what to do. After `unknown` never make a new quote, and never send the command under a new key.',
  'An API key belongs on a server. A page has a token of its own relay.',
  'Programs are ES modules. `createSandbox()` is the whole service in memory: `createClient(sandbox.clientOptions)`. Its time stands still: `await sandbox.run(promise)` and `await sandbox.advance(ms)` move it.',
];

export const llmsText = (): string =>
  [
    '# paystate',
    `> ${firstParagraph('README.md')}`,
    RULES.map((rule) => `- ${rule}`).join('\n'),
    '## Entries',
    [
      ...new Set(
        entries.map((entry) => `- [${rowOf(entry)}](${chapterOf(entry)}): ${purposeOf(entry)}`),
      ),
    ].join('\n'),
    '## Chapters',
    chapters.map((file) => `- [${titleOf(file)}](${file}): ${summaryOf(file)}`).join('\n'),
    '## Recipes',
    Object.values(RECIPES)
      .flatMap((part) => Object.keys(part))
      .map((name) => `- [${name}](${COOKBOOK}/${name}.ts): ${taskOf(name)}`)
      .join('\n'),
    '## Optional',
    [
      '- [OpenAPI 3.1](dist/openapi.json): all requests and responses of the service, for other languages',
      '- [Changes](CHANGELOG.md): what is new',
    ].join('\n'),
    '',
  ]
    .join('\n\n')
    .trimEnd() + '\n';
