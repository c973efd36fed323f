// Schemas for a sandbox's input, in process and over HTTP: options, fault rules, commands. Errors
// name the field, the rule and the nearest known name.
import * as v from 'valibot';
import { badInput, didYouMean } from '../../core/errors/index.ts';

/** Schemas for all fields of an object. A missing or extra one doesn't compile. */
export type MembersOf<T> = {
  readonly [Name in keyof T]-?: v.GenericSchema<unknown, T[Name]>;
};

/**
 * Returns the value if the schema accepts it.
 *
 * @param name name of the value in errors that aren't about a particular field
 * @throws InputError with the first field that breaks a rule. Unknown names come first
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
 * The object has exactly these fields.
 *
 * @param meant wrong names that users try, each with the right one. Others are found by similarity
 */
export function membersSchema<const Entries extends v.ObjectEntries>(
  entries: Entries,
  meant: Readonly<Record<string, string>> = {},
): v.GenericSchema<unknown, v.InferOutput<v.StrictObjectSchema<Entries, undefined>>> {
  // An object without a prototype has no `toString` and no `__proto__`.
  const known: Entries = Object.assign(Object.create(null) as object, entries);
  const members = v.strictObject(known, ({ expected, path }: v.StrictObjectIssue) => {
    if (expected === 'Object') return 'must be an object';
    if (expected !== 'never') return 'is missing';
    return (
      'is an unknown ' +
      `field${suggestion(String(path?.at(-1)?.key), Object.keys(entries), meant)}`
    );
  });
  // valibot treats an array as an object without members
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

/** `what` replaces a list that would be too long to read. */
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
 * The kind depends on the fields. `other` checks anything else, and by default requires one of
 * them.
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

/** `advice` describes the bounds. */
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

/** `advice` describes the bounds. */
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
