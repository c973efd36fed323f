import { type Connection, type Slot, slotState, withAge } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { type PaystateError, UnreachableError } from '../../core/errors/index.ts';
import type { Feed } from '../../resources/events.feed.ts';
import type { Gap } from '../../resources/events.cursor.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import type { AnyEntry } from '../entry.ts';
import { isOfCreation } from '../../resources/events.types.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  getLearnedCapabilities,
} from '../../resources/service-facts.ts';
import type { SourceListener } from './relay.ts';

/** The feed is given up after this many failed polls in a row while other requests succeed. */
const MAX_FAILURES = 3;
/** When a feed that was given up is tried again, in milliseconds since the last try. */
const RETRY_AFTER_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** When it's tried again if values can't be live without it. Milliseconds. */
const MISSED_RETRY_MS = 30_000;
/**
 * After a longer pause than this, events aren't read and all entries are read instead.
 * Milliseconds.
 */
const LONGEST_PAUSE_MS = 3_600_000;
/** Weight of the latest poll in the average number of requests. Some polls read further back. */
const SMOOTHING = 0.03;
/** Only a poll within this time after the last one shows what a poll costs. Milliseconds. */
const REGULAR_MS = 20_000;

/** Holds the code for polling. It's loaded late, because most pages never poll the feed. */
interface FeedPlace {
  Feed?: typeof Feed;
  /** Tests load the code in another way. */
  readonly load?: () => Promise<{ readonly Feed: typeof Feed }>;
}

const FEED: Slot<FeedPlace> = { name: 'state.feed', make: () => ({}) };

/**
 * Returns whether a lagging replica may hide what the event announces. It can't hide a creation,
 * because any read that finds the resource shows it.
 */
function isChange({ eventType }: ServiceEvent): boolean {
  return !isOfCreation(eventType);
}

/**
 * Polls the account's event feed for changes, and measures what that costs. The hub polls it for as
 * long as the plan says so.
 */
export class FeedSource {
  readonly name = 'event feed';
  /** When the next poll is due, monotonic. */
  pollAt: number = Infinity;
  /** When the last poll was sent, monotonic. */
  polledAt: number = -Infinity;
  /** Average number of requests per poll. */
  requests: number = 1;
  /** The latest gap in the feed. */
  gap: Gap | undefined;
  /** Whether a complete poll has ended since the feed was started. */
  isLive: boolean = false;
  /** Since when the feed has had no gap, monotonic. */
  #since: number = Infinity;
  /** When the last complete poll was sent, monotonic. The feed can continue from there. */
  #completeAt: number = -Infinity;
  #isOn: boolean = false;
  #isPolling: boolean = false;
  /** The latest poll. An earlier one that was still loading code no longer does anything. */
  #latest: object | undefined;
  #failures: number = 0;
  /** Number of tries since the feed was given up. */
  #retries: number = 0;
  #retryAt: number = -Infinity;
  /** Whether the service refused the last poll. */
  #isRefused: boolean = false;
  #feed: Feed | undefined;
  /** Age of the oldest response to the latest poll, in milliseconds. */
  #age: number = 0;
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #listener: SourceListener;
  readonly #learned: LearnedCapabilities;

