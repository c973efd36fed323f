import { badField, badInput, type ValidationError } from './errors.ts';

// Unknown names are refused: a misspelt option or member would have no effect, and nobody would
// notice. The error says which known name was probably meant.

/**
 * Returns the known name that was probably meant: the same one in another case, one that differs in
 * few letters, or the shortest that contains it, as `callTimeout` contains `timeout`. Returns
 * `undefined` if no name is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const small = name.toLowerCase();
  let nearest: string | undefined;
  let least = Infinity;
  for (const one of known) {
    const other = one.toLowerCase();
    const edits = editsBetween(small, other);
    const isPart = small.length > 2 && other.includes(small);
    if (edits < least && (isPart || edits * 3 <= small.length)) {
      least = edits;
      nearest = one;
    }
  }
  return nearest;
}

/** Returns how many letters must be added, dropped or replaced; `Infinity` for a long text. */
function editsBetween(one: string, other: string): number {
  if (one.length > 64) return Infinity; // the work grows with the product of both lengths
  let row = [...other, ''].map((_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + +(one[i - 1] !== other[j - 1]),
      );
    row = next;
  }
  return row[other.length]!;
}

/** Returns ` (did you mean callTimeout?)`, or an empty text if no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}

/**
 * Returns the error of a member that is not known there.
 *
 * @param path where it is: names of members joined by dots; its own name is the last
 */
export function unknownMember(path: string, known: Iterable<string>): ValidationError {
  return badField(path, adviceOn(path.slice(path.lastIndexOf('.') + 1), known));
}

/**
 * Checks the names of options. A name without a value passes: programs spread options that they
 * leave open.
 *
 * @param path where the options are, as the beginning of each name in errors, such as `rateLimits.`
 */
export function checkOptions(given: unknown, known: Iterable<string>, path: string = ''): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null)
    throw badInput(path.slice(0, -1) || 'options', 'must be an object of options');
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && ![...known].includes(name))
      throw badInput(path + name, adviceOn(name, known));
}

function adviceOn(name: string, known: Iterable<string>): string {
  return `is an unknown member${didYouMean(name, known)}`;
}
