import * as v from 'valibot';
import type { Shape } from '../core/http/index.ts';
import { type Violation, ValidationError } from '../core/errors/index.ts';

// The one place that knows valibot and the wire's habits. The types make a forgotten, invented, too
// wide, too narrow or wrongly optional member of a schema fail to compile against its model.

/** What a member of an object is read by. */
export type MemberOf<T> = v.GenericSchema<unknown, T>;

/** A schema made here. Core reads requests and responses by it. */
export type SchemaOf<T> = MemberOf<T> & Shape<T>;

/** Made by `maybe` only. */
export interface Maybe<T> extends MemberOf<T | undefined> {
  readonly '~maybe': true;
}

/** Made by `openText` only; invariant in the known texts. */
export interface OpenText<K extends string> extends MemberOf<K | (string & {})> {
  readonly '~known': (text: K) => K;
}

type KnownOf<T> = T extends string ? (string extends T ? never : T) : never;
type Reads<T> = [KnownOf<T>] extends [never]
  ? MemberOf<T>
  : string extends T
    ? OpenText<KnownOf<T>>
    : SchemaOf<T>;

/** The schema members that a model asks for. */
export type EntriesOf<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? Maybe<Exclude<T[K], undefined>> : Reads<T[K]>;
};

type Issue = v.BaseIssue<unknown>;
type Config = v.Config<Issue>;

/** What a schema has read. */
interface Reading {
  typed: boolean;
  readonly value: unknown;
  issues?: Issue[] | undefined;
}

/**
 * A schema in valibot's protocol with a reading of our own, which gives nothing for a value of
 * another kind; `anatomy` shows what it is made of. Less code than valibot's, and faster: every
 * response goes through here.
 */
function schemaOf<T>(
  anatomy: object,
  read: (value: unknown, config: Config) => Reading | undefined,
): SchemaOf<T> {
  const schema = v.never();
  const { '~run': refuse } = schema;
  const run: typeof refuse = (dataset, config) =>
    (read(dataset.value, config) as never) ?? refuse.call(schema, dataset, config);
  return Object.assign(schema, anatomy, {
    '~run': run,
    schema,
    read(json: unknown) {
      const { value, issues } = readBy(schema, json, {});
      if (issues) throw new ValidationError(issues.map(violationOf));
      return value;
    },
  }) as never;
}

function readBy(schema: MemberOf<unknown>, value: unknown, config: Config): Reading {
  return schema['~run']({ typed: false, value }, config) as Reading;
}

/**
 * A member that may be absent, null or undefined: all three read as absent, or as what stands for
 * that.
 */
export function maybe<T>(schema: MemberOf<T>, absent?: NoInfer<T>): Maybe<T> {
  return schemaOf({ type: 'nullish', wrapped: schema }, (value, config) =>
    value === null || value === undefined
      ? { typed: true, value: absent }
      : readBy(schema, value, config),
  ) as MemberOf<T | undefined> as Maybe<T>;
}

/**
 * A text with known values that admits any other. The known ones stand in `resource.ts`, where only
 * the drift check reads them.
 */
export function openText<K extends string>(): OpenText<K> {
  return v.string() as never;
}

type Member = readonly [key: string | number, schema: MemberOf<unknown>];

/** An object of a response: unknown members stay where the service put them. */
export function response<T extends object>(entries: EntriesOf<T>): SchemaOf<T> {
  const members = Object.entries(entries) as Member[];
  return schemaOf({ type: 'loose_object', expects: 'an object', entries }, (value, config) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? readMembers({ ...value }, members, config)
      : undefined,
  );
}

/** An array of what one schema reads. */
export function array<T>(item: MemberOf<T>): SchemaOf<T[]> {
  return schemaOf({ type: 'array', expects: 'Array', item }, (value, config) =>
    Array.isArray(value)
      ? readMembers(
          [...value] as never,
          value.map((_, at) => [at, item]),
          config,
        )
      : undefined,
  );
}

/** Names with which an object would stand for something else. */
const UNSAFE = ['__proto__', 'prototype', 'constructor'];

