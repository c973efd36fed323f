import * as v from 'valibot';
import { badField, unknownMember, ValidationError, type Violation } from '../core/errors/index.ts';
import type { SchemaStructure, Shape } from '../core/http/index.ts';
import { type Rows, type UnreadableRow, withUnreadable } from '../core/lists/index.ts';
import type { Extendable, KnownTexts } from './resource.ts';

// Helpers for describing the service's JSON with valibot schemas and for parsing JSON with them.
// The types make the compiler check each schema against its interface, so a missing, extra or
// wrongly typed field doesn't compile.

export type SchemaOf<T> = v.GenericSchema<unknown, T>;

export type Maybe<T> = v.SchemaWithPipe<
  readonly [v.NullishSchema<SchemaOf<T>, undefined>, v.TransformAction<unknown, T | undefined>]
>;

/**
 * Schema for a string that has one of the known values `K` or any other value. The type is
 * invariant in `K`.
 */
export interface OpenText<K extends string> extends SchemaOf<K | (string & {})> {
  /** Carries the type for the compiler. Never present at runtime. */
  readonly '~known': (text: K) => K;
}

type KnownOf<T> = T extends string ? (string extends T ? never : T) : never;
type MemberOf<T> = [KnownOf<T>] extends [never]
  ? SchemaOf<T>
  : string extends T
    ? OpenText<KnownOf<T>>
    : SchemaOf<T>;

/** Fields that the schema for `T` must have. A draft's `extra` field is checked separately. */
export type EntriesOf<T> = {
  readonly [K in Exclude<keyof T, 'extra'>]-?: {} extends Pick<T, K>
    ? Maybe<Exclude<T[K], undefined>>
    : MemberOf<T[K]>;
};

/** Schema for an object in a response. Unknown fields are accepted. */
export type ObjectSchema<T> = v.LooseObjectSchema<EntriesOf<T>, undefined>;

/** Schema for a draft. Unknown fields are rejected. */
export type DraftSchema<T> = v.StrictObjectSchema<EntriesOf<T>, undefined>;

export type ListSchema<T> = v.ArraySchema<ObjectSchema<T>, undefined>;

/** Creates the schema for an optional field. Converts null to `undefined`. */
export function maybe<T>(schema: SchemaOf<T>): Maybe<T> {
  const read = (value: T | null | undefined) => value ?? undefined;
  return v.pipe(v.nullish(schema), v.transform(read)) as never;
}

/**
 * Creates a schema for a string with known values that also accepts any other value. Each resource
 * lists its known values in `known`, which only the drift check uses.
 */
export function openText<K extends string>(): OpenText<K> {
  return v.string() as never;
}

/** Validates a time, which remains a string. An invalid time is accepted and reported as drift. */
export const TimeSchema: SchemaOf<string> = v.string();

/**
 * Pairs an `OpenText` schema with a table of all its known values. The compiler reports missing
 * values.
 */
export function knownTexts<K extends string>(
  schema: OpenText<K>,
  texts: Readonly<Record<NoInfer<K>, unknown>>,
): KnownTexts {
  return [schema, texts];
}

export interface WirePage<T> {
  readonly items: readonly T[];
  readonly count?: number | undefined;
  readonly isCountUnknown?: boolean | undefined;
}

export function makePage<T>(item: SchemaOf<T>): ObjectSchema<WirePage<T>> {
  return v.looseObject({
    items: v.array(item),
    count: maybe(v.number()),
    isCountUnknown: maybe(v.boolean()),
  }) as never;
}

/** Rejects strings that are too short for the service. */
export function atLeast(length: number): v.MinLengthAction<string, number, string> {
  return v.minLength(length, `must be at least ${length} characters`);
}

/** Rejects strings that are too long for the service. */
export function atMost(length: number): v.MaxLengthAction<string, number, string> {
  return v.maxLength(length, `must be at most ${length} characters`);
}

/** Returns a case-insensitive pattern for a word, because patterns in JSON Schema have no flags. */
export function inAnyCase(word: string): string {
  return word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

const REQUIRED = 'is required';

/**
 * A violated cross-field rule, with the path of the field and the advice for fixing it. Without
 * advice, the field is required.
 */
export type BrokenRule = readonly [path: string, advice?: string];

/** Cross-field rules for a draft of type `T`. */
export type DraftRules<T> = v.RawCheckAction<v.InferOutput<DraftSchema<T>>>;

/**
 * Creates cross-field rules for a draft. They're separate from the draft's schema, so users can
 * still apply `omit` and `pick` to the schema. `v.pipe(schema, rules)` validates both.
 */
export function draftRules<T>(
  broken: (value: T) => readonly (BrokenRule | false)[],
): DraftRules<T> {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const rule of broken(dataset.value))
      if (rule) addIssue({ path: stepsTo(rule[0], dataset.value), message: rule[1] ?? REQUIRED });
  }) as never;
}

