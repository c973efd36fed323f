import { blockedFor } from '../core/http/index.ts';
import type { WatchStatus } from '../core/watch/index.ts';
import type { WatchContext } from './context.ts';
import type { AnyEntry } from './entry.ts';
import type { LookQueue } from './look-queue.ts';
import type { Outage } from './outage.ts';
import { coverOf } from './schedule.ts';

/** What of the scheduler a status tells of. */
interface Work {
  readonly queue: LookQueue;
  readonly outage: Outage;
}

/** How the watch of an entry is doing; times in milliseconds since 1970. */
export function statusOf(entry: AnyEntry, context: WatchContext, work: Work): WatchStatus {
  const { trigger, readAt, noGapSince, invalidatedAt } = entry;
  const { client, clock } = context;
  const now = clock.now();
  const blocked = blockedFor(client, 'others');
  const at = nextReadAt(entry, work);
  return {
    reason: reasonFor(entry, context, work),
    trigger,
    readAt,
    noGapSince,
    invalidatedAt,
    nextReadAt: at < Infinity ? now + Math.max(0, at - clock.monotonic()) : undefined,
    blockedUntil: blocked > 0 ? now + blocked : undefined,
  };
}

function nextReadAt(entry: AnyEntry, { queue, outage }: Work): number {
  return Math.max(queue.has(entry) ? queue.next : entry.nextReadAt, outage.probeAt);
}

function reasonFor(entry: AnyEntry, context: WatchContext, { queue, outage }: Work): string {
  const { feed, reader } = context;
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
