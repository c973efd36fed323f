import { LAG_MS } from '../resources/service-facts.ts';

/** Notes what was announced lately: a first read may come from a copy that does not show it. */
export function keepRecent(recent: Map<string, number>, key: string, now: number): void {
  recent.delete(key);
  recent.set(key, now);
  for (const [earlier, at] of recent) {
    if (at >= now - LAG_MS) break;
    recent.delete(earlier);
  }
}
