// Makes all pages of the site from the project's documents. VitePress renders what `makePages`
// returns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOfDocument } from '../../../test/house/documents.ts';
import { COOKBOOK, taskOf, textOfRecipe, titleOfRecipe } from '../../../test/house/recipes.ts';
import { root } from '../../../test/house/source.ts';
import { codePages } from './codes.ts';
import { programOf, withElement, withPrograms } from './programs.ts';
import { referencePages } from './reference.ts';
import { pageOf, recipesByPart, shownDocuments, withPageLinks } from './routes.ts';
import { withTabs } from './tabs.ts';
import { narrowed } from './width.ts';

type Page = readonly [path: string, markdown: string];

function documentPage(file: string): Page {
  const path = pageOf(file)!;
  const page = withPrograms(withPageLinks(file, textOfDocument(file)));
  return [path, path === 'start.md' ? withTabs(page) : page];
}

/**
 * Returns a recipe's page. The title and the text come from the comment at the top of the recipe's
 * file, and the code block shows the whole file.
 */
function recipePage(name: string): Page {
  const file = `${COOKBOOK}/${name}.ts`;
  const code = textOfRecipe(name);
  const title = titleOfRecipe(name);
  const rest = taskOf(name)
    .slice(title.length)
    .replace(/^[.:]\s*/, '');
  const found = programOf('ts', code)!;
  const program = found.kind ? found : { command: `node ${file}` };
  const fence = `\`\`\`ts\n${code}\`\`\``;
  const sentence = rest && `${rest[0]!.toUpperCase()}${rest.slice(1)}`;
  return [
    pageOf(file)!,
    [
      `# ${title}`,
      // Without `v-pre`, Vue would treat braces in the comment as template syntax.
      ...(sentence ? [`<p v-pre>${sentence.replaceAll('<', '&lt;')}</p>`] : []),
      withElement(fence, program),
      '[All recipes](./index.md)',
      '',
    ].join('\n\n'),
  ];
}

/** Returns the glossary, with the terms of the architecture document. */
function glossaryPage(): Page {
  const part = textOfDocument('src/README.md')
    .split(/^## /m)
    .find((text) => text.startsWith('Words'));
  const rows = [...(part ?? '').matchAll(/^\| ([^|]+?) \| ([^|]+?) \|$/gm)].filter(
    ([, word]) => word !== 'word' && !/^-+$/.test(word!),
  );
  const words = rows.map(([, word, meaning]) => `## ${word}\n\n${sentenceOf(meaning!)}`);
  return [
    'glossary.md',
    ['# Glossary', 'The terms that this manual uses.', ...words, ''].join('\n\n'),
  ];
}

const sentenceOf = (meaning: string): string =>
  `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`.replace('..', '.');

const licencePage = (): Page => [
  'licence.md',
  `# License\n\n\`\`\`text\n${readFileSync(join(root, 'LICENSE'), 'utf8')}\`\`\`\n`,
];

/** Returns every page by its path, such as `manual/flows/pay.md`. */
export function makePages(): ReadonlyMap<string, string> {
  const pages = new Map([
    ...shownDocuments.map(documentPage),
    ...Object.values(recipesByPart).flat().map(recipePage),
    glossaryPage(),
    licencePage(),
    ...codePages(),
    ...referencePages(),
  ]);
  return narrowed(pages);
}
