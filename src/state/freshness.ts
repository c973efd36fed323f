import type { PaystateError } from '../core/errors/index.ts';
import { blockedFor } from '../core/http/index.ts';
import type { WatchStatus } from '../core/watch.ts';
import type { AskedReads } from './asked.ts';
import { type AnyEntry, emit, isAtRest, isFinal } from './entry.ts';
import { type Access, LIVE_BY_FEED_MS, LIVE_MS, type WatchContext } from './plan.ts';

/**
 * How long a value confirmed by our own relay is `live`, in milliseconds. The relay confirms each
 * value once a minute. After two minutes without a confirmation, the page reads the value directly.
 */
const LIVE_BY_RELAY_MS = 150_000;

/**
 * Returns when an entry is read next on its own schedule, as a time on the monotonic clock. Returns
 * `Infinity` if the entry is covered by regular reads or can't change anymore. A failed read is
 * repeated until it succeeds.
 */
export function nextReadAt(entry: AnyEntry, context: WatchContext): number {
  const { base, clock, phase, relay } = context;
  const { failures, bornAt, type } = entry;
  if (isFinal(entry) && !failures) return Infinity;
  const relayReadAt = isLive(entry) ? relay?.nextReadAt(entry) : undefined;
  if (relayReadAt !== undefined) return relayReadAt;
  const isTimed = type.watch.wokenBy === 'time';
  if (!failures && !isTimed) return Infinity;
  const age = isTimed ? clock.monotonic() - bornAt : 0;
  const period = computePeriod(base, age, failures?.inARow ?? 0);
  return nextOnGrid(clock.monotonic(), period, phase);
}

