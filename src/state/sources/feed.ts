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

/** The feed is given up after this number of failed polls in a row while other requests succeed. */
const MAX_FAILURES = 3;
/** A feed that was given up is tried again after these times since the last try, milliseconds. */
const RETRY_AFTER_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** It is tried again after this time where values cannot be live without it, milliseconds. */
const MISSED_RETRY_MS = 30_000;
/** The events of a longer pause are not read, milliseconds: all entries are read instead. */
const LONGEST_PAUSE_MS = 3_600_000;
/** The latest poll has this weight in the average number of requests; some read further back. */
const SMOOTHING = 0.03;
/** Only a poll within this time of the last one says what a poll costs, milliseconds. */
const REGULAR_MS = 20_000;

/** Holds the code that polls. It is loaded late, because most pages never poll the feed. */
interface FeedPlace {
  Feed?: typeof Feed;
  /** Tests load the code in another way. */
  readonly load?: () => Promise<{ readonly Feed: typeof Feed }>;
}

const FEED: Slot<FeedPlace> = { name: 'state.feed', make: () => ({}) };

/**
 * Says whether a lagging copy may hide what the event announces. A creation cannot be hidden: any
 * read that finds the resource shows it.
 */
function isChange({ eventType }: ServiceEvent): boolean {
  return !isOfCreation(eventType);
}

/**
 * Polls the account's event feed as a source of changes, and measures what that costs. The hub
 * polls it while the plan says so.
 */
export class FeedSource {
  readonly name = 'event feed';
  /** The next poll is due at this time, monotonic. */
  pollAt: number = Infinity;
  /** The last poll was sent at this time, monotonic. */
  polledAt: number = -Infinity;
  /** The average number of requests in a poll. */
  requests: number = 1;
  /** The latest gap in the feed. */
  gap: Gap | undefined;
  /** A complete poll has ended since the feed was started. */
  isLive: boolean = false;
  /** The feed has no gap since this time, monotonic. */
  #since: number = Infinity;
  /** The last complete poll was sent at this time, monotonic: the feed can continue from there. */
  #completeAt: number = -Infinity;
  #isOn: boolean = false;
  #isPolling: boolean = false;
  /** The latest poll. An earlier one that was still loading code does nothing any more. */
  #latest: object | undefined;
  #failures: number = 0;
  /** The number of tries since the feed was given up. */
  #retries: number = 0;
  #retryAt: number = -Infinity;
  /** The service refused the last poll. */
  #isRefused: boolean = false;
  #feed: Feed | undefined;
  /** The age of the oldest answer to the latest poll, milliseconds. */
  #age: number = 0;
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #listener: SourceListener;
  readonly #learned: LearnedCapabilities;

  /** `clock` is that of the hub. */
  constructor(client: Connection, clock: Clock, signal: AbortSignal, listener: SourceListener) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#listener = listener;
    this.#learned = getLearnedCapabilities(client);
  }

  /** The feed was not refused and has not failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  /** Says whether to try the feed again. `isMissed`: values cannot be live without it. */
  isRetryDue(isMissed: boolean): boolean {
    const isSooner = isMissed && !this.#isRefused;
    const at = isSooner ? Math.min(this.#retryAt, this.polledAt + MISSED_RETRY_MS) : this.#retryAt;
    const isGivenUp = !this.isPossible && this.#learned.capabilities.feed;
    return isGivenUp && !this.#isPolling && at <= this.#now;
  }

  /** Says whether the feed has had no gap since an entry was read. */
  covers({ type, readSentAt }: AnyEntry): boolean {
    return this.isLive && readSentAt >= this.#since && type.watch.wokenBy !== 'time';
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** Stops the feed and drops its position: the next start begins with the latest events. */
  forget(): void {
    this.stop();
    this.#feed = undefined;
  }

  /** Starts the feed where it was stopped: it covers again what it covered then. */
  start(): void {
    this.#forgetOld();
    this.#isOn = true;
    this.pollAt = this.#now;
  }

  /** Polls at once, or `recent` milliseconds after the last poll. */
  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.polledAt + recent);
  }

  /** Stops the feed: it covers nothing until it is started again. */
  stop(): void {
    this.#isOn = false;
    this.isLive = false;
  }

  /**
   * Polls once and passes events and gaps to the listener. Resolves to the error of a poll that
   * failed. With `isOutage` other requests fail too, so that a failure does not count.
   */
  async poll(isOutage: boolean): Promise<PaystateError | undefined> {
    const sentAt = this.#now;
    // after a pause there is more to read than usual
    const isRegular = this.isLive && sentAt - this.polledAt <= REGULAR_MS;
    this.pollAt = Infinity;
    this.polledAt = sentAt;
    this.#isPolling = true;
    const poll = (this.#latest = {});
    let feed: Feed | undefined;
    try {
      const FeedClass = slotState(this.#client, FEED).Feed ?? (await this.#load());
      if (poll !== this.#latest) return undefined; // a later poll began while the code was loaded
      feed = this.#feed ??= this.#begin(FeedClass);
      this.#age = 0;
      const { events, gaps, complete, requests, now } = await feed.poll();
      if (feed !== this.#feed) return undefined; // the feed was restarted meanwhile
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
      if (isBeginning) this.#feed = undefined; // the feed begins with the first poll that succeeds
      // a poll whose events cannot be read counts as failed too: changes must not be missed
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
    // a read may come from a lagging copy, so recent events are passed on too
    const recent = LAG_MS / 1_000 + 10;
    const client = withAge(this.#client, (age) => {
      this.#age = Math.max(this.#age, age);
    });
    return new FeedClass(client, { signal: this.#signal, maxAttempts: 1, recent });
  }

  /** Polls once to find out whether the feed works again. The next plan decides what follows. */
  async tryAgain(): Promise<void> {
    this.#forgetOld();
    await this.poll(false);
  }

  /** Drops the position after a long pause: reading all entries takes fewer requests then. */
  #forgetOld(): void {
    const isOld = this.#now - this.#completeAt > LONGEST_PAUSE_MS;
    if (isOld || this.#isPolling) this.#feed = undefined;
  }

  #fail({ kind, status }: PaystateError): void {
    this.#isRefused = status === 403 && kind === 'refused'; // it is tried again later
    this.#failures = this.#isRefused ? MAX_FAILURES : this.#failures + 1;
    if (this.#failures < MAX_FAILURES) return;
    this.#retryAt = this.#now + (RETRY_AFTER_MS[this.#retries++] ?? RETRY_AFTER_MS.at(-1)!);
  }
}

/** Makes the error of a poll that says nothing about now. */
function answeredByCache(): UnreachableError {
  return new UnreachableError('a cache answered the event feed instead of the service', {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}
