import type { AnyEndpoint, SchemaStructure } from '../../core/http/index.ts';
import type { Randomness } from '../world/world.ts';
import type { OutgoingResponse } from '../world/responses.ts';

/** Changes a correct response while it's in transit. */
export type Rewrite =
  /** Cuts the body in half. The response otherwise looks complete. */
  | 'truncated'
  /** Removes the body and keeps the status. */
  | 'empty'
  /** Sets the content type to `text/plain`. */
  | 'wrong-type'
  /** Adds an undocumented field to each object in the body. */
  | 'extra-members'
  /** Removes all optional fields from the body. */
  | 'missing-members'
  /** Sets all optional fields in the body to null. */
  | 'null-members'
  /** Replaces states, types and other enum values with undocumented ones. */
  | 'unknown-values'
  /** Converts an error response's `data.status` to a string. */
  | 'text-status'
  /** Inverts the `deliverySuccess` field of events. */
  | 'wrong-success'
  /** Shuffles the items on a list page. */
  | 'shuffled'
  | {
      /** Maximum number of items per page. Overrides the request's `$top`. */
      readonly page: number;
    }
  | {
      /** Makes a list's `count` unknown or absent, or adds this number to it. */
      readonly count: 'unknown' | 'absent' | number;
    }
  | {
      /**
       * Maximum number of fraction digits in timestamps. `varied` mixes 0, 3, 5 and 6 digits.
       * Stored timestamps don't change.
       */
      readonly digits: number | 'varied';
    }
  | {
      /** Milliseconds to add to the `date` header. May be negative. */
      readonly date: number;
    }
  | {
      /** Replaces the success status with this one, from 200 to 299. 204 removes the body. */
      readonly as: number;
    }
  | {
      /**
       * Headers to set, or to remove if the value is null. To simulate a header that was sent
       * twice, join two values with a comma.
       */
      readonly headers: Readonly<Record<string, string | null>>;
    };

interface RewriteParts {
  readonly row: AnyEndpoint | undefined;
  readonly random: Randomness;
}

type Json = Record<string, unknown>;
type Change = (outgoing: OutgoingResponse, parts: RewriteParts) => OutgoingResponse;

type NamedRewrite = Extract<Rewrite, string>;

const BY_NAME: Readonly<Record<NamedRewrite, Change>> = {
  truncated: (outgoing) => ({
    ...outgoing,
    body: outgoing.body?.slice(0, outgoing.body.length >> 1) ?? null,
  }),
  empty: (outgoing) => ({ ...outgoing, body: null }),
  'wrong-type': (outgoing) => withHeaders(outgoing, { 'content-type': 'text/plain' }),
  'extra-members': onJson((json) =>
    eachObject(json, (object) => {
      object['somethingNew'] = { of: 'today' };
    }),
  ),
  'missing-members': onJson((json, { row }) =>
    optionalMembers(row, json, (object, name) => {
      delete object[name];
    }),
  ),
  'null-members': onJson((json, { row }) =>
    optionalMembers(row, json, (object, name) => {
      object[name] = null;
    }),
  ),
  'unknown-values': onJson((json) =>
    eachMember(json, (name, value) =>
      typeof value === 'string' && /(?:state|result|type|policy|version)$/i.test(name)
        ? 'SOMETHING_NEW'
        : value,
    ),
  ),
  'text-status': onJson((json) =>
    eachMember(json, (name, value) => (name === 'status' ? String(value) : value)),
  ),
  'wrong-success': onJson((json) =>
    eachMember(json, (name, value) => (name === 'deliverySuccess' ? !value : value)),
  ),
  shuffled: onJson((json, { random }) => onItems(json, (items) => shuffle(items, random))),
};

export const rewriteNames: readonly NamedRewrite[] = /* @__PURE__ */ Object.keys(
  BY_NAME,
) as NamedRewrite[];

