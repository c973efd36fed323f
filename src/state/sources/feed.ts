import { type Connection, internals } from '../../core/http/index.ts';
import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { Feed } from '../../resources/events/feed.ts';
import type { Gap } from '../../resources/events/cursor.ts';
import type { AnyEntry } from '../entry.ts';
import { type LearnedCapabilities, learnedCapabilitiesOf } from '../learned-capabilities.ts';
import type { ChangeSource, SourceListener } from './source.ts';

/** Failed polls in a row, with the service otherwise there, after which the feed is given up. */
const MAX_FAILURES = 3;
/** When a feed that was given up is tried again: milliseconds since the last try. */
const RETRY_AFTER: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** Weight of the newest figure in an average. */
const SMOOTHING = 0.1;
/** What the feed covers is read this often even when the feed says nothing, milliseconds. */
export const SAFETY_PERIOD = 1_800_000;

/**
 * The account's event feed as a source, and what it costs. Polled by the hub while the plan says
 * so.
 */
export class FeedSource implements ChangeSource {
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
  /** When the feed began, without a gap since; monotonic. */
  #since: number = Infinity;
  /** One complete poll has come back since: it vouches for what it covers. */
  #isLive: boolean = false;
  #failures: number = 0;
  /** How often it was tried again after it was given up. */
  #retries: number = 0;
  #retryAt: number = -Infinity;
  #changes: number = 0;
  #countedAt: number;
  #feed: Feed | undefined;
  readonly #client: Connection;
  readonly #signal: AbortSignal;
  readonly #listener: SourceListener;
  readonly #learned: LearnedCapabilities;

  constructor(client: Connection, signal: AbortSignal, listener: SourceListener) {
    this.#client = client;
    this.#signal = signal;
    this.#listener = listener;
    this.#learned = learnedCapabilitiesOf(client);
    this.#countedAt = this.#now;
  }

  /** No refusal is known and it has not failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  /** It was given up, and it is time to try it once more. */
  get isRetryDue(): boolean {
    return !this.isPossible && this.#learned.capabilities.feed && this.#retryAt <= this.#now;
  }

  /** What was read after the feed began is read for safety only while the feed goes on. */
  nextReadAt({ type, lookedAt }: AnyEntry): number | undefined {
    const isCovered = this.#isLive && lookedAt >= this.#since && type.watch.wokenBy !== 'time';
    return isCovered ? Infinity : undefined;
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic();
  }

  /** Begins with the events of now: what is read from now on is covered. */
  start(): void {
    this.stop();
    this.pollAt = this.#now;
  }

  /** Polls at once, unless the last poll is this recent. */
  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.polledAt + recent);
  }

  /** The next start begins with the events of then. */
  stop(): void {
    this.pollAt = Infinity;
    this.#isLive = false;
    this.#since = Infinity;
    this.#feed = undefined;
  }

  /** Counts changes that were noticed; those before the feed began are no measure. */
  noteChange(): void {
    if (this.#isLive) this.#changes++;
  }

  /** Takes the changes since the last call into the average. */
  averageChanges(): void {
    const elapsed = this.#now - this.#countedAt;
    if (elapsed <= 0) return;
    this.changesPerMs += SMOOTHING * (this.#changes / elapsed - this.changesPerMs);
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
    if (!this.#feed) this.#since = sentAt;
    const options = { signal: this.#signal, maxAttempts: 1 };
    const feed = (this.#feed ??= new Feed(this.#client, options));
    try {
      const { events, gaps, complete, requests } = await feed.poll();
      if (feed !== this.#feed) return undefined; // it was stopped meanwhile
      if (this.#isLive) this.requests += SMOOTHING * (requests - this.requests); // the start costs more
      this.#failures = this.#retries = 0;
      if (gaps.length > 0) this.#since = sentAt;
      this.gap = gaps.at(-1) ?? this.gap;
      this.#listener.applyEvents(events, gaps);
      this.#isLive ||= complete;
      return undefined;
    } catch (thrown) {
      if (!isPaystateError(thrown)) return undefined; // the signal was aborted
      if (!this.#isLive) this.#feed = undefined; // it begins with the poll that succeeds
      if (!isOutage) this.#fail(thrown);
      return thrown;
    }
  }

  /** One poll that tells whether the feed is there again: the plan decides then. */
  async tryAgain(): Promise<void> {
    await this.poll(false);
    if (this.pollAt === Infinity) this.stop();
  }

  #fail({ kind, status }: PaystateError): void {
    if (status === 403 && kind === 'refused') this.#learned.capabilities.feed = false;
    if (++this.#failures < MAX_FAILURES) return;
    this.#retryAt = this.#now + (RETRY_AFTER[this.#retries++] ?? RETRY_AFTER.at(-1)!);
  }
}
