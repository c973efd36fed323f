// The words after `npm test --` choose tests. A word that means nothing is refused: it would
// otherwise run nothing and look like success.
import { relative, resolve } from 'node:path';

export interface Leg {
  readonly names: readonly string[];
  /** The files that the leg can run; legs such as `lint` have none. */
  readonly files?: readonly string[] | undefined;
}

export interface Choice {
  isWanted(name: string): boolean;
  /** No file means all. */
  readonly files: readonly string[];
}

/** A word that cannot be meant. */
export class UnknownWord extends Error {}

const isFileName = (word: string): boolean => /[/\\]|\.[cm]?[jt]sx?$/.test(word);

/** Counts the letters that have to be put in, taken out or replaced. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to++) {
      const replaced = row[to - 1]! + (letter === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

/** The known names that are most like a word. */
export function nearestTo(word: string, known: readonly string[], count = 3): readonly string[] {
  const last = (name: string): string => name.split('/').at(-1)!;
  const distance = (name: string): number =>
    Math.min(
      distanceBetween(word, name),
      distanceBetween(word, name.slice(0, word.length)),
      distanceBetween(last(word), last(name)),
    );
  return known
    .map((name) => ({ name, distance: distance(name) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/** Finds the legs and files that the words choose. */
export function choose(words: readonly string[], legs: readonly Leg[], root: string): Choice {
  const names = legs.flatMap((leg) => leg.names);
  const allFiles = [...new Set(legs.flatMap((leg) => leg.files ?? []))];
  const legWords = words.filter((word) => !isFileName(word));
  const files = words
    .filter(isFileName)
    .map((word) => ({ word, file: relative(root, resolve(root, word)).replaceAll('\\', '/') }));
  for (const word of legWords)
    if (!names.some((name) => name.startsWith(word)))
      throw new UnknownWord(
        `There is no leg "${word}". Did you mean ${nearestTo(word, names).join(', ')}? ` +
          `The legs are ${names.join(', ')}.`,
      );
  for (const { word, file } of files)
    if (!allFiles.includes(file))
      throw new UnknownWord(
        `There is no test file "${word}". Did you mean ${nearestTo(file, allFiles).join(', ')}?`,
      );
  // A leg such as `lint`, which takes no files, runs along with them where it is named.
  const has = ({ files: own }: Leg): boolean =>
    own ? files.some(({ file }) => own.includes(file)) : legWords.length > 0;
  const isMeant = (name: string): boolean =>
    legWords.length === 0 || legWords.some((word) => name.startsWith(word));
  const chosen = legs.filter((leg) => leg.names.some(isMeant) && (files.length === 0 || has(leg)));
  for (const { word, file } of files)
    if (!chosen.some((leg) => leg.files?.includes(file)))
      throw new UnknownWord(
        `${legWords.join(', ')} cannot run ${word}: it runs in ` +
          `${legs
            .filter((leg) => leg.files?.includes(file))
            .flatMap((leg) => leg.names)
            .join(', ')}.`,
      );
  for (const word of legWords)
    if (!chosen.some((leg) => leg.names.some((name) => name.startsWith(word))))
      throw new UnknownWord(`${word} can run none of ${files.map((one) => one.word).join(', ')}.`);
  const wanted = new Set(chosen.flatMap((leg) => leg.names).filter(isMeant));
  return { isWanted: (name) => wanted.has(name), files: files.map(({ file }) => file) };
}
