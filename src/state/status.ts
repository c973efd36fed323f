import { blockedFor } from '../core/http/index.ts';
import type { WatchStatus } from '../core/watch/index.ts';
import type { WatchContext } from './context.ts';
import type { AnyEntry } from './entry.ts';
import { coverOf } from './schedule.ts';

/** How the watch of an entry is doing; times in milliseconds since 1970. */
export function statusOf(entry: AnyEntry, context: WatchContext): WatchStatus {
  const { trigger, readAt, noGapSince, invalidatedAt } = entry;
  const { client, clock } = context;
  const now = clock.now();
  const blocked = blockedFor(client, 'others');
  const until = entry.nextReadAt - clock.monotonic();
  return {
    reason: `${coverOf(entry, context)?.name ?? 'polling'}, ${trigger}`,
    trigger,
    readAt,
    noGapSince,
    invalidatedAt,
    nextReadAt: until < Infinity ? now + until : undefined,
    blockedUntil: blocked > 0 ? now + blocked : undefined,
  };
}
