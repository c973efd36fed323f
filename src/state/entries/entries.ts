import type { AnyEntry } from './entry.ts';

/**
 * The entries of a hub, one for each resource that is watched: by its id, or by its name and id
 * where another resource has the same id.
 */
export type Entries = Map<string, AnyEntry>;

export function keyOf(resource: string, id: string): string {
  return `${resource} ${id}`;
}

export function findEntry(entries: Entries, resource: string, id: string): AnyEntry | undefined {
  const entry = entries.get(id);
  return entry?.type.name === resource ? entry : entries.get(keyOf(resource, id));
}

export function addEntry(entries: Entries, entry: AnyEntry): void {
  const { id, type } = entry;
  entries.set(entries.has(id) ? keyOf(type.name, id) : id, entry);
}

/** False also where another entry of the same resource was made since. */
export function hasEntry(entries: Entries, entry: AnyEntry): boolean {
  return findEntry(entries, entry.type.name, entry.id) === entry;
}

export function removeEntry(entries: Entries, entry: AnyEntry): void {
  const { id, type } = entry;
  for (const key of [id, keyOf(type.name, id)]) if (entries.get(key) === entry) entries.delete(key);
}

/** Moves an entry to the end: the first ones are those that were looked at longest ago. */
export function moveToEnd(entries: Entries, entry: AnyEntry): void {
  removeEntry(entries, entry);
  addEntry(entries, entry);
}
