// Configures how the site's search splits, matches and ranks. The tests use the same settings.

/** Words that the search ignores. */
const EMPTY = new Set(
  'a an and after are at be by can do does for from happens has have how i if in is it me my of on or show that the there this to use what when which who why with you your'.split(
    ' ',
  ),
);

/** Words that people search for, with the manual's word for the same thing. */
const SAME: Readonly<Record<string, string>> = {
  pagination: 'pages',
  paginate: 'pages',
  fake: 'mock',
  stub: 'mock',
  amounts: 'money',
  verify: 'signature',
  hook: 'hooks',
  log: 'logging',
  nextjs: 'next',
  unpkg: 'cdn',
  jsdelivr: 'cdn',
};

/** Lowers the rank of pages that mention almost every word, so guides come first. */
const weightOf = (id: string): number =>
  /\/(changes|licence|project\/|manual\/sandbox\/provenance)/.test(id)
    ? 0.1
    : /\/(reference\/|manual\/.+\/(in-detail|what-binds))/.test(id)
      ? 0.3
      : 1;

/** Returns a search word with its synonym, or null if the search ignores the word. */
function processTerm(word: string): string | string[] | null {
  const term = word.toLowerCase();
  if (EMPTY.has(term)) return null;
  return SAME[term] ? [term, SAME[term]] : term;
}

export const SEARCH = {
  processTerm,
  fuzzy: (term: string): number | boolean => (term.length > 5 ? 0.2 : false),
  prefix: (term: string): boolean => term.length > 2,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: weightOf,
} as const;

/** How many results the tests look at. Few people read more. */
export const SHOWN_HITS = 3;
