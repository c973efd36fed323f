import { blockedFor } from '../../core/http/index.ts';
import type { WatchStatus } from '../../core/watch/index.ts';
import type { WatchContext } from './context.ts';
import type { AnyEntry } from '../entries/entry.ts';
import type { LookQueue } from './look-queue.ts';
import { coverOf } from './schedule.ts';

/** How the watch of an entry is doing; times in milliseconds since 1970. */
export function statusOf(entry: AnyEntry, context: WatchContext, queue: LookQueue): WatchStatus {
  const { trigger, readAt, noGapSince, invalidatedAt } = entry;
  const { client, clock, outage } = context;
  const now = clock.now();
  const blocked = blockedFor(client, 'others');
  const queuedAt = queue.has(entry) ? queue.next : entry.nextReadAt;
  const at = Math.max(queuedAt, outage.probeAt);
  return {
    reason: reasonFor(entry, context, queue),
    trigger,
    readAt,
    noGapSince,
    invalidatedAt,
    nextReadAt: at < Infinity ? now + Math.max(0, at - clock.monotonic()) : undefined,
    blockedUntil: blocked > 0 ? now + blocked : undefined,
  };
}

function reasonFor(entry: AnyEntry, context: WatchContext, queue: LookQueue): string {
  const { feed, outage, reader } = context;
  const source = coverOf(entry, context);
  const { gap } = feed;
  return [
    source?.name ?? reader.plan,
    entry.trigger,
    queue.has(entry) && 'waits for its turn',
    outage.isOn && `the service is away: asked ${outage.failures} times`,
    source === feed && gap && `last gap: ${gap.reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}
