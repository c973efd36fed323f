import type { CurrentPage } from '../page.ts';
import type { ChangeSource, SourceListener } from './source.ts';

/** The page as a source: what it may have missed while it was hidden or had no network. */
export function pageSource(page: CurrentPage, listener: SourceListener): ChangeSource {
  const source: ChangeSource = {
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
