import type { Stop } from '../../core/watch.ts';

type Listen = (type: string, listener: (event: { readonly type: string }) => void) => void;

interface Emitter {
  readonly addEventListener: Listen;
  readonly removeEventListener: Listen;
}

interface Page extends Emitter {
  readonly document?: Emitter & { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
}

/** What a page knows of itself; outside pages it is always visible and never offline. */
export interface PageSource {
  isHidden(): boolean;
  isOffline(): boolean;
  /** Calls `wake` when the page becomes visible or the network returns, `changed` when either goes away. */
  listen(wake: (why: string) => void, changed: () => void): Stop;
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
    listen(wake, changed) {
      const hear = ({ type }: { readonly type: string }) => (isOffline() || (isHidden() && type !== 'online') ? changed() : wake(`page ${type}`));
      const each = (method: keyof Emitter) => {
        document?.[method]('visibilitychange', hear);
        if (document) for (const type of ['pageshow', 'focus', 'online', 'offline']) page[method](type, hear);
      };
      each('addEventListener');
      return () => each('removeEventListener');
    },
  };
}