type Steps = [v.IssuePathItem, ...v.IssuePathItem[]];

function stepsTo(path: string, input: unknown): Steps {
  const step = (key: string): v.IssuePathItem => ({
    type: 'unknown',
    origin: 'value',
    input,
    key,
    value: undefined,
  });
  return path.split('.').map(step) as Steps;
}

/** A response's parsed value. A list also reports its unreadable rows. */
type Read<T> = T extends readonly (infer Row)[] ? Rows<Row> : T;

/**
 * Creates a response shape, which tolerates some invalid parts:
 *
 * - An optional string, number, boolean or string array is omitted if it has the wrong type.
 * - A list row with any other invalid part is moved to `unreadable`.
 *
 * Everything else is strict, including optional objects such as amounts, rates or payments.
 * Omitting them would make it look as if there were no fee, or as if no payment had been received.
 * The drift check gets the raw response and reports the omitted parts.
 */
export function makeAnswer<T>(schema: SchemaOf<T>): Shape<Read<T>> {
  return {
    schema: schema as Shape<T>['schema'],
    read: (json) => readBy(schema, json, mend) as Read<T>,
  };
}

/** The JSON without its invalid parts, and the list rows that were omitted. */
interface Mended {
  readonly json: unknown;
  readonly unreadable: readonly UnreadableRow[];
}

/** Omits the invalid parts of a response. Returns `undefined` if a part can't be omitted. */
function mend(schema: SchemaStructure, given: unknown, issues: Issues): Mended | undefined {
  const json: unknown = structuredClone(given);
  const isPage = !!schema.entries?.['items']?.item;
  const wrong = new Set<unknown>();
  for (const { path = [] } of issues) {
    const steps = path.map(({ key }) => key);
    // The fields of a page are strict, because a wrong count would hide rows.
    if (!(isPage && steps.length === 1) && leaveOut(schema, json, steps)) continue;
    const index = steps[isPage ? 1 : 0];
    if (typeof index !== 'number') return undefined;
    wrong.add(index);
  }
  if (wrong.size === 0) return { json, unreadable: [] };
  const unreadable = rowsIn(given).flatMap((row, index) =>
    wrong.has(index) ? [{ index, row }] : [],
  );
  const rows = rowsIn(json).filter((_, index) => !wrong.has(index));
  return { json: isPage ? { ...(json as object), items: rows } : rows, unreadable };
}

function rowsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : (value as WirePage<unknown>).items;
}

/** Removes the field at an issue's path if it's optional and can't contain objects. */
function leaveOut(schema: SchemaStructure, json: unknown, steps: readonly unknown[]): boolean {
  let at: SchemaStructure | undefined = schema;
  let holder = json as Record<string, unknown>;
  for (const step of steps as readonly string[]) {
    at = at.wrapped ?? at;
    at = at.item ?? at.entries?.[step];
    if (!at) return false;
    // Don't omit a field that has a default, such as the state, because its absence has a meaning.
    if (at.wrapped && at.default === undefined && isBare(at.wrapped))
      return Reflect.deleteProperty(holder, step);
    holder = holder[step] as Record<string, unknown>;
  }
  return false;
}

function isBare({ entries, item }: SchemaStructure): boolean {
  return !entries && (!item || isBare(item));
}

export function makeShape<T>(schema: SchemaOf<T>): Shape<T> {
  return { schema: schema as Shape<T>['schema'], read: (json) => readBy(schema, json) };
}

/**
 * Creates a draft's shape from its schema and its cross-field rules. The fields in `extra` are
 * added to the request.
 */
export function makeDraftShape<T extends Extendable>(
  schema: DraftSchema<T>,
  rules?: DraftRules<T>,
): Shape<T> {
  const whole: SchemaOf<T> = (rules ? v.pipe(schema, rules as never) : schema) as never;
  return {
    schema: schema as never,
    read(json) {
      if (!isPlain(json)) return readBy(whole, json);
      const { extra, ...draft } = json;
      const unknown: Violation[] = [];
      const known = keepKnown(schema as never, draft, '', unknown);
      if (unknown.length > 0) throw new ValidationError([...wrongIn(schema, known), ...unknown]);
      const read = readBy(whole, known);
      return extra === undefined ? read : { ...read, ...readExtra(extra, schema.entries) };
    },
  };
}

