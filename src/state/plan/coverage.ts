import { blockedFor } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import type { WatchContext } from './context.ts';
import { type AnyEntry, emit, isFinal } from '../entries/entry.ts';
import { isLeftToFeed, isRelayed, laneOf } from './schedule.ts';
import { LIVE_BY_FEED_MS, LIVE_BY_RELAY_MS, LIVE_MS } from '../sources/watch-plan.ts';

/** A poll of the feed counts for this long, milliseconds: one that fails changes nothing yet. */
const HEARD_MS = 45_000;

/** Values that get too old within this do so together, milliseconds. */
const TOGETHER_MS = 500;

/** How fresh a value is after a read that failed like this. */
export function freshnessOf(
  { kind, status }: PaystateError,
  { client, page }: WatchContext,
): 'blocked' | 'offline' | 'stale' {
  // without a status no place came in time, which only in a block is the service's doing
  if (kind === 'limited' && (status || blockedFor(client, 'rates'))) return 'blocked';
  if (blockedFor(client, 'others')) return 'blocked';
  return kind === 'unreachable' && page.isOffline() ? 'offline' : 'stale';
}

/** Those of which nothing tells but reads and the relay, and that may still change. */
export function listUncovered(context: WatchContext): AnyEntry[] {
  return [...context.entries.values()].filter(
    (entry) => !isFinal(entry) && !isLeftToFeed(entry, context),
  );
}

/** These values are as they were last read, and nothing says that they still are. */
export function doubt(context: WatchContext, error: PaystateError): void {
  const freshness = freshnessOf(error, context);
  for (const entry of context.entries.values()) {
    if (isFinal(entry)) continue;
    entry.noGapSince = undefined;
    emit(entry, freshness, error);
  }
}

/** It is read often enough to be live: else it says so throughout, and does not change all the time. */
export function isConfirmed(entry: AnyEntry, context: WatchContext): boolean {
  const { page, plan } = context;
  if (isFinal(entry)) return true;
  if (page.isHidden()) return false;
  if (entry.type.watch.wokenBy === 'time' || isRelayed(entry, context)) return true;
  return plan.lanes[laneOf(entry, context)].isInTime;
}

/** Milliseconds for which a value is live after the start of a read that brought it. */
export function liveFor(entry: AnyEntry, context: WatchContext): number {
  if (isRelayed(entry, context)) return LIVE_BY_RELAY_MS;
  return isLeftToFeed(entry, context) ? liveByFeed(context) : LIVE_MS;
}

/** Milliseconds for which values that are left to the feed are live after the start of a read. */
function liveByFeed({ clock, plan }: WatchContext): number {
  const polledAt = plan.source?.polledAt ?? -Infinity;
  return clock.monotonic() - polledAt <= HEARD_MS ? LIVE_BY_FEED_MS : LIVE_MS;
}

/** A poll of the feed confirms what it covers, but for what has to be read first. */
export function confirmByFeed(context: WatchContext): void {
  const now = context.clock.monotonic();
  for (const entry of context.entries.values()) {
    if (!isLeftToFeed(entry, context) || !isConfirmed(entry, context)) continue;
    if (entry.announced !== undefined || entry.held!.contradiction !== undefined) continue;
    if (now - entry.lookedAt > LIVE_BY_FEED_MS) continue;
    entry.noGapSince ??= context.clock.now();
    emit(entry, 'live');
  }
}

/**
 * What was not read for too long is not known to be so any more. Returns when the next value is as
 * old as that, monotonic, and whether one was now.
 */
export function ageOut(context: WatchContext): readonly [next: number, isAny: boolean] {
  const now = context.clock.monotonic();
  let isAny = false;
  let next = Infinity;
  for (const entry of context.entries.values()) {
    if (entry.snapshot.freshness !== 'live' || isFinal(entry)) continue;
    const endsAt = entry.lookedAt + liveFor(entry, context);
    const isOver = endsAt - TOGETHER_MS <= now;
    if (isOver) emit(entry, 'stale');
    else next = Math.min(next, endsAt - TOGETHER_MS);
    isAny ||= isOver;
  }
  return [next, isAny];
}
