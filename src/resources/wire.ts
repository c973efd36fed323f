import * as v from 'valibot';
import { badField, unknownMember, ValidationError, type Violation } from '../core/errors/index.ts';
import type { SchemaStructure, Shape } from '../core/http/index.ts';
import { type Rows, type UnreadableRow, withUnreadable } from '../core/lists/index.ts';
import type { Extendable, KnownTexts } from './resource.ts';

// This file says in valibot's terms how the service writes its JSON: what may be absent, which
// texts may get new values, pages, lengths, and rules between members. It also reads JSON for core
// by such a schema. A member of a schema that is forgotten, invented, too wide, too narrow or
// wrongly optional does not compile against its interface.

/** A schema that reads `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

/** A member that may be absent. */
export type Maybe<T> = v.SchemaWithPipe<
  readonly [v.NullishSchema<SchemaOf<T>, undefined>, v.TransformAction<unknown, T | undefined>]
>;

/** Reads a text with known values `K` and any other. It is invariant in `K`. */
export interface OpenText<K extends string> extends SchemaOf<K | (string & {})> {
  /** Carries the type for the compiler; no schema has this member at run time. */
  readonly '~known': (text: K) => K;
}

type KnownOf<T> = T extends string ? (string extends T ? never : T) : never;
type MemberOf<T> = [KnownOf<T>] extends [never]
  ? SchemaOf<T>
  : string extends T
    ? OpenText<KnownOf<T>>
    : SchemaOf<T>;

/** The members that the schema of `T` must have; `extra` of a draft is checked apart. */
export type EntriesOf<T> = {
  readonly [K in Exclude<keyof T, 'extra'>]-?: {} extends Pick<T, K>
    ? Maybe<Exclude<T[K], undefined>>
    : MemberOf<T[K]>;
};

/** The schema of an interface: members that are new to it pass. */
export type ObjectSchema<T> = v.LooseObjectSchema<EntriesOf<T>, undefined>;

/** The schema of a draft: members that are not known are refused. */
export type DraftSchema<T> = v.StrictObjectSchema<EntriesOf<T>, undefined>;

/** The schema of a list without pages. */
export type ListSchema<T> = v.ArraySchema<ObjectSchema<T>, undefined>;

/** Reads a member that may be absent, or null, which becomes `undefined`. */
export function maybe<T>(schema: SchemaOf<T>): Maybe<T> {
  const read = (value: T | null | undefined) => value ?? undefined;
  return v.pipe(v.nullish(schema), v.transform(read)) as never;
}

/**
 * Reads a text with known values and any other. Each resource lists the known values in `known`,
 * where only the check for drift reads them.
 */
export function openText<K extends string>(): OpenText<K> {
  return v.string() as never;
}

/**
 * Reads a time, which stays the text that it is: one that cannot be read passes and is drift.
 * `millisOf` and `ticksOf` interpret it, and return `undefined` for such a text.
 */
export const TimeSchema: SchemaOf<string> = v.string();

/** Pairs an open text with a table of all its known texts. A missing one does not compile. */
export function knownTexts<K extends string>(
  schema: OpenText<K>,
  texts: Readonly<Record<NoInfer<K>, unknown>>,
): KnownTexts {
  return [schema, texts];
}

/** A list page as the service wraps it. */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly count?: number | undefined;
  readonly isCountUnknown?: boolean | undefined;
}

/** Reads a page of such items. */
export function makePage<T>(item: SchemaOf<T>): ObjectSchema<WirePage<T>> {
  return v.looseObject({
    items: v.array(item),
    count: maybe(v.number()),
    isCountUnknown: maybe(v.boolean()),
  }) as never;
}

/** Refuses a shorter text, as the service does. */
export function atLeast(length: number): v.MinLengthAction<string, number, string> {
  return v.minLength(length, `must be at least ${length} characters`);
}

/** Refuses a longer text, as the service does. */
export function atMost(length: number): v.MaxLengthAction<string, number, string> {
  return v.maxLength(length, `must be at most ${length} characters`);
}

