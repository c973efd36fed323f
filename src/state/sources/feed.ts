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

/**
 * The number of consecutive failed polls after which the feed is disabled, if other requests
 * succeed.
 */
const MAX_FAILURES = 3;
/** When to try a disabled feed again, in milliseconds since the last try. */
const RETRY_AFTER_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/**
 * When to try a disabled feed again if values can't be live without it, in milliseconds since the
 * last try.
 */
const MISSED_RETRY_MS = 30_000;
/**
 * The length of a pause, in milliseconds, after which all entries are read instead of the missed
 * events.
 */
const LONGEST_PAUSE_MS = 3_600_000;
/**
 * The weight of the latest poll in the average number of requests per poll. The weight is small,
 * because some polls read further back than others.
 */
const SMOOTHING = 0.03;
/**
 * How soon after the previous poll a poll must be sent to count toward the average number of
 * requests, in milliseconds.
 */
const REGULAR_MS = 20_000;

/**
 * Holds the code that polls the feed. It's loaded on demand, because most pages never poll the
 * feed.
 */
interface FeedPlace {
  Feed?: typeof Feed;
  /** Replaces the function that loads the code. Used in tests. */
  readonly load?: () => Promise<{ readonly Feed: typeof Feed }>;
}

const FEED: Slot<FeedPlace> = { name: 'state.feed', make: () => ({}) };

/**
 * Returns whether a lagging replica may not include an event's change yet. This can't happen for
 * new resources, because every read that finds the resource includes its creation.
 */
function isChange({ eventType }: ServiceEvent): boolean {
  return !isOfCreation(eventType);
}

/**
 * Polls the account's event feed for changes, and measures how many requests that takes. The hub
 * decides when to poll.
 */
export class FeedSource {
  readonly name = 'event feed';
  /** When the next poll is due, on the monotonic clock. */
  pollAt: number = Infinity;
  /** When the last poll was sent, on the monotonic clock. */
  polledAt: number = -Infinity;
  /** The average number of requests per poll. */
  requests: number = 1;
  gap: Gap | undefined;
  /** Whether a complete poll has succeeded since the feed was started. */
  isLive: boolean = false;
  /** When the feed had its last gap, on the monotonic clock. */
  #since: number = Infinity;
  /** When the last complete poll was sent, on the monotonic clock. The feed can resume there. */
  #completeAt: number = -Infinity;
  #isOn: boolean = false;
  #isPolling: boolean = false;
  /** The latest poll. If an earlier poll is still loading code, it's cancelled. */
  #latest: object | undefined;
  #failures: number = 0;
  /** The number of tries since the feed was disabled. */
  #retries: number = 0;
  #retryAt: number = -Infinity;
  /** Whether the service refused the last poll. */
  #isRefused: boolean = false;
  #feed: Feed | undefined;
  /** The age of the oldest response to the latest poll, in milliseconds. */
  #age: number = 0;
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #listener: SourceListener;
  readonly #learned: LearnedCapabilities;

  /** `clock` is the hub's clock. */
  constructor(client: Connection, clock: Clock, signal: AbortSignal, listener: SourceListener) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#listener = listener;
    this.#learned = getLearnedCapabilities(client);
  }

  /** Whether the feed can be used. False if the service refuses it or it has failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  /**
   * Returns whether to try a disabled feed again. `isMissed` means that values can't be live
   * without the feed.
   */
  isRetryDue(isMissed: boolean): boolean {
    const isSooner = isMissed && !this.#isRefused;
    const at = isSooner ? Math.min(this.#retryAt, this.polledAt + MISSED_RETRY_MS) : this.#retryAt;
    const isGivenUp = !this.isPossible && this.#learned.capabilities.feed;
    return isGivenUp && !this.#isPolling && at <= this.#now;
  }

  /** Returns whether the feed has reported all changes to an entry since its last read. */
  covers({ type, readSentAt }: AnyEntry): boolean {
    return this.isLive && readSentAt >= this.#since && type.watch.wokenBy !== 'time';
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** Stops the feed and forgets its position. The next start begins with the latest events. */
  forget(): void {
    this.stop();
    this.#feed = undefined;
  }

  /** Starts the feed at the position where it was stopped. */
  start(): void {
    this.#forgetOld();
    this.#isOn = true;
    this.pollAt = this.#now;
  }

  /** Polls right away, or `recent` milliseconds after the last poll. */
  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.polledAt + recent);
  }

  /** Stops the feed. Until it's started again, it covers no entries. */
  stop(): void {
    this.#isOn = false;
    this.isLive = false;
  }

  /**
   * Polls once and passes events and gaps to the listener. If the poll fails, resolves to the
   * error. `isOutage` means that other requests fail too, so a failure isn't counted.
   */
  async poll(isOutage: boolean): Promise<PaystateError | undefined> {
    const sentAt = this.#now;
    // there are more events than usual after a pause
    const isRegular = this.isLive && sentAt - this.polledAt <= REGULAR_MS;
    this.pollAt = Infinity;
    this.polledAt = sentAt;
    this.#isPolling = true;
    const poll = (this.#latest = {});
    let feed: Feed | undefined;
    try {
      const FeedClass = slotState(this.#client, FEED).Feed ?? (await this.#load());
      // a later poll was started while the code was loading
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
      if (isBeginning) this.#feed = undefined; // until a poll succeeds, the feed has no position
      // if an event can't be read, the poll counts as failed, because a change could be missed
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
    // a read may have come from a lagging replica, so recent events are passed on too
    const recent = LAG_MS / 1_000 + 10;
    const client = withAge(this.#client, (age) => {
      this.#age = Math.max(this.#age, age);
    });
    return new FeedClass(client, { signal: this.#signal, maxAttempts: 1, recent });
  }

  /** Polls once to find out whether the feed works again. If it does, the next plan may use it. */
  async tryAgain(): Promise<void> {
    this.#forgetOld();
    await this.poll(false);
  }

  /**
   * Forgets the position after a long pause, because reading all entries takes fewer requests then.
   */
  #forgetOld(): void {
    const isOld = this.#now - this.#completeAt > LONGEST_PAUSE_MS;
    if (isOld || this.#isPolling) this.#feed = undefined;
  }

  #fail({ kind, status }: PaystateError): void {
    this.#isRefused = status === 403 && kind === 'refused'; // the feed will be tried again later
    this.#failures = this.#isRefused ? MAX_FAILURES : this.#failures + 1;
    if (this.#failures < MAX_FAILURES) return;
    this.#retryAt = this.#now + (RETRY_AFTER_MS[this.#retries++] ?? RETRY_AFTER_MS.at(-1)!);
  }
}

/** Creates the error for a poll whose response came from a cache and was too old. */
function answeredByCache(): UnreachableError {
  return new UnreachableError('a cache answered the event feed instead of the service', {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}
