import { type Connection, stateOf } from './connection.ts';

type Listener = (id: string) => void;

function listenersOf(connection: Connection): Set<Listener> {
  return stateOf(connection, 'core.changes', () => new Set());
}

/** Tells those who follow something without a watch that it may have changed; ids are unique. */
export function tellListeners(connection: Connection, id: string): void {
  for (const listener of listenersOf(connection)) listener(id);
}

/** Hears what may have changed, until what it returns is called. */
export function listenToChanges(connection: Connection, listener: Listener): () => void {
  const listeners = listenersOf(connection).add(listener);
  return () => void listeners.delete(listener);
}
