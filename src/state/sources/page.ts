import type { Stop } from '../../core/watch.ts';

interface Emitter {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
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
  return {
    isHidden,
    isOffline: () => document !== undefined && page.navigator?.onLine === false,
    listen(wake, changed) {
      if (!document) return () => {};
      const onVisibility = () => (isHidden() ? changed() : wake('page visible'));
      const onShow = () => wake('page shown');
      const onOnline = () => wake('network back');
      document.addEventListener('visibilitychange', onVisibility);
      page.addEventListener('pageshow', onShow);
      page.addEventListener('focus', onShow);
      page.addEventListener('online', onOnline);
      page.addEventListener('offline', changed);
      return () => {
        document.removeEventListener('visibilitychange', onVisibility);
        page.removeEventListener('pageshow', onShow);
        page.removeEventListener('focus', onShow);
        page.removeEventListener('online', onOnline);
        page.removeEventListener('offline', changed);
      };
    },
  };
}
