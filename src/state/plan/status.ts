import { blockedFor } from '../../core/http/index.ts';
import type { WatchStatus } from '../../core/watch.ts';
import type { WatchContext } from './context.ts';
import { isConfirmed, liveFor } from './coverage.ts';
import type { AnyEntry } from '../entries/entry.ts';
import type { LookQueue } from './look-queue.ts';
import { isRelayed, laneOf } from './schedule.ts';

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
    liveFor: isConfirmed(entry, context) ? liveFor(entry, context) : undefined,
  };
}

function reasonFor(entry: AnyEntry, context: WatchContext, queue: LookQueue): string {
  const { feed, outage, page, plan } = context;
  const { gap } = feed;
  const { round, isInTime } = plan.lanes[laneOf(entry, context)];
  const isInTurn =
    Number.isFinite(round) && plan.kind !== 'polling' && entry.type.watch.wokenBy !== 'time';
  const seconds = `${Math.ceil(round / 1_000)} s`;
  return [
    isRelayed(entry, context) ? 'relay' : plan.kind === 'feed' ? feed.name : 'polling',
    entry.trigger,
    queue.has(entry) && 'waits for its turn',
    page.isHidden() && 'the page is hidden',
    isInTurn && isInTime && `read in turn each ${seconds}`,
    !isInTime && `not live: the rate limit lets it be read each ${seconds} only`,
    outage.isOn && `the service is away: asked ${outage.failures} times`,
    plan.kind === 'feed' && gap && `last gap: ${gap.reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}
