import * as v from 'valibot';
import { type Breach, Misfit, type Shape } from '../core/row.ts';

// The one place that knows valibot and the wire's habits. The types make a forgotten, invented, too wide,
// too narrow or wrongly optional member of a schema fail to compile against its model.

/** A schema whose reading yields a `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

/** Made by `maybe` only. */
export interface Maybe<T> extends SchemaOf<T | undefined> {
  readonly '~maybe': true;
}

/** Made by `open` only; invariant in the known texts. */
export interface OpenText<K extends string> extends SchemaOf<K | (string & {})> {
  readonly '~known': (text: K) => K;
}

type KnownOf<T> = T extends string ? (string extends T ? never : T) : never;
type Reads<T> = [KnownOf<T>] extends [never] ? SchemaOf<T> : string extends T ? OpenText<KnownOf<T>> : SchemaOf<T>;

/** The schema members that a model asks for. */
export type EntriesOf<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? Maybe<Exclude<T[K], undefined>> : Reads<T[K]>;
};

/**
 * A member that may be absent, null or undefined: all three read as absent, or as what stands for that. What `nullish` and `transform` say in a pipe,
 * said at once: most members are such, and a page of answers has hundreds.
 */
export function maybe<T>(schema: SchemaOf<T>, absent?: NoInfer<T>): Maybe<T> {
  const { kind, expects, async, '~run': run } = schema;
  const read: typeof run = (dataset, config) => (isAbsent(dataset.value) ? { typed: true, value: absent as T } : run.call(schema, dataset, config));
  return { kind, async, expects, type: 'nullish', reference: maybe, wrapped: schema, '~run': read } as never;
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

/** A text with known values that admits any other. The values themselves are listed in `drift.ts`, for whoever looks for news. */
export function open<K extends string>(): OpenText<K> {
  return v.string() as never;
}

/**
 * An object of an answer: unknown members stay where the service put them. As valibot's `looseObject`, but faster: every
 * answer goes through here.
 */
export function answer<T extends object>(entries: EntriesOf<T>): SchemaOf<T> {
  const schema = v.never() as unknown as SchemaOf<T>;
  const { '~run': refuse } = schema;
  const members = Object.entries(entries).map(([key, member]) => ({ key, member }) as Member);
  const run: typeof refuse = (dataset, config) => {
    if (typeof dataset.value !== 'object' || dataset.value === null) return refuse.call(schema, dataset, config);
    return readMembers(dataset as object as Reading, members, config) as never;
  };
  return Object.assign(schema, { type: 'loose_object', expects: 'an object', entries, '~run': run });
}

interface Member {
  readonly key: string;
  readonly member: SchemaOf<unknown>;
}

/** What a schema writes into while it reads. */
interface Reading {
  typed: boolean;
  value: object;
  issues?: Issue[];
}

/** Names with which an object would stand for something else. */
const UNSAFE = ['__proto__', 'prototype', 'constructor'];

/** Reads each member, in a copy; what is wrong with one is said with its place. */
function readMembers(reading: Reading, members: readonly Member[], config: v.Config<Issue>): Reading {
  const value: Record<string, unknown> = { ...reading.value };
  reading.value = value;
  reading.typed = true;
  for (const name of UNSAFE) if (Object.hasOwn(value, name)) delete value[name];
  for (const { key, member } of members) {
    const given = value[key];
    const { typed, value: read, issues } = member['~run']({ typed: false, value: given }, config);
    if (read !== given) value[key] = read;
    if (!typed) reading.typed = false;
    if (issues) reading.issues = [...(reading.issues ?? []), ...issues.map((issue) => placed(issue, { type: 'object', origin: 'value', input: value, key, value: given }))];
  }
  return reading;
}

function placed(issue: Issue, step: v.IssuePathItem): Issue {
  return { ...issue, path: [step, ...(issue.path ?? [])] };
}

/** An object of a request: what the service bounds is checked, what it may add later passes. */
export const draft: typeof answer = answer;

export const text: SchemaOf<string> = v.string();

/** A text of so many characters. */
export function sized(least: number, most: number = Infinity): SchemaOf<string> {
  return v.pipe(v.string(), v.minLength(least), v.maxLength(most));
}

/** A rule that a draft breaks: the member, and what it must be; `undefined`: it is missing. */
export type Broken = readonly [field: string, mustBe: string | undefined];

/** A draft whose members depend on each other. */
export function ruled<T extends object>(schema: SchemaOf<T>, broken: (value: T) => readonly (Broken | false)[]): SchemaOf<T> {
  const check = v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const rule of broken(dataset.value)) {
      if (!rule) continue;
      const [key, expected] = rule;
      const path = [{ type: 'object', origin: 'value', input: dataset.value, key, value: undefined }];
      addIssue({ ...(expected ? { expected } : { received: 'undefined' }), path } as never);
    }
  });
  return v.pipe(schema, check);
}

/** A list page as the service wraps it. */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly count?: number | undefined;
  readonly isCountUnknown?: boolean | undefined;
}

export function pageOf<T>(item: SchemaOf<T>): SchemaOf<WirePage<T>> {
  return answer<WirePage<T>>({ items: v.array(item), count: maybe(v.number()), isCountUnknown: maybe(v.boolean()) } as never);
}

/** Core's view of a schema: reads or throws a `Misfit` that holds paths and rules, never values. */
export function shapeOf<T>(schema: SchemaOf<T>): Shape<T> {
  return {
    schema,
    read(json) {
      const read = schema['~standard'].validate(json) as { readonly value: T; readonly issues?: readonly Issue[] };
      if (read.issues) throw new Misfit(read.issues.map(breachOf));
      return read.value;
    },
  };
}

type Issue = v.BaseIssue<unknown>;

function breachOf(issue: Issue): Breach {
  const field = issue.path?.map((step) => String(step.key)).join('.') || 'body';
  const { type, received, requirement } = issue;
  if (received === 'undefined') return { field, code: 'INVALID_DATA_REQUIRED', advice: 'is required' };
  const [, bound] = /^(max|min)_length$/.exec(type) ?? [];
  if (bound) {
    const advice = `must be at ${bound === 'max' ? 'most' : 'least'} ${requirement} characters`;
    return { field, code: `INVALID_DATA_${bound.toUpperCase()}LENGTH`, advice, values: { [`${bound}Length`]: requirement } };
  }
  return { field, code: 'INVALID_DATA_VALUE', advice: type === 'regex' ? issue.message : `must be ${issue.expected}` };
}
