import { type Connection, type Slot, stateOf } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import type { Feed } from '../../resources/events.feed.ts';
import type { Gap } from '../../resources/events.cursor.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import type { AnyEntry } from '../entry.ts';
import { isOfCreation } from '../../resources/events.types.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  learnedCapabilitiesOf,
} from '../../resources/service-facts.ts';
import type { SourceListener } from './relay.ts';

/** Failed polls in a row, with the service otherwise there, after which the feed is given up. */
const MAX_FAILURES = 3;
/** When a feed that was given up is tried again: milliseconds since the last try. */
const RETRY_AFTER_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** The same where polls are too slow to keep all that is watched live. */
const MISSED_RETRY_MS = 30_000;
/** After a longer pause, the events of that time are not walked along, milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;
/** Weight of the newest figure in the average of a poll's requests. */
const SMOOTHING = 0.1;
/** Changes are averaged over about this time, milliseconds. */
const CHANGES_OVER_MS = 100_000;

/** Holds the code that polls, once it is loaded: most pages watch too little to poll the feed. */
interface FeedPlace {
  Feed?: typeof Feed;
  /** Another way to load it, in tests. */
  readonly load?: () => Promise<{ readonly Feed: typeof Feed }>;
}

const FEED: Slot<FeedPlace> = { name: 'state.feed', make: () => ({}) };

/**
 * Says whether a copy may hide what the event announces: a creation is shown by any read that finds
 * it.
 */
function isChange({ eventType }: ServiceEvent): boolean {
  return !isOfCreation(eventType);
}

/**
 * The account's event feed as a source, and what it costs. Polled by the hub while the plan says
 * so.
 */
export class FeedSource {
  readonly name = 'event feed';
  /** When to poll next, monotonic. */
  pollAt: number = Infinity;
  /** When the last poll was sent, monotonic. */
  polledAt: number = -Infinity;
  /** Changes of watched resources that were noticed, from any source: a millisecond, on average. */
  changesPerMs: number = 0;
  /** Requests of one poll, on average. */
  requests: number = 1;
  /** What was last missing from the feed. */
  gap: Gap | undefined;
  /** A complete poll has come back since it was started. */
  isLive: boolean = false;
  /** When the feed began, without a gap since; monotonic. */
  #since: number = Infinity;
  /** When all events since it began were known last: it can go on from there. Monotonic. */
  #wholeAt: number = -Infinity;
  #isOn: boolean = false;
  #isPolling: boolean = false;
  /** The latest poll; one that was overtaken while code was loaded does nothing. */
  #latest: object | undefined;
  #failures: number = 0;
  /** How often it was tried again after it was given up. */
  #retries: number = 0;
  #retryAt: number = -Infinity;
  /** The service refused it when it was asked last. */
  #isRefused: boolean = false;
  #changes: number = 0;
  #countedAt: number;
  #feed: Feed | undefined;
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #listener: SourceListener;
  readonly #learned: LearnedCapabilities;

