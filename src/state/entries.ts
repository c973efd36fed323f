import type { AnyEntry } from './entry.ts';

/** The entries of a hub, one for each resource that is watched, by its name and id. */
export type Entries = Map<string, AnyEntry>;

export function keyOf(resource: string, id: string): string {
  return `${resource} ${id}`;
}

/** False also where another entry of the same resource was made since. */
export function hasEntry(entries: Entries, entry: AnyEntry): boolean {
  return entries.get(keyOf(entry.type.name, entry.id)) === entry;
}

export function removeEntry(entries: Entries, entry: AnyEntry): void {
  if (hasEntry(entries, entry)) entries.delete(keyOf(entry.type.name, entry.id));
}

/** Moves an entry to the end: the first ones are those that were looked at longest ago. */
export function moveToEnd(entries: Entries, entry: AnyEntry): void {
  removeEntry(entries, entry);
  entries.set(keyOf(entry.type.name, entry.id), entry);
}