/**
 * Validates and returns the fields in `extra`. They must not replace any of the schema's fields.
 */
function readExtra(extra: unknown, entries: object): object {
  if (!isPlain(extra)) throw badField('extra', 'must be an object');
  const known = [...Object.keys(entries), 'extra', '__proto__', 'constructor', 'prototype'];
  for (const name of Object.keys(extra)) {
    const same = known.find((one) => one.toLowerCase() === name.toLowerCase());
    if (same) throw badField(`extra.${name}`, `must not use the reserved name ${same}`);
  }
  return extra;
}

export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the violations in fields that are present. Missing fields aren't reported, because an
 * unknown field may be a misspelling of one.
 */
function wrongIn(schema: unknown, draft: unknown): readonly Violation[] {
  return violationsIn(schema as never, draft).filter(
    ({ code }) => code !== 'INVALID_DATA_REQUIRED',
  );
}

/**
 * Returns the draft without unknown fields, and adds a violation for each of them to `unknown`. A
 * field set to `undefined` counts as absent, as in JSON.
 */
function keepKnown(
  schema: SchemaStructure,
  value: unknown,
  path: string,
  unknown: Violation[],
): unknown {
  const { entries, item, type, wrapped } = schema;
  if (wrapped) return keepKnown(wrapped, value, path, unknown);
  if (Array.isArray(value) && type?.endsWith('_object'))
    unknown.push(...badField(path.slice(0, -1), 'must be an object, not an array').violations);
  if (item && Array.isArray(value))
    return value.map((one, at) => keepKnown(item, one, `${path}${at}.`, unknown));
  if (type !== 'strict_object' || !isPlain(value)) return value;
  const names = Object.keys(entries!);
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && !names.includes(name))
      unknown.push(...unknownMember(path + name, names).violations);
  return Object.fromEntries(
    names
      .filter((name) => name in value)
      .map((name) => [name, keepKnown(entries![name]!, value[name], `${path}${name}.`, unknown)]),
  );
}

/** Makes valibot report all violations, regardless of its global configuration. */
const CONFIG = { abortEarly: false, abortPipeEarly: false };

type Issues = readonly v.BaseIssue<unknown>[];

/**
 * Parses JSON with a schema. Throws a `ValidationError` for invalid parts, unless `mends` can omit
 * them.
 */
export function readBy<T>(schema: SchemaOf<T>, json: unknown, mends?: typeof mend): T {
  // valibot treats an array as an object with no fields.
  if (Array.isArray(json) && schema.type.endsWith('_object'))
    throw badField('body', 'must be an object');
  const { issues, output } = v.safeParse(schema, json, CONFIG);
  if (!issues) return output;
  const mended = mends?.(schema as never, json, issues);
  if (!mended) throw new ValidationError(issues.map(toViolation));
  const read = readBy(schema, mended.json);
  withUnreadable(rowsIn(read), mended.unreadable);
  return read;
}

/** Returns all parts of `json` that violate the schema. */
export function violationsIn(schema: SchemaStructure, json: unknown): readonly Violation[] {
  return v.safeParse(schema as never, json, CONFIG).issues?.map(toViolation) ?? [];
}

/**
 * Converts a valibot issue to a violation, which contains the field and the rule but never the
 * value.
 */
function toViolation(issue: v.BaseIssue<unknown>): Violation {
  const { kind, type, path, received, expected, message, requirement } = issue;
  const field = path?.map(({ key }) => String(key)).join('.') || 'body';
  if (received === 'undefined' || message === REQUIRED)
    return { field, code: 'INVALID_DATA_REQUIRED', advice: REQUIRED };
  const [, bound] = /^(min|max)_length$/.exec(type) ?? [];
  if (bound)
    return {
      field,
      code: `INVALID_DATA_${bound.toUpperCase()}LENGTH`,
      advice: message,
      values: { [`${bound}Length`]: requirement },
    };
  const example = /(^|\.)amount$/.test(field) ? " like { amount: '12.50', currency: 'EUR' }" : '';
  const wanted = expected === 'Object' ? `an object${example}` : expected;
  const advice = kind === 'schema' ? `must be ${wanted}` : message;
  return { field, code: 'INVALID_DATA_VALUE', advice };
}
