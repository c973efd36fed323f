import type { Page } from '../page.ts';
import type { Source, SourceListener } from './source.ts';

/** The page as a source: what it may have missed while it was hidden or had no network. */
export function pageSource(page: Page, listener: SourceListener): Source {
  const source: Source = {
    name: 'page',
    safetyPeriod: () => undefined,
    wake() {},
    stop: page.listen((type) => {
      if (type === 'pagehide') listener.suspended();
      else if (page.isOffline()) listener.disconnected();
      else if (!page.isHidden() || type === 'online') listener.resumed(source, `page ${type}`);
    }),
  };
  return source;
}
