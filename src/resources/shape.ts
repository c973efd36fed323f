import * as v from 'valibot';
import { type Breach, type Drift, Misfit, type Shape } from '../core/row.ts';

// The one place that knows valibot and the wire's habits. The types make a forgotten, invented, too wide,
// too narrow or wrongly optional member of a schema fail to compile against its model.

/** A schema whose reading yields a `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

/** Made by `maybe` only. */
export interface Maybe<T> extends v.OptionalSchema<SchemaOf<T>, undefined> {
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

/** A member that may be absent, null or undefined: all three read as absent. */
export function maybe<T>(schema: SchemaOf<T>): Maybe<T> {
  return v.optional(v.pipe(v.nullable(schema), v.transform((value) => value ?? undefined))) as never;
}

/** A text with known values that admits any other. */
export function open<const K extends string>(known: readonly K[]): OpenText<K> {
  return v.pipe(v.string(), v.metadata({ known })) as never;
}

/** An object of an answer: unknown members stay where the service put them. */
export function answer<T extends object>(entries: EntriesOf<T>): SchemaOf<T> {
  return v.looseObject(entries as never) as never;
}

/** An object of a request: what the service bounds is checked, what it may add later passes. */
export function draft<T extends object>(entries: EntriesOf<T>): SchemaOf<T> {
  return v.looseObject(entries as never) as never;
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
    read(json, drift) {
      const result = v.safeParse(schema, json, { abortPipeEarly: true });
      if (!result.success) throw new Misfit(result.issues.map(breachOf));
      if (drift) walk(schema as never, json, '', drift);
      return result.output;
    },
  };
}

type Issue = v.BaseIssue<unknown>;

function breachOf(issue: Issue): Breach {
  const field = issue.path?.map((step) => String(step.key)).join('.') || 'body';
  const bound = typeof issue.requirement === 'number' ? issue.requirement : undefined;
  if (issue.received === 'undefined') return { field, code: 'INVALID_DATA_REQUIRED', advice: 'is required' };
  if (issue.type === 'max_length')
    return { field, code: 'INVALID_DATA_MAXLENGTH', advice: `must be at most ${bound} characters`, values: { maxLength: bound } };
  if (issue.type === 'min_length')
    return { field, code: 'INVALID_DATA_MINLENGTH', advice: `must be at least ${bound} characters`, values: { minLength: bound } };
  if (issue.type === 'regex' || issue.type === 'check') return { field, code: 'INVALID_DATA_VALUE', advice: issue.message };
  return { field, code: 'INVALID_DATA_VALUE', advice: `must be ${issue.expected ?? 'something else'}` };
}

/** As much of a valibot schema as finding drift needs. */
interface Anatomy {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Anatomy>>;
  readonly wrapped?: Anatomy;
  readonly item?: Anatomy;
  readonly pipe?: readonly Anatomy[];
  readonly metadata?: { readonly known?: readonly string[] };
}

function walk(schema: Anatomy, value: unknown, field: string, drift: (finding: Drift) => void): void {
  if (value === null || value === undefined) return;
  for (const part of schema.pipe?.slice(1) ?? [])
    if (part.metadata?.known && !part.metadata.known.includes(value as string))
      drift({ field, kind: 'unknown-value', text: String(value).slice(0, 64) });
  const inner = schema.wrapped ?? (schema.pipe?.[0] !== schema ? schema.pipe?.[0] : undefined);
  if (inner) return walk(inner, value, field, drift);
  if (schema.item) for (const item of value as readonly unknown[]) walk(schema.item, item, `${field}[]`, drift);
  if (schema.entries) walkMembers(schema.entries, value as Readonly<Record<string, unknown>>, field, drift);
}

function walkMembers(entries: Readonly<Record<string, Anatomy>>, value: Readonly<Record<string, unknown>>, field: string, drift: (finding: Drift) => void): void {
  for (const [name, member] of Object.entries(value)) {
    const path = field === '' ? name : `${field}.${name}`;
    const known = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (known) walk(known, member, path, drift);
    else drift({ field: path, kind: 'unknown-field', text: name.slice(0, 64) });
  }
}