/** Reads each member of what was copied, in its place. */
function readMembers(
  value: Record<string, unknown>,
  members: readonly Member[],
  config: Config,
): Reading {
  const reading: Reading = { typed: true, value };
  for (const name of UNSAFE) if (Object.hasOwn(value, name)) delete value[name];
  for (const [key, schema] of members) {
    const given = value[key];
    const { typed, value: read, issues } = readBy(schema, given, config);
    if (read !== given) value[key] = read;
    if (!typed) reading.typed = false;
    if (issues) for (const issue of issues) addIssue(reading, issue, key);
  }
  return reading;
}

/**
 * Adds what is wrong with a member, with its place; with the value itself, where `key` is empty.
 */
function addIssue(reading: Reading, issue: Issue, key: string | number): void {
  const { path = [] } = issue;
  const step = { type: 'object', origin: 'value', input: reading.value, key };
  (reading.issues ??= []).push({ ...issue, path: (key === '' ? path : [step, ...path]) as never });
}

/** An object of a request: what the service bounds is checked, what it may add later passes. */
export const draft: typeof response = response;

export const text: MemberOf<string> = v.string();

/**
 * A rule that is broken: the member (`''`: the value itself), what to do (`undefined`: give it),
 * and the code, if it is a special one.
 */
type Broken = readonly [
  field: string,
  advice: string | undefined,
  code?: Violation['code'],
  values?: Violation['values'],
];

/** What a schema reads, where that breaks none of the rules. */
export function withRules<T>(
  schema: MemberOf<T>,
  broken: (value: T) => readonly (Broken | false)[],
): SchemaOf<T> {
  const { '~standard': _, ...anatomy } = schema;
  return schemaOf(anatomy, (input, config) => {
    const reading = readBy(schema, input, config);
    for (const rule of reading.typed ? broken(reading.value as T) : []) {
      if (!rule) continue;
      const [key, advice, type = 'INVALID_DATA_VALUE', requirement] = rule;
      const received = advice ? 'another' : 'undefined';
      addIssue(
        reading,
        {
          kind: 'validation',
          type,
          input,
          expected: null,
          received,
          message: advice ?? 'is required',
          requirement,
        },
        key,
      );
    }
    return reading;
  });
}

/** So many characters, or items. */
export function withLength<T extends { readonly length: number } = string>(
  least: number,
  most: number = Infinity,
  schema: MemberOf<T> = text as never,
): SchemaOf<T> {
  return withRules(schema, ({ length }) => [
    length < least && outOf('min', 'least', least),
    length > most && outOf('max', 'most', most),
  ]);
}

function outOf(bound: 'min' | 'max', word: string, length: number): Broken {
  return [
    '',
    `must be at ${word} ${length} characters`,
    `INVALID_DATA_${bound.toUpperCase()}LENGTH`,
    { [`${bound}Length`]: length },
  ];
}

/** A text of this form; `advice` says of which. */
export function withPattern(
  form: RegExp,
  advice: string,
  schema: MemberOf<string> = text,
): SchemaOf<string> {
  return withRules(schema, (value) => [!form.test(value) && ['', advice]]);
}

/** A list page as the service wraps it. */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly count?: number | undefined;
  readonly isCountUnknown?: boolean | undefined;
}

export function pageOf<T>(item: MemberOf<T>): SchemaOf<WirePage<T>> {
  return response<WirePage<T>>({
    items: array(item),
    count: maybe(v.number()),
    isCountUnknown: maybe(v.boolean()),
  } as never);
}

function violationOf({
  kind,
  type,
  path,
  received,
  expected,
  message,
  requirement,
}: Issue): Violation {
  const field = path?.map((step) => String(step.key)).join('.') || 'body';
  if (received === 'undefined')
    return { field, code: 'INVALID_DATA_REQUIRED', advice: 'is required' };
  if (kind === 'schema')
    return { field, code: 'INVALID_DATA_VALUE', advice: `must be ${expected}` };
  return { field, code: type, advice: message, values: requirement as Violation['values'] };
}
