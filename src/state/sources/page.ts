import type { Unsubscribe } from '../../core/watch/index.ts';

type Listen = (type: string, listener: (event: { readonly type: string }) => void) => void;

interface Emitter {
  readonly addEventListener: Listen;
  readonly removeEventListener: Listen;
}

interface Page extends Emitter {
  readonly document?: { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
}

/** What a page knows of itself; outside pages it is always visible and never offline. */
export interface PageSource {
  isHidden(): boolean;
  isOffline(): boolean;
  /** Calls `changed` with the type of each event by which the page or the network may come or go. */
  listen(changed: (type: string) => void): Unsubscribe;
}

/** Watches the page that this code runs in, if there is one. Touches no global before it is called. */
export function pageSource(): PageSource {
  const page = globalThis as unknown as Page;
  const { document } = page;
  const isHidden = () => document?.visibilityState === 'hidden';
  const isOffline = () => document !== undefined && page.navigator?.onLine === false;
  return {
    isHidden,
    isOffline,
    listen(changed) {
      const hear = ({ type }: { readonly type: string }) => changed(type);
      const each = (method: keyof Emitter) => {
        if (document)
          for (const type of [
            'visibilitychange',
            'pageshow',
            'pagehide',
            'focus',
            'online',
            'offline',
          ])
            page[method](type, hear);
      };
      each('addEventListener');
      return () => each('removeEventListener');
    },
  };
}
