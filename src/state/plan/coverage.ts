import { blockedFor } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import type { WatchContext } from './context.ts';
import { type AnyEntry, emit, isFinal, isSettled } from '../entries/entry.ts';
import { coverOf, isLeftToPlan } from './schedule.ts';

/** How long a value that is polled counts as just read, milliseconds. */
export const RECENT = 20_000;
/** The same in a hidden page, which sends one request a minute: a poll of the feed or a read. */
const RECENT_HIDDEN = 65_000;
/** How many are considered for one look for safety. */
const MOST_FOR_SAFETY = 500;

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
    (entry) => !isFinal(entry) && !isLeftToPlan(entry, context),
  );
}

/** Nothing vouches for these values: they are as they were last read. */
export function doubt(
  context: WatchContext,
  error: PaystateError,
  isConcerned: (entry: AnyEntry) => boolean = () => true,
): void {
  const freshness = freshnessOf(error, context);
  for (const entry of context.entries.values()) {
    if (isFinal(entry) || !isConcerned(entry)) continue;
    entry.noGapSince = undefined;
    emit(entry, freshness, error);
  }
}

/** A poll vouches for all that its source covers, but for what has to be read first. */
export function vouch(context: WatchContext): void {
  for (const entry of context.entries.values()) {
    if (!isLeftToPlan(entry, context)) continue;
    if (entry.announced !== undefined || entry.held!.contradiction !== undefined) continue;
    entry.noGapSince ??= context.clock.now();
    emit(entry, 'live');
  }
}

/**
 * What the limits, or a page that is hidden, have not let us ask for a while is not known to be so
 * any more. Returns whether the next poll of the plan's source vouches for some of it.
 */
export function ageOut(context: WatchContext): boolean {
  const { clock, entries, page, plan } = context;
  const isHidden = page.isHidden();
  const latest = clock.monotonic() - (isHidden ? RECENT_HIDDEN : RECENT);
  let isForSource = false;
  for (const entry of entries.values()) {
    const isAged = entry.snapshot.freshness === 'live' && entry.lookedAt < latest;
    if (!isAged || isFinal(entry) || entry.type.watch.wokenBy === 'time') continue;
    const isOverdue = isLeftToPlan(entry, context) && isHidden && plan.source!.provenAt < latest;
    if (coverOf(entry, context) && !isOverdue) continue;
    isForSource ||= isOverdue;
    emit(entry, 'stale');
  }
  return isForSource;
}

/**
 * Those that are looked at for safety next, of what is not polled: the ones that were read longest
 * ago and can be read together.
 */
export function chooseForSafety(context: WatchContext): AnyEntry[] {
  const oldest: AnyEntry[] = [];
  for (const entry of context.entries.values()) {
    if (oldest.length === MOST_FOR_SAFETY) break;
    const isPolled = !isSettled(entry) && !isLeftToPlan(entry, context);
    if (!isPolled && !entry.isReading && !isFinal(entry)) oldest.push(entry);
  }
  return context.reader.firstOf(oldest);
}