export function applyRewrite(
  outgoing: OutgoingResponse,
  rewrite: Rewrite,
  parts: RewriteParts,
): OutgoingResponse {
  return makeChange(rewrite)(outgoing, parts);
}

function makeChange(rewrite: Rewrite): Change {
  if (typeof rewrite === 'string') return BY_NAME[rewrite];
  if ('page' in rewrite)
    return onJson((json) => onItems(json, (items) => items.slice(0, rewrite.page)));
  if ('count' in rewrite) return onJson((json) => recount(json, rewrite.count));
  if ('digits' in rewrite)
    return onJson((json, { random }) =>
      eachMember(json, (_, value) => cutTime(value, rewrite.digits, random)),
    );
  if ('headers' in rewrite) return (outgoing) => withHeaders(outgoing, rewrite.headers);
  if ('date' in rewrite)
    return (outgoing) =>
      withHeaders(outgoing, {
        date: new Date(Date.parse(outgoing.headers['date'] ?? '') + rewrite.date).toUTCString(),
      });
  return (outgoing) => (outgoing.status < 300 ? { ...outgoing, status: rewrite.as } : outgoing);
}

/** Changes bodies that are JSON objects or arrays. Leaves all other bodies unchanged. */
function onJson(change: (json: Json, parts: RewriteParts) => void): Change {
  return (outgoing, parts) => {
    if (!/^[{[]/.test(outgoing.body ?? '')) return outgoing;
    const json = JSON.parse(outgoing.body!) as Json;
    change(json, parts);
    return { ...outgoing, body: JSON.stringify(json) };
  };
}

function onItems(json: Json, change: (items: readonly unknown[]) => readonly unknown[]): void {
  if (Array.isArray(json['items'])) json['items'] = change(json['items']);
}

function recount(json: Json, count: 'unknown' | 'absent' | number): void {
  if (!('items' in json)) return;
  if (count === 'absent') delete json['count'];
  else if (count === 'unknown') Object.assign(json, { count: 0, isCountUnknown: true });
  else json['count'] = Math.max(0, (json['count'] as number) + count);
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;
const DIGITS = [0, 3, 5, 6];

/** Truncates the fractional seconds of a timestamp. Never adds digits. */
function cutTime(value: unknown, digits: number | 'varied', random: Randomness): unknown {
  const [, second, fraction = '', zone] = typeof value === 'string' ? (TIME.exec(value) ?? []) : [];
  if (second === undefined) return value;
  const most =
    digits === 'varied'
      ? DIGITS[random.below(DIGITS.length, 'digits', random.next('digits'))]!
      : digits;
  const kept = fraction.slice(0, most);
  return `${second}${kept && `.${kept}`}${zone}`;
}

function shuffle(items: readonly unknown[], random: Randomness): readonly unknown[] {
  const all = [...items];
  for (let left = all.length; left > 1; left--) {
    const drawn = random.below(left, 'shuffle', random.next('shuffle'));
    [all[left - 1], all[drawn]] = [all[drawn], all[left - 1]];
  }
  return all;
}

function withHeaders(
  outgoing: OutgoingResponse,
  headers: Readonly<Record<string, string | null>>,
): OutgoingResponse {
  const all = Object.entries({ ...outgoing.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return { ...outgoing, headers: Object.fromEntries(all) };
}

type Members = Record<string, unknown>;

function eachObject(json: unknown, change: (object: Members) => void): void {
  if (typeof json !== 'object' || json === null) return;
  for (const value of Object.values(json)) eachObject(value, change);
  if (!Array.isArray(json)) change(json as Members);
}

/** Replaces every field value that isn't an object with the result of `change`. */
function eachMember(json: unknown, change: (name: string, value: unknown) => unknown): void {
  eachObject(json, (object) => {
    for (const [name, value] of Object.entries(object))
      if (typeof value !== 'object') object[name] = change(name, value);
  });
}

/** Calls `change` for each optional field in a response, even if the field is absent. */
function optionalMembers(
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
