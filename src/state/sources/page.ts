type Listen = (type: string, listener: (event: { readonly type: string }) => void) => void;

interface Emitter {
  readonly addEventListener: Listen;
  readonly removeEventListener: Listen;
}

interface Scope extends Emitter {
  readonly document?: { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
}

const EVENTS = ['visibilitychange', 'pageshow', 'pagehide', 'focus', 'online', 'offline'];

/** The page that this code runs in. Outside pages it is always visible and never offline. */
export interface CurrentPage {
  isHidden(): boolean;
  isOffline(): boolean;
  /**
   * Calls `changed` with the type of each event by which the page or the network may come or go.
   */
  listen(changed: (type: string) => void): () => void;
}

/** The page that this code runs in, if there is one. Touches no global before it is called. */
export function currentPage(): CurrentPage {
  const scope = globalThis as unknown as Scope;
  const { document } = scope;
  return {
    isHidden: () => document?.visibilityState === 'hidden',
    isOffline: () => document !== undefined && scope.navigator?.onLine === false,
    listen(changed) {
      const onEvent = ({ type }: { readonly type: string }) => changed(type);
      const each = (method: keyof Emitter) => {
        if (document) for (const type of EVENTS) scope[method](type, onEvent);
      };
      each('addEventListener');
      return () => each('removeEventListener');
    },
  };
}
