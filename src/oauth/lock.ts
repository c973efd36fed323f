import type { Lock } from './model.ts';

/** As much of the browser's lock manager as is used. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** In a page the browser's own locks, which all its tabs share; elsewhere a line in this process. */
export function usualLock(): Lock {
  const { document, navigator } = globalThis as { readonly document?: unknown; readonly navigator?: { readonly locks?: Locks } };
  const locks = document === undefined ? undefined : navigator?.locks;
  return locks ? (name, work) => locks.request(name, work) : createLine();
}

/** One work after the other, by name. */
function createLine(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work);
    last.set(name, turn.catch(() => {}));
    return turn;
  };
}