function isLive({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

/** Returns when the feed is polled next, on the monotonic clock. A failed poll is retried soon. */
export function nextPollAt(context: WatchContext, hasFailed: boolean): number {
  const { base, clock, feed, phase, plan } = context;
  const now = clock.monotonic();
  if (hasFailed || plan.pollEvery <= base) return nextOnGrid(now, base, phase);
  // not aligned to a grid, because changing the period would shift the grid and cause too many
  // polls
  return Math.max(now + base * MIN_GAP_SHARE, feed.polledAt + plan.pollEvery);
}

function isRelayed(entry: AnyEntry, { relay }: WatchContext): boolean {
  return isLive(entry) && relay?.nextReadAt(entry) !== undefined;
}

/** Returns whether an entry is read as part of a list or with its own request. */
function findAccess(entry: AnyEntry, { reader }: WatchContext): Access {
  return reader.isListed(entry) ? 'list' : 'single';
}

/**
 * Returns whether the feed confirms an entry together with many others, in which case it's read
 * less often.
 */
function isLeftToFeed(entry: AnyEntry, { plan, relay }: WatchContext): boolean {
  if (!plan.isMany || !isLive(entry) || relay?.nextReadAt(entry) !== undefined) return false;
  return plan.source?.covers(entry) === true;
}

/**
 * How long a poll of the feed counts as recent, in milliseconds. It's long enough that a single
 * failed poll has no effect.
 */
const POLL_VALID_MS = 45_000;

/**
 * The period within which values that become too old are marked stale together, in milliseconds.
 */
const AGE_TOGETHER_MS = 500;

/** Returns the freshness of a value after a read failed with this error. */
export function chooseFreshness(
  { kind, status }: PaystateError,
  { client, page }: WatchContext,
): 'blocked' | 'offline' | 'stale' {
  // without a status, the request was never sent because of our own rate limit or a block
  if (kind === 'limited' && (status || blockedFor(client, 'rates'))) return 'blocked';
  if (blockedFor(client, 'others')) return 'blocked';
  return kind === 'unreachable' && page.isOffline() ? 'offline' : 'stale';
}

/** Returns the entries that can still change and that the feed doesn't confirm. */
export function listUncovered(context: WatchContext): AnyEntry[] {
  return [...context.entries.values()].filter(
    (entry) => !isAtRest(entry) && !isLeftToFeed(entry, context),
  );
}

/** Marks all values that can still change as stale, because nothing confirms them for now. */
export function markAllStale(context: WatchContext, error: PaystateError): void {
  const freshness = chooseFreshness(error, context);
  for (const entry of context.entries.values()) {
    if (isFinal(entry)) continue;
    entry.noGapSince = undefined;
    emit(entry, freshness, error);
  }
}

/**
 * Returns whether an entry is read often enough to be live. If not, it stays stale, so its
 * freshness doesn't keep changing.
 */
export function isConfirmed(entry: AnyEntry, context: WatchContext): boolean {
  const { page, plan } = context;
  if (isFinal(entry)) return true;
  if (page.isHidden()) return false;
  if (entry.type.watch.wokenBy === 'time' || isRelayed(entry, context)) return true;
  return plan.isInTime[findAccess(entry, context)];
}

/** Returns how long a value stays live after its read was sent, in milliseconds. */
export function liveFor(entry: AnyEntry, context: WatchContext): number {
  if (isRelayed(entry, context)) return LIVE_BY_RELAY_MS;
  return isLeftToFeed(entry, context) ? liveByFeed(context) : LIVE_MS;
}

/** Returns how long a value confirmed by the feed stays live after its read, in milliseconds. */
function liveByFeed({ clock, plan }: WatchContext): number {
  const polledAt = plan.source?.polledAt ?? -Infinity;
  return clock.monotonic() - polledAt <= POLL_VALID_MS ? LIVE_BY_FEED_MS : LIVE_MS;
}

/**
 * Marks the values that a poll of the feed has confirmed as live. Skips values that must be read
 * first.
 */
export function confirmByFeed(context: WatchContext): void {
  const now = context.clock.monotonic();
  for (const entry of context.entries.values()) {
    if (!isLeftToFeed(entry, context) || !isConfirmed(entry, context)) continue;
    if (entry.announced !== undefined || entry.held!.contradiction !== undefined) continue;
    if (now - entry.trueAt > liveByFeed(context)) continue;
    entry.noGapSince ??= context.clock.now();
    emit(entry, 'live');
  }
}

/**
 * Marks values that haven't been read for too long as stale. Returns when the next value becomes
 * too old, on the monotonic clock, and whether any value was marked.
 */
export function ageOut(context: WatchContext): readonly [next: number, isAny: boolean] {
  const now = context.clock.monotonic();
  let isAny = false;
  let next = Infinity;
  for (const entry of context.entries.values()) {
    if (entry.snapshot.freshness !== 'live' || isFinal(entry)) continue;
    const endsAt = entry.trueAt + liveFor(entry, context);
    const isOver = endsAt - AGE_TOGETHER_MS <= now;
    if (isOver) emit(entry, 'stale');
    else next = Math.min(next, endsAt - AGE_TOGETHER_MS);
    isAny ||= isOver;
  }
  return [next, isAny];
}

/** Returns the status of a watch. Times are in milliseconds since 1970. */
export function makeStatus(entry: AnyEntry, context: WatchContext, asked: AskedReads): WatchStatus {
  const { trigger, readAt, noGapSince, invalidatedAt } = entry;
  const { client, clock, outage } = context;
  const now = clock.now();
  const blocked = blockedFor(client, 'others');
  const queuedAt = asked.has(entry) ? asked.from : entry.nextReadAt;
  const at = Math.max(Math.min(queuedAt, nextTurnAt(entry, context)), outage.probeAt);
  return {
    reason: reasonFor(entry, context, asked),
    trigger,
    readAt,
    noGapSince,
    invalidatedAt,
    nextReadAt: at < Infinity ? now + Math.max(0, at - clock.monotonic()) : undefined,
    blockedUntil: blocked > 0 ? now + blocked : undefined,
    liveFor: isConfirmed(entry, context) ? liveFor(entry, context) : undefined,
  };
}

/**
 * Returns when the regular reads reach an entry next, on the monotonic clock. Returns `Infinity` if
 * a round has several requests, because any of them could include the entry.
 */
function nextTurnAt(entry: AnyEntry, context: WatchContext): number {
  const { requests, round } = context.plan;
  const access = findAccess(entry, context);
  const isInTurn = entry.type.watch.wokenBy !== 'time' && !entry.failures && !isFinal(entry);
  if (!isInTurn || requests[access] > 1 || isRelayed(entry, context)) return Infinity;
  return entry.readSentAt + round[access];
}

function reasonFor(entry: AnyEntry, context: WatchContext, asked: AskedReads): string {
  const { feed, outage, page, plan } = context;
  const { gap } = feed;
  const access = findAccess(entry, context);
  const [round, isInTime] = [plan.round[access], plan.isInTime[access]];
  const isInTurn = Number.isFinite(round) && entry.type.watch.wokenBy !== 'time';
  const seconds = `${Math.ceil(round / 1_000)} s`;
  return [
    isRelayed(entry, context) ? 'relay' : plan.source ? feed.name : 'polling',
    entry.trigger,
    asked.has(entry) && 'waits for its turn',
    page.isHidden() && 'the page is hidden',
    isInTurn && isInTime && `read every ${seconds}`,
    !isInTime && `not live: the rate limit only allows a read every ${seconds}`,
    outage.isOn && `the service is down: tried ${outage.failures} times`,
    plan.source && gap && `last gap: ${gap.reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * The longest period between a watch's reads, in milliseconds. It's short enough to keep the value
 * live.
 */
const LONGEST_PERIOD_MS = 20_000;
/** The longest period between a watch's reads while they keep failing, in milliseconds. */
const LONGEST_FAILING_PERIOD_MS = 60_000;
/**
 * The number that a watch's age is divided by to get its longest period. The period is never
 * shorter than the base period.
 */
const AGE_DIVISOR = 30;
/** The minimum time between any read and the next scheduled one, as a fraction of the period. */
const MIN_GAP_SHARE = 1 / 4;

/**
 * Returns the period between a watch's reads, in milliseconds. The base period doubles as the watch
 * gets older and as reads fail, up to 20 seconds, or up to a minute while reads fail. All periods
 * are the base period times a power of two, so the reads of all watches coincide and can share a
 * request.
 */
function computePeriod(base: number, age: number, failures: number): number {
  const longest = failures > 0 ? LONGEST_FAILING_PERIOD_MS : LONGEST_PERIOD_MS;
  const wanted = Math.min(longest, Math.max(age / AGE_DIVISOR, base * 2 ** failures));
  return base * 2 ** Math.max(0, Math.floor(Math.log2(wanted / base)));
}

/**
 * Returns the next time on this period's grid, which is at least a fraction of the period from now.
 * All times are in milliseconds on the monotonic clock.
 */
export function nextOnGrid(now: number, period: number, phase: number): number {
  return Math.ceil((now + period * MIN_GAP_SHARE - phase) / period) * period + phase;
}
