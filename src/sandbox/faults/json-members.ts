import type { AnyEndpoint, SchemaStructure } from '../../core/http/index.ts';

type Members = Record<string, unknown>;

/** Changes every object of a JSON value in place. */
export function eachObject(json: unknown, change: (object: Members) => void): void {
  if (typeof json !== 'object' || json === null) return;
  for (const value of Object.values(json)) eachObject(value, change);
  if (!Array.isArray(json)) change(json as Members);
}

/** Replaces every member that is no object by what `change` returns. */
export function eachMember(json: unknown, change: (name: string, value: unknown) => unknown): void {
  eachObject(json, (object) => {
    for (const [name, value] of Object.entries(object))
      if (typeof value !== 'object') object[name] = change(name, value);
  });
}

/** Calls `change` for every member, there or not, that the endpoint's response may lack. */
export function optionalMembers(
  row: AnyEndpoint | undefined,
  json: unknown,
  change: (object: Members, name: string) => void,
): void {
  if (row?.output?.schema) walk(row.output.schema, json, change);
}

function walk(
  schema: SchemaStructure,
  value: unknown,
  change: (object: Members, name: string) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  if (schema.wrapped) return walk(schema.wrapped, value, change);
  if (schema.item) for (const item of value as readonly unknown[]) walk(schema.item, item, change);
  for (const [name, member] of Object.entries(schema.entries ?? {})) {
    if (member.type === 'nullish') change(value as Members, name);
    walk(member, (value as Members)[name], change);
  }
}
