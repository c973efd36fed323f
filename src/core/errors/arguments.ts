import { badField, badInput, type ValidationError } from './errors.ts';

// Validates the arguments of public functions at runtime, because JavaScript callers can pass
// anything. Unknown option names are rejected, because a misspelled option would silently have no
// effect.

type TypeName<T> = T extends string
  ? 'string'
  : T extends number
    ? 'number'
    : T extends boolean
      ? 'boolean'
      : T extends null
        ? 'null'
        : T extends AbortSignal
          ? 'signal'
          : T extends ((...args: never) => unknown) | (abstract new (...args: never) => unknown)
            ? 'function'
            : T extends readonly unknown[]
              ? 'array'
              : 'object';

type Kind = string | readonly string[] | { readonly [name: string]: Kind };

/**
 * The expected type of a field, or several types joined with `|`. A trailing exclamation mark makes
 * the field required.
 */
type KindOf<T, Need extends string> =
  | 'any'
  | `any${Need}`
  | `${TypeName<T>}${Need}`
  | `${TypeName<T>}|${TypeName<T>}${Need}`
  | readonly (T & string)[]
  | ([Extract<T, object>] extends [never] ? never : Expected<Extract<T, object>>);

/**
 * An object's fields and their expected values. A value is described by a type such as `number` or
 * `string|function`, by a list of allowed strings, or by nested fields. `!` marks a required field.
 * Use `any` for fields that other code validates with a better error. The compiler rejects
 * descriptions that don't match type `T`.
 */
export type Expected<T> = {
  readonly [K in keyof T as K extends string ? K : never]-?: KindOf<
    Exclude<T[K], undefined>,
    {} extends Pick<T, K> ? '' : '!'
  >;
};

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const isSignal = typeof (value as AbortSignal).addEventListener === 'function';
  return isSignal && 'aborted' in (value as AbortSignal) ? 'signal' : typeof value;
}

/** Describes a value only by its type, because the value itself may be a secret. */
export function nameOfType(value: unknown): string {
  return value === undefined ? 'undefined' : inWord(typeName(value));
}

function inWord(name: string): string {
  if (name === 'null') return name;
  if (name === 'signal') return 'an AbortSignal';
  return `${/^[ao]/.test(name) ? 'an' : 'a'} ${name}`;
}

/**
 * Validates an argument. Throws an `InputError` with the argument's name, the rule and the type of
 * the invalid value.
 *
 * @param field name of the argument, such as `options` or `rateLimits.read`
 * @param kind the expected value, in the format described at `Expected`
 */
export function checkArgument(field: string, value: unknown, kind: Kind): void {
  if (value === undefined && !`${kind}`.endsWith('!')) return;
  if (typeof kind === 'object' && !Array.isArray(kind))
    return checkOptions(value, kind as Expected<object>, `${field}.`);
  const names = typeof kind === 'string' ? kind.replace('!', '').split('|') : [];
  if (value === undefined || (value === '' && kind === 'string!'))
    throw badInput(field, `is required${names[0] === 'any' ? '' : `: ${inWords(names)}`}`);
  if (names[0] === 'any' || names.includes(typeName(value))) return;
  if (names.includes('object') && typeName(value) === 'signal') return;
  if (Array.isArray(kind)) {
    if (kind.includes(value as string)) return;
    const hint = typeof value === 'string' ? didYouMean(value, kind) : '';
    throw badInput(field, `must be one of ${kind.join(', ')}${hint}`);
  }
  throw badInput(field, `must be ${inWords(names)}, not ${nameOfType(value)}`);
}

/** Checks that an argument, such as a custom clock, has the required methods. */
export function checkMethods(field: string, value: unknown, ...names: readonly string[]): void {
  const given = Object(value) as Readonly<Record<string, unknown>>;
  for (const name of names) checkArgument(`${field}.${name}`, given[name], 'function!');
}

function inWords(names: readonly string[]): string {
  return names.map(inWord).join(' or ');
}

/**
 * Checks the names and types of options. Accepts options set to `undefined`.
 *
 * @param path prefix of each name in errors, such as `rateLimits.`
 */
export function checkOptions<T>(given: unknown, members: Expected<T>, path: string = ''): void {
  const known: Readonly<Record<string, Kind>> = members;
  if (given === undefined) return;
  if (given === null || typeName(given) !== 'object')
    throw badInput(path.slice(0, -1) || 'options', `must be an object, not ${nameOfType(given)}`);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !Object.hasOwn(known, name))
      throw badInput(path + name, adviceOn(name, Object.keys(known)));
  for (const [name, kind] of Object.entries(known))
    checkArgument(path + name, (given as Readonly<Record<string, unknown>>)[name], kind);
}

/**
 * Returns the known name that the caller probably meant, if any. Candidates are names that differ
 * only in case or a few letters, and names that contain the given one, such as `callTimeout` for
 * `timeout`. The closest one is returned.
 */
function nearestName(name: string, known: Iterable<string>): string | undefined {
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

/**
 * Returns the edit distance between two strings, which is the number of letters to insert, delete
 * or replace.
 */
function editsBetween(one: string, other: string): number {
  if (one.length > 64) return Infinity; // the running time grows with the product of both lengths
  const row = [...other, ''].map((_, at) => at);
  for (const letter of one) {
    let before = row[0]!++;
    for (let j = 1; j < row.length; j++) {
      const least = Math.min(row[j]!, row[j - 1]!) + 1;
      const changed = before + +(letter !== other[j - 1]);
      before = row[j]!;
      row[j] = Math.min(least, changed);
    }
  }
  return row.at(-1)!;
}

/** Returns ` (did you mean callTimeout?)`, or an empty string. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}

/**
 * Returns the error for an unknown field.
 *
 * @param path location of the unknown field, with dots between the names
 */
export function unknownMember(path: string, known: Iterable<string>): ValidationError {
  return badField(path, adviceOn(path.slice(path.lastIndexOf('.') + 1), known));
}

function adviceOn(name: string, known: Iterable<string>): string {
  return `is an unknown field${didYouMean(name, known)}`;
}
