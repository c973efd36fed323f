interface Listeners {
  readonly all: Set<() => void>;
  readonly abort: () => void;
}

const listenersOf: WeakMap<AbortSignal, Listeners> = /* @__PURE__ */ new WeakMap();

/**
 * Calls when the signal aborts; what it returns takes that back. All listeners of a signal share
 * one entry in it: Node 20 warns of a leak from the eleventh entry on. They must not throw.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const { all, abort } = listenersOf.get(signal) ?? listen(signal);
  all.add(listener);
  return () => {
    if (!all.delete(listener) || all.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', abort);
  };
}

function listen(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const listeners = { all, abort: () => all.forEach((listener) => listener()) };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', listeners.abort);
  return listeners;
}
