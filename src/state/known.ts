import { meaningOf } from '../core/errors/index.ts';
import type { CallAnswer } from '../core/http/index.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import type { AnyEntry } from './entry.ts';

/**
 * The entries of a hub, one for each resource that is watched: by its id, or by its name and id
 * where another resource has the same id. An id in either case finds the same entry.
 */
export type Entries = Map<string, AnyEntry>;

export function keyOf(resource: string, id: string): string {
  return `${resource} ${idKey(id)}`;
}

export function findEntry(entries: Entries, resource: string, id: string): AnyEntry | undefined {
  const entry = entries.get(idKey(id));
  return entry?.type.name === resource ? entry : entries.get(keyOf(resource, id));
}

export function addEntry(entries: Entries, entry: AnyEntry): void {
  const id = idKey(entry.id);
  entries.set(entries.has(id) ? keyOf(entry.type.name, id) : id, entry);
}

/** False also where another entry of the same resource was made since. */
export function hasEntry(entries: Entries, entry: AnyEntry): boolean {
  return findEntry(entries, entry.type.name, entry.id) === entry;
}

export function removeEntry(entries: Entries, entry: AnyEntry): void {
  const id = idKey(entry.id);
  for (const key of [id, keyOf(entry.type.name, id)])
    if (entries.get(key) === entry) entries.delete(key);
}

/** Moves an entry to the end: the first ones are those that were looked at longest ago. */
export function moveToEnd(entries: Entries, entry: AnyEntry): void {
  removeEntry(entries, entry);
  addEntry(entries, entry);
}

// What this client's own calls were told enters its watches like a read of that moment.

/** The values of this resource that an answer holds. `isBare`: as reads of the watch bring them. */
export function valuesIn<T>(
  { watch }: Watchable<T>,
  { endpoint, value }: CallAnswer,
  isBare: boolean,
): readonly T[] {
  if (value === undefined) return [];
  const schema = endpoint.output?.schema;
  const found =
    schema === watch.shape.schema
      ? [value as T]
      : schema && schema === watch.page?.schema
        ? (value as { readonly items: readonly T[] }).items
        : [];
  return isBare && watch.bare ? found.map((one) => watch.bare!(one)) : found;
}

/** The answer says that this was made just now. */
export function isCreation({ endpoint, refusal }: CallAnswer): boolean {
  return endpoint.method === 'POST' && refusal === undefined;
}

/**
 * Ids of what has changed by an answer that does not show it: a command was accepted without a body,
 * or refused because of the state that something is in.
 */
export function changedBy({ endpoint, where, value, refusal }: CallAnswer): readonly string[] {
  const { idempotency, original } = endpoint;
  const isCommand = idempotency === 'same-request' || idempotency === 'convergent';
  const isAccepted = !refusal && value === undefined && isCommand;
  if (!isAccepted && !(refusal && tellsState(refusal.code, original?.code))) return [];
  return [where, value, refusal?.values].flatMap(idsOf);
}

function tellsState(code: string, original: string | undefined): boolean {
  const { exists, isState } = meaningOf(code);
  return code === original || exists === true || isState === true;
}

/** Members whose names end in `id`. */
function idsOf(given: unknown): readonly string[] {
  return Object.entries(Object(given) as object).flatMap(([name, value]: [string, unknown]) =>
    /id$/i.test(name) && typeof value === 'string' ? [value] : [],
  );
}

/** Recent answers by the ids in them: thousands of watches may begin at once. */
export class AnswerIndex {
  #indexed: readonly CallAnswer[] | undefined;
  #count: number = 0;
  readonly #byId: Map<string, CallAnswer[]> = new Map();

  /** Those that name this id. `answers` grows at its end, or is another array. */
  about(id: string, answers: readonly CallAnswer[]): readonly CallAnswer[] {
    if (answers !== this.#indexed) {
      this.#byId.clear();
      this.#count = 0;
      this.#indexed = answers;
    }
    for (; this.#count < answers.length; this.#count++) this.#add(answers[this.#count]!);
    return this.#byId.get(idKey(id)) ?? [];
  }

  #add(answer: CallAnswer): void {
    const { where, value, refusal } = answer;
    const ids = [where, value, refusal?.values].flatMap(idsOf);
    for (const key of new Set(ids.map(idKey))) {
      const known = this.#byId.get(key);
      if (known) known.push(answer);
      else this.#byId.set(key, [answer]);
    }
  }
}

/** Notes what was announced lately: a first read may come from a copy that does not show it. */
export function keepRecent(recent: Map<string, number>, key: string, now: number): void {
  recent.delete(key);
  recent.set(key, now);
  for (const [earlier, at] of recent) {
    if (at >= now - LAG_MS) break;
    recent.delete(earlier);
  }
}