  /** `clock` is the hub's. */
  constructor(client: Connection, clock: Clock, signal: AbortSignal, listener: SourceListener) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#listener = listener;
    this.#learned = getLearnedCapabilities(client);
  }

  /** Whether the feed wasn't refused and hasn't failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  /** Returns whether to try the feed again. `isMissed` means values can't be live without it. */
  isRetryDue(isMissed: boolean): boolean {
    const isSooner = isMissed && !this.#isRefused;
    const at = isSooner ? Math.min(this.#retryAt, this.polledAt + MISSED_RETRY_MS) : this.#retryAt;
    const isGivenUp = !this.isPossible && this.#learned.capabilities.feed;
    return isGivenUp && !this.#isPolling && at <= this.#now;
  }

  /** Returns whether the feed has had no gap since an entry was read. */
  covers({ type, readSentAt }: AnyEntry): boolean {
    return this.isLive && readSentAt >= this.#since && type.watch.wokenBy !== 'time';
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** Stops the feed and drops its position, so the next start begins with the latest events. */
  forget(): void {
    this.stop();
    this.#feed = undefined;
  }

  /** Starts the feed where it was stopped, so it covers what it covered then. */
  start(): void {
    this.#forgetOld();
    this.#isOn = true;
    this.pollAt = this.#now;
  }

  /** Polls immediately, or `recent` milliseconds after the last poll. */
  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.polledAt + recent);
  }

  /** Stops the feed. It covers nothing until it's started again. */
  stop(): void {
    this.#isOn = false;
    this.isLive = false;
  }

  /**
   * Polls once and passes events and gaps to the listener. Resolves to the error of a failed poll.
   * With `isOutage`, other requests fail too, so a failure doesn't count.
   */
  async poll(isOutage: boolean): Promise<PaystateError | undefined> {
    const sentAt = this.#now;
    // after a pause there's more to read than usual
    const isRegular = this.isLive && sentAt - this.polledAt <= REGULAR_MS;
    this.pollAt = Infinity;
    this.polledAt = sentAt;
    this.#isPolling = true;
    const poll = (this.#latest = {});
    let feed: Feed | undefined;
    try {
      const FeedClass = slotState(this.#client, FEED).Feed ?? (await this.#load());
      // a later poll started while the code was being loaded
      if (poll !== this.#latest) return undefined;
      feed = this.#feed ??= this.#begin(FeedClass);
      this.#age = 0;
      const { events, gaps, complete, requests, now } = await feed.poll();
      if (feed !== this.#feed) return undefined; // the feed was restarted in the meantime
      if (isRegular) this.requests += SMOOTHING * (requests - this.requests);
      const isOld = this.#age > LAG_MS;
      if (!isOld) this.#failures = this.#retries = 0;
      if (gaps.some(({ entityId }) => !entityId)) this.#since = sentAt;
      this.gap = gaps.at(-1) ?? this.gap;
      this.#listener.applyEvents(this.isLive ? events : events.filter(isChange), gaps, now);
      if (isOld) throw answeredByCache();
      if (complete) this.#completeAt = sentAt;
      this.isLive ||= complete && this.#isOn;
      return undefined;
    } catch (thrown) {
      if (this.#signal.aborted) return undefined;
      const isBeginning = feed === this.#feed && this.#completeAt < this.#since;
      if (isBeginning) this.#feed = undefined; // the feed begins with the first successful poll
      // a poll with unreadable events counts as failed too, because changes must not be missed
      const error = thrown as PaystateError;
      if (!isOutage) this.#fail(error);
      return error;
    } finally {
      if (poll === this.#latest) this.#isPolling = false;
    }
  }

  async #load(): Promise<typeof Feed> {
    const place = slotState(this.#client, FEED);
    const loading = place.load?.() ?? import('../../resources/events.feed.ts');
    return (place.Feed = (await this.#clock.external(loading)).Feed);
  }

  #begin(FeedClass: typeof Feed): Feed {
    this.#since = this.polledAt;
    // a read may come from a lagging replica, so recent events are passed on too
    const recent = LAG_MS / 1_000 + 10;
    const client = withAge(this.#client, (age) => {
      this.#age = Math.max(this.#age, age);
    });
    return new FeedClass(client, { signal: this.#signal, maxAttempts: 1, recent });
  }

  /**
   * Polls once to find out whether the feed works again. The next plan decides what happens then.
   */
  async tryAgain(): Promise<void> {
    this.#forgetOld();
    await this.poll(false);
  }

  /**
   * Drops the position after a long pause, because reading all entries takes fewer requests in that
   * case.
   */
  #forgetOld(): void {
    const isOld = this.#now - this.#completeAt > LONGEST_PAUSE_MS;
    if (isOld || this.#isPolling) this.#feed = undefined;
  }

  #fail({ kind, status }: PaystateError): void {
    this.#isRefused = status === 403 && kind === 'refused'; // it's tried again later
    this.#failures = this.#isRefused ? MAX_FAILURES : this.#failures + 1;
    if (this.#failures < MAX_FAILURES) return;
    this.#retryAt = this.#now + (RETRY_AFTER_MS[this.#retries++] ?? RETRY_AFTER_MS.at(-1)!);
  }
}

/** Creates the error for a poll that shows nothing about the present. */
function answeredByCache(): UnreachableError {
  return new UnreachableError('a cache answered the event feed instead of the service', {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}