/** Returns a pattern for a word in small or capital letters: JSON Schema knows no flags. */
export function inAnyCase(word: string): string {
  return word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** The advice for a member that is missing. */
const REQUIRED = 'is required';

/** Names a member by its path and says what to do; without advice, the member is required. */
export type BrokenRule = readonly [path: string, advice?: string];

/** Rules between the members of the draft `T`. */
export type DraftRules<T> = v.RawCheckAction<v.InferOutput<DraftSchema<T>>>;

/**
 * Makes rules between members. They are not part of the draft's schema, so that users can omit and
 * pick its members; `v.pipe(schema, rules)` checks both.
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

/**
 * The value that a schema reads; rows of a list without pages may include some that could not be
 * read.
 */
type Read<T> = T extends readonly (infer Row)[] ? Rows<Row> : T;

/**
 * Makes what core needs of the schema of an answer. One wrong member must not hide the rest:
 *
 * - A text, a number, a flag or a list of texts that may be absent reads as absent where it is of
 *   another type: the service does not say it in a way that can be read.
 * - A row of a list in which anything else is wrong is in `unreadable` of its rows.
 *
 * Everything else is strict, also what may be absent and holds objects: money, rates, payments.
 * Their absence would say that there is no fee, or that nothing came in. The check for drift gets
 * the answer as it came, and reports what was left out.
 */
export function makeAnswer<T>(schema: SchemaOf<T>): Shape<Read<T>> {
  return {
    schema: schema as Shape<T>['schema'],
    read: (json) => readBy(schema, json, mend) as Read<T>,
  };
}

/** A value without what was wrong in it, and the rows that were left out. */
interface Mended {
  readonly json: unknown;
  readonly unreadable: readonly UnreadableRow[];
}

/** Leaves out what is wrong; returns `undefined` where something must not be left out. */
function mend(schema: SchemaStructure, given: unknown, issues: Issues): Mended | undefined {
  const json: unknown = structuredClone(given);
  const isPage = !!schema.entries?.['items']?.item;
  const wrong = new Set<unknown>();
  for (const { path = [] } of issues) {
    const steps = path.map(({ key }) => key);
    // the count of a page is strict: a list that ends too early would hide rows
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

/** Removes the member on the way to an issue that may be absent and contains no objects. */
function leaveOut(schema: SchemaStructure, json: unknown, steps: readonly unknown[]): boolean {
  let at: SchemaStructure | undefined = schema;
  let holder = json as Record<string, unknown>;
  for (const step of steps as readonly string[]) {
    at = at.wrapped ?? at;
    at = at.item ?? at.entries?.[step];
    if (!at) return false;
    // an absent state that means PENDING is not a state that cannot be read
    if (at.wrapped && at.default === undefined && isBare(at.wrapped))
      return Reflect.deleteProperty(holder, step);
    holder = holder[step] as Record<string, unknown>;
  }
  return false;
}

function isBare({ entries, item }: SchemaStructure): boolean {
  return !entries && (!item || isBare(item));
}

/** Makes what core needs of a schema. */
export function makeShape<T>(schema: SchemaOf<T>): Shape<T> {
  return { schema: schema as Shape<T>['schema'], read: (json) => readBy(schema, json) };
}

/**
 * Makes what core needs of the schema of a draft and of the rules between its members. Members of
 * `extra` are sent with the others.
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

/** Returns the members of `extra`. None may stand in for a member that the schema checks. */
function readExtra(extra: unknown, entries: object): object {
  if (!isPlain(extra)) throw badField('extra', 'must be an object');
  const known = [...Object.keys(entries), 'extra', '__proto__', 'constructor', 'prototype'];
  for (const name of Object.keys(extra)) {
    const same = known.find((one) => one.toLowerCase() === name.toLowerCase());
    if (same) throw badField(`extra.${name}`, `must not name ${same}, which this version knows`);
  }
  return extra;
}

/** Tells whether a value is an object and no list. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns what is wrong with members that are there. In `{ amount: 12.5, currency }` the number is
 * the mistake, though `currency` is unknown. Absent members are left out, since one of the unknown
 * names may be theirs, misspelt.
 */
function wrongIn(schema: unknown, draft: unknown): readonly Violation[] {
  return violationsIn(schema as never, draft).filter(
    ({ code }) => code !== 'INVALID_DATA_REQUIRED',
  );
}

/**
 * Returns the draft without the members that it does not have, and adds these to `unknown`. A
 * member without a value counts as absent, as in JSON.
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

/** Names every broken rule, whatever the program sets for valibot globally. */
const CONFIG = { abortEarly: false, abortPipeEarly: false };

type Issues = readonly v.BaseIssue<unknown>[];

/** Returns what `json` says by the schema; throws a `ValidationError` unless `mends` mends it. */
export function readBy<T>(schema: SchemaOf<T>, json: unknown, mends?: typeof mend): T {
  // valibot takes an array for an object that lacks these members
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

/** Names everything in `json` that the schema does not allow. */
export function violationsIn(schema: SchemaStructure, json: unknown): readonly Violation[] {
  return v.safeParse(schema as never, json, CONFIG).issues?.map(toViolation) ?? [];
}

/** Names the member and the rule; it never repeats the value. */
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