  /** `clock`: that of the hub. */
  constructor(client: Connection, clock: Clock, signal: AbortSignal, listener: SourceListener) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#listener = listener;
    this.#learned = learnedCapabilitiesOf(client);
    this.#countedAt = this.#now;
  }

  /** No refusal is known and it has not failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  /** It was given up, and it is time to try it once more. `isMissed`: all wait for it. */
  isRetryDue(isMissed: boolean): boolean {
    const isSooner = isMissed && !this.#isRefused;
    const at = isSooner ? Math.min(this.#retryAt, this.polledAt + MISSED_RETRY_MS) : this.#retryAt;
    const isGivenUp = !this.isPossible && this.#learned.capabilities.feed;
    return isGivenUp && !this.#isPolling && at <= this.#now;
  }

  /** No change of it can have gone unheard since it was read. */
  covers({ type, readSentAt }: AnyEntry): boolean {
    return this.isLive && readSentAt >= this.#since && type.watch.wokenBy !== 'time';
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** The next start begins with the events of then: what is read from then on is covered. */
  forget(): void {
    this.stop();
    this.#feed = undefined;
  }

  /** Goes on where it was stopped: what was covered then is covered again. */
  start(): void {
    this.#forgetOld();
    this.#isOn = true;
    this.pollAt = this.#now;
  }

  /** Polls at once, unless the last poll is this recent. */
  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.polledAt + recent);
  }

  /** Covers nothing until it was started again. */
  stop(): void {
    this.#isOn = false;
    this.isLive = false;
  }

  /** Counts changes that were noticed; those before the feed began are no measure. */
  noteChange(): void {
    if (this.isLive) this.#changes++;
  }

  /** Counts a change that a read has shown while the feed was not polled. */
  noteMove(): void {
    if (!this.isLive) this.#changes++;
  }

  /** Takes the changes since the last call into the average. */
  averageChanges(): void {
    const elapsed = this.#now - this.#countedAt;
    if (elapsed <= 0) return;
    const weight = 1 - Math.exp(-elapsed / CHANGES_OVER_MS);
    this.changesPerMs += weight * (this.#changes / elapsed - this.changesPerMs);
    this.#changes = 0;
    this.#countedAt = this.#now;
  }

  /**
   * Polls once and tells the listener of the events and gaps. Resolves to the error, if there was
   * one. `isOutage`: everything else fails too, which says nothing about the feed.
   */
  async poll(isOutage: boolean): Promise<PaystateError | undefined> {
    const sentAt = this.#now;
    this.pollAt = Infinity;
    this.polledAt = sentAt;
    this.#isPolling = true;
    const poll = (this.#latest = {});
    let feed: Feed | undefined;
    try {
      const FeedClass = stateOf(this.#client, FEED).Feed ?? (await this.#load());
      if (poll !== this.#latest) return undefined; // another one began while it was loaded
      feed = this.#feed ??= this.#begin(FeedClass);
      const { events, gaps, complete, requests, now } = await feed.poll();
      if (feed !== this.#feed) return undefined; // it has begun again meanwhile
      if (this.isLive) this.requests += SMOOTHING * (requests - this.requests); // the start costs more
      this.#failures = this.#retries = 0;
      if (gaps.some(({ entityId }) => !entityId)) this.#since = sentAt;
      this.gap = gaps.at(-1) ?? this.gap;
      this.#listener.applyEvents(this.isLive ? events : events.filter(isChange), gaps, now);
      if (complete) this.#wholeAt = sentAt;
      this.isLive ||= complete && this.#isOn;
      return undefined;
    } catch (thrown) {
      if (this.#signal.aborted) return undefined;
      const isBeginning = feed === this.#feed && this.#wholeAt < this.#since;
      if (isBeginning) this.#feed = undefined; // it begins with the poll that succeeds
      // also where its reading breaks: it must not look as if nothing had happened
      const error = thrown as PaystateError;
      if (!isOutage) this.#fail(error);
      return error;
    } finally {
      if (poll === this.#latest) this.#isPolling = false;
    }
  }

  async #load(): Promise<typeof Feed> {
    const place = stateOf(this.#client, FEED);
    const loading = place.load?.() ?? import('../../resources/events.feed.ts');
    return (place.Feed = (await this.#clock.external(loading)).Feed);
  }

  #begin(FeedClass: typeof Feed): Feed {
    this.#since = this.polledAt;
    // a read that is sent from now on may come from a copy that does not show what was before
    const recent = LAG_MS / 1_000 + 10;
    return new FeedClass(this.#client, { signal: this.#signal, maxAttempts: 1, recent });
  }

  /** One poll that tells whether the feed is there again: the plan decides then. */
  async tryAgain(): Promise<void> {
    this.#forgetOld();
    await this.poll(false);
  }

  /** After a long pause looks at all take fewer requests than the events of that time. */
  #forgetOld(): void {
    const isOld = this.#now - this.#wholeAt > LONGEST_PAUSE_MS;
    if (isOld || this.#isPolling) this.#feed = undefined;
  }

  #fail({ kind, status }: PaystateError): void {
    this.#isRefused = status === 403 && kind === 'refused'; // it is tried again all the same
    this.#failures = this.#isRefused ? MAX_FAILURES : this.#failures + 1;
    if (this.#failures < MAX_FAILURES) return;
    this.#retryAt = this.#now + (RETRY_AFTER_MS[this.#retries++] ?? RETRY_AFTER_MS.at(-1)!);
  }
}
