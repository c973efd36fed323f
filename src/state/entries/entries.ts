import { idKey } from '../../resources/resource.ts';
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
