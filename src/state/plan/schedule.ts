import type { PaystateError } from '../../core/errors/index.ts';
import { blockedFor } from '../../core/http/index.ts';
import type { WatchStatus } from '../../core/watch.ts';
import { type AnyEntry, emit, isFinal } from '../entry.ts';
import {
  type Access,
  LIVE_BY_FEED_MS,
  LIVE_BY_RELAY_MS,
  LIVE_MS,
  type WatchContext,
} from './planner.ts';
import type { ReadQueue } from './queue.ts';

/**
 * When an entry is read next by itself; monotonic. `Infinity` where it is read in turn, or nothing
 * can change it any more. What has failed is read until it succeeds.
 */
export function nextReadAt(entry: AnyEntry, context: WatchContext): number {
  const { base, clock, phase, relay } = context;
  const { failures, bornAt, type } = entry;
  if (isFinal(entry) && !failures) return Infinity;
  const told = isLive(entry) ? relay?.nextReadAt(entry) : undefined;
  if (told !== undefined) return told;
  const isTimed = type.watch.wokenBy === 'time';
  if (!failures && !isTimed) return Infinity;
  const age = isTimed ? clock.monotonic() - bornAt : 0;
  const period = periodOf(base, age, failures?.inARow ?? 0);
  return nextOnGrid(clock.monotonic(), period, phase);
}

function isLive({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

/** When the feed is polled next; monotonic. After a poll that has failed it is as soon as can be. */
export function nextPollAt(context: WatchContext, hasFailed: boolean): number {
  const { base, clock, phase, plan } = context;
  const period = hasFailed ? base : plan.pollEvery;
  return nextOnGrid(clock.monotonic(), period, phase, base);
}

/** Our own relay tells of the changes of this entry. */
function isRelayed(entry: AnyEntry, { relay }: WatchContext): boolean {
  return isLive(entry) && relay?.nextReadAt(entry) !== undefined;
}

/** How it is read in turn. */
export function accessOf(entry: AnyEntry, { reader }: WatchContext): Access {
  return reader.isListed(entry) ? 'list' : 'single';
}

/** There are many, the feed tells of its changes, and so it is read in turn less often. */
function isLeftToFeed(entry: AnyEntry, { plan, relay }: WatchContext): boolean {
  if (!plan.isMany || !isLive(entry) || relay?.nextReadAt(entry) !== undefined) return false;
  return plan.source?.covers(entry) === true;
}

/** A poll of the feed counts for this long, milliseconds: one that fails changes nothing yet. */
const POLL_VALID_MS = 45_000;

/** Values that get too old within this do so together, milliseconds. */
const AGE_TOGETHER_MS = 500;

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
export function markAllStale(context: WatchContext, error: PaystateError): void {
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
  return plan.turns[accessOf(entry, context)].isInTime;
}

/** Milliseconds for which a value is live after the start of a read that brought it. */
export function liveFor(entry: AnyEntry, context: WatchContext): number {
  if (isRelayed(entry, context)) return LIVE_BY_RELAY_MS;
  return isLeftToFeed(entry, context) ? liveByFeed(context) : LIVE_MS;
}

/** Milliseconds for which values that are left to the feed are live after the start of a read. */
function liveByFeed({ clock, plan }: WatchContext): number {
  const polledAt = plan.source?.polledAt ?? -Infinity;
  return clock.monotonic() - polledAt <= POLL_VALID_MS ? LIVE_BY_FEED_MS : LIVE_MS;
}

/** A poll of the feed confirms what it covers, but for what has to be read first. */
export function confirmByFeed(context: WatchContext): void {
  const now = context.clock.monotonic();
  for (const entry of context.entries.values()) {
    if (!isLeftToFeed(entry, context) || !isConfirmed(entry, context)) continue;
    if (entry.announced !== undefined || entry.held!.contradiction !== undefined) continue;
    if (now - entry.readSentAt > LIVE_BY_FEED_MS) continue;
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
    const endsAt = entry.readSentAt + liveFor(entry, context);
    const isOver = endsAt - AGE_TOGETHER_MS <= now;
    if (isOver) emit(entry, 'stale');
    else next = Math.min(next, endsAt - AGE_TOGETHER_MS);
    isAny ||= isOver;
  }
  return [next, isAny];
}

/** How the watch of an entry is doing; times in milliseconds since 1970. */
export function statusOf(entry: AnyEntry, context: WatchContext, queue: ReadQueue): WatchStatus {
  const { trigger, readAt, noGapSince, invalidatedAt } = entry;
  const { client, clock, outage } = context;
  const now = clock.now();
  const blocked = blockedFor(client, 'others');
  const queuedAt = queue.has(entry) ? queue.next : entry.nextReadAt;
  const at = Math.max(Math.min(queuedAt, nextTurnAt(entry, context)), outage.probeAt);
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

/** When it is read in turn, monotonic; `Infinity` where others are too, and it is not known when. */
function nextTurnAt(entry: AnyEntry, context: WatchContext): number {
  const { round, every } = context.plan.turns[accessOf(entry, context)];
  const isInTurn = entry.type.watch.wokenBy !== 'time' && !entry.failures && !isFinal(entry);
  if (!isInTurn || round > every || isRelayed(entry, context)) return Infinity;
  return entry.readSentAt + every;
}

function reasonFor(entry: AnyEntry, context: WatchContext, queue: ReadQueue): string {
  const { feed, outage, page, plan } = context;
  const { gap } = feed;
  const { round, isInTime } = plan.turns[accessOf(entry, context)];
  const isInTurn = Number.isFinite(round) && entry.type.watch.wokenBy !== 'time';
  const seconds = `${Math.ceil(round / 1_000)} s`;
  return [
    isRelayed(entry, context) ? 'relay' : plan.source ? feed.name : 'polling',
    entry.trigger,
    queue.has(entry) && 'waits for its turn',
    page.isHidden() && 'the page is hidden',
    isInTurn && isInTime && `read in turn each ${seconds}`,
    !isInTime && `not live: the rate limit lets it be read each ${seconds} only`,
    outage.isOn && `the service is away: asked ${outage.failures} times`,
    plan.source && gap && `last gap: ${gap.reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Longest period of a watch, milliseconds: its value is live throughout. */
const LONGEST_PERIOD_MS = 20_000;
/** The same while its reads fail. */
const LONGEST_FAILING_PERIOD_MS = 60_000;
/** A watch may be as slow as its age divided by this. */
const AGE_DIVISOR = 30;
/** Part of a period that lies between any read and the next one on the grid. */
const MIN_GAP_SHARE = 1 / 4;

/**
 * Period of a watch: the base doubled as the watch ages and as reads fail, at most
 * 20 seconds, or a minute.
 * Powers of two of one base share a grid, so watches of any age meet in one request.
 */
function periodOf(base: number, age: number, failures: number): number {
  const longest = failures > 0 ? LONGEST_FAILING_PERIOD_MS : LONGEST_PERIOD_MS;
  const wanted = Math.min(longest, Math.max(age / AGE_DIVISOR, base * 2 ** failures));
  return base * 2 ** Math.max(0, Math.floor(Math.log2(wanted / base)));
}

/**
 * The next time that lies on the grid of this period and not too close: a part of `shortest` away.
 * All times in monotonic milliseconds.
 */
export function nextOnGrid(
  now: number,
  period: number,
  phase: number,
  shortest: number = period,
): number {
  return Math.ceil((now + shortest * MIN_GAP_SHARE - phase) / period) * period + phase;
}
