// Schemas for a sandbox's options, fault rules and commands, in process and over HTTP. Errors
// contain the field, the rule and the closest known name.
import * as v from 'valibot';
import { badInput, didYouMean } from '../../core/errors/index.ts';

/** Schemas for all fields of an object. A missing or extra schema is a compile error. */
export type MembersOf<T> = {
  readonly [Name in keyof T]-?: v.GenericSchema<unknown, T[Name]>;
};

/**
 * Checks a value against a schema and returns it.
 * @param name the value's name in errors that aren't about a particular field
 * @throws InputError with the first invalid field. Unknown fields come first
 */
export function requireValid<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  name: string,
): T {
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  const issue = issues.find(({ expected }) => expected === 'never') ?? issues[0];
  throw badInput(v.getDotPath(issue) ?? name, issue.message);
}

/**
 * Creates a schema for an object with exactly these fields.
 * @param meant common wrong names and the correct ones, for error messages. Other suggestions are
 * based on similarity
 */
export function membersSchema<const Entries extends v.ObjectEntries>(
  entries: Entries,
  meant: Readonly<Record<string, string>> = {},
): v.GenericSchema<unknown, v.InferOutput<v.StrictObjectSchema<Entries, undefined>>> {
  // without a prototype, so that fields like `toString` count as unknown
  const known: Entries = Object.assign(Object.create(null) as object, entries);
  const members = v.strictObject(known, ({ expected, path }: v.StrictObjectIssue) => {
    if (expected === 'Object') return 'must be an object';
    if (expected !== 'never') return 'is missing';
    return (
      'is an unknown ' +
      `field${suggestion(String(path?.at(-1)?.key), Object.keys(entries), meant)}`
    );
  });
  // valibot accepts arrays as objects without fields
  const none = v.custom<never>(() => false, 'must be an object');
  return v.lazy((input) => (Array.isArray(input) ? none : members));
}

function suggestion(
  name: string,
  known: readonly string[],
  meant: Readonly<Record<string, string>>,
): string {
  return Object.hasOwn(meant, name) ? ` (did you mean ${meant[name]}?)` : didYouMean(name, known);
}

/**
 * Creates a schema for a string from a list. Errors show the list, or `what` if the list is too
 * long.
 */
export function wordSchema<const Words extends readonly string[]>(
  words: Words,
  what: string = formatList(words.map((word) => `"${word}"`)),
): v.PicklistSchema<Words, (issue: v.PicklistIssue) => string> {
  return v.picklist(
    words,
    ({ input }) => `must be ${what}${typeof input === 'string' ? didYouMean(input, words) : ''}`,
  );
}

/**
 * Creates a schema for a union. The first name in `kinds` that the object has as a field selects
 * its schema. `other` checks values that aren't objects.
 */
export function kindSchema<T>(
  kinds: Readonly<Record<string, v.GenericSchema<unknown, T>>>,
  other?: v.GenericSchema<unknown, T>,
  meant: Readonly<Record<string, string>> = {},
): v.GenericSchema<unknown, T> {
  const names = Object.keys(kinds);
  const none = v.custom<T>(
    () => false,
    ({ input }) => {
      if (typeof input !== 'object' || input === null) return 'must be an object';
      const [near = ''] = Object.keys(input)
        .map((name) => suggestion(name, names, meant))
        .filter(Boolean);
      return `must have ${formatList(names)}${near}`;
    },
  );
  return v.lazy((input) => {
    if (typeof input !== 'object' || input === null) return other ?? none;
    const name = names.find(
      (one) => Object.hasOwn(input, one) && input[one as keyof typeof input] !== undefined,
    );
    return name === undefined ? none : kinds[name]!;
  });
}

function formatList(words: readonly string[]): string {
  return words.length < 2 ? `${words[0]}` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Creates a schema for a number within bounds. `advice` is the error message. */
export function numberSchema(
  advice: string,
  least: number = -Infinity,
  most: number = Infinity,
): v.GenericSchema<unknown, number> {
  return v.pipe(v.number(advice), v.minValue(least, advice), v.maxValue(most, advice));
}

export function finiteSchema(advice: string): v.GenericSchema<unknown, number> {
  return v.pipe(v.number(advice), v.finite(advice));
}

/** Creates a schema for a number within bounds. `advice` is the error message. */
export function wholeSchema(
  advice: string,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): v.GenericSchema<unknown, number> {
  return v.pipe(
    v.number(advice),
    v.safeInteger(advice),
    v.minValue(least, advice),
    v.maxValue(most, advice),
  );
}

export const durationSchema: v.GenericSchema<unknown, number> = numberSchema(
  'must be a number of milliseconds, 0 or more',
  0,
);

export const textSchema: v.GenericSchema<unknown, string> = v.string('must be a string');

export const textsSchema: v.GenericSchema<unknown, readonly string[]> = v.array(
  textSchema,
  'must be a list of strings',
);

export const flagSchema: v.GenericSchema<unknown, boolean> = v.boolean('must be true or false');

export function mayBe<T>(
  schema: v.GenericSchema<unknown, T>,
): v.GenericSchema<unknown, T | undefined> {
  return v.optional(schema);
}
