// Makes the site's top navigation and sidebars.
import { titleOfRecipe } from '../../../test/house/recipes.ts';
import { manifest } from '../../../test/house/entries.ts';
import { chapters, pageOf, recipesByPart } from './routes.ts';

interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
}

const linkTo = (page: string): string =>
  `/${page.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`;

const titleOf = (pages: ReadonlyMap<string, string>, page: string): string =>
  (/^# (.+)$/m.exec(pages.get(page) ?? '')?.[1] ?? page).replaceAll('`', '');

/**
 * Returns the link to a page. The README's title is just the package's name, so the text of its
 * link is Start.
 */
const item = (pages: ReadonlyMap<string, string>, page: string): Item => ({
  text: page === 'start.md' ? 'Start' : titleOf(pages, page),
  link: linkTo(page),
});

const START = ['start.md', 'program.md', 'troubleshooting.md', 'go-live.md', 'glossary.md'];
const PROJECT = [
  'project/architecture.md',
  'project/demos.md',
  'project/worker-example.md',
  'changes.md',
  'licence.md',
];

/** Returns the top navigation and the sidebars for these pages. */
export function navigationOf(pages: ReadonlyMap<string, string>): object {
  const list = (text: string, files: readonly string[]): Item => ({
    text,
    items: files.map((page) => item(pages, page)),
  });
  const isDetail = (page: string): boolean => /\/(in-detail|what-binds)\.md$/.test(page);
  const ofManual = chapters.map((file) => pageOf(file)!);
  const guides = list(
    'Manual',
    ofManual.filter((page) => !isDetail(page)),
  );
  const details = list('In detail', ofManual.filter(isDetail));
  const below = (folder: string): string[] =>
    [...pages.keys()].filter((page) => page.startsWith(folder) && !page.endsWith('/index.md'));
  const cookbook = Object.entries(recipesByPart).map(([part, names]) => ({
    text: `${part[0]!.toUpperCase()}${part.slice(1)}`,
    items: names.map((name) => ({ text: titleOfRecipe(name), link: `/cookbook/${name}` })),
  }));
  const usual = [list('Get started', START), guides, details, list('About the project', PROJECT)];
  return {
    version: manifest.version,
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Manual', link: '/manual/core', activeMatch: '/manual/' },
      { text: 'Cookbook', link: '/cookbook/', activeMatch: '/cookbook/' },
      { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
      { text: 'Errors', link: '/errors/', activeMatch: '/errors/' },
      {
        text: 'Help',
        items: [
          { text: 'Troubleshooting', link: '/troubleshooting' },
          { text: 'Go-live list', link: '/go-live' },
          { text: 'Glossary', link: '/glossary' },
        ],
      },
    ],
    sidebar: {
      '/cookbook/': cookbook,
      '/reference/': [list('Entry points', below('reference/'))],
      '/errors/': [list('Error codes', below('errors/'))],
      '/': usual,
    },
  };
}
