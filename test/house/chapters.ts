// The manual: which chapter explains which entry.
import { tableIn } from './documents.ts';
import { type Entry, entries } from './entries.ts';

/** The purpose of each entry, in few words: the table of the root README has it. */
const PURPOSES: ReadonlyMap<string, string> = new Map(
  tableIn('README.md', 'entry', 'what it is for').map(([entry, purpose]) => [
    /`(.+)`/.exec(entry!)![1]!,
    purpose!,
  ]),
);

/** The room of an entry; files at the top of `src` are explained by the rooms that they gather. */
function roomOf({ javascript }: Entry): string {
  const [, first = '', rest] = javascript.split('/');
  if (first === 'generated') return 'resources';
  return rest ? first : first === 'index.js' ? 'core' : 'resources';
}

/** The chapter that explains an entry, from the top of the project. */
export const chapterOf = (entry: Entry): string => `src/${roomOf(entry)}/README.md`;

/** Single resources have one row, so have languages; those of frameworks are in the row of the elements. */
export const rowOf = ({ specifier, isForFramework }: Entry): string =>
  isForFramework
    ? 'paystate/elements'
    : specifier.replace(/^(paystate\/(?:operations|messages)\/).+/, '$1…');

/** Returns the purpose of an entry; empty where the table has no row for it. */
export const purposeOf = (entry: Entry): string => PURPOSES.get(rowOf(entry)) ?? '';

/** Entries without a purpose, and purposes without an entry. */
export const undescribed = (): readonly string[] => {
  const names = entries.map(rowOf);
  return [
    ...names.filter((name) => !PURPOSES.has(name)),
    ...[...PURPOSES.keys()].filter((name) => !names.includes(name)),
  ];
};
