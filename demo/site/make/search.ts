// How the search weighs what it finds; the page and the test of the twenty questions use the same.

/** Words that say nothing about what is wanted. */
const EMPTY = new Set(
  'a an and after are at be by can do does for from happens has have how i if in is it me my of on or show that the there this to use what when which who why with you your'.split(
    ' ',
  ),
);

/** Usual words of the field, and what the manual calls the same. */
const SAME: Readonly<Record<string, string>> = {
  pagination: 'pages',
  paginate: 'pages',
  fake: 'mock',
  stub: 'mock',
  amounts: 'money',
  verify: 'signature',
  hook: 'hooks',
  log: 'logging',
};

/** Pages that mention everything: they come after those that explain it. */
const weightOf = (id: string): number =>
  /\/(changes|licence|project\/|manual\/sandbox\/provenance)/.test(id)
    ? 0.1
    : /\/(reference\/|manual\/state\/plan|manual\/.+\/(in-detail|what-binds))/.test(id)
      ? 0.3
      : 1;

/** A word of the question; a word that says nothing is left out, and one with another name is both. */
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

/** An answer has to be among so many hits: nobody reads further. */
export const SHOWN_HITS = 3;
