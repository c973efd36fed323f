import { type Connection, internals } from '../../core/http/index.ts';
import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { Feed } from '../../resources/events/feed.ts';
import type { ServiceEvent } from '../../resources/events/model.ts';
import { eventPrefixOf } from '../../resources/events/types.ts';
import type { AnyEntry } from '../entry.ts';
import { type LearnedCapabilities, learnedCapabilitiesOf } from '../learned-capabilities.ts';
import type { ChangeSource, SourceListener } from './source.ts';

/** Failed polls in a row after which the feed counts as impossible. */
const MAX_FAILURES = 3;
/** Weight of the newest poll in the average. */
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
  /** When it was started, monotonic. */
  startedAt: number = 0;
  /** Changes of watched resources that were noticed since, from any source. */
  changes: number = 0;
  /** Requests of one poll, on average. */
  requests: number = 1;
  /** One complete poll has come back since the start: it vouches for what it covers. */
  #isLive: boolean = false;
  #failures = 0;
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
  }

  /** No refusal is known and it has not failed too often. */
  get isPossible(): boolean {
    return this.#learned.capabilities.feed && this.#failures < MAX_FAILURES;
  }

  safetyPeriod({ type }: AnyEntry): number | undefined {
    return this.#isLive && type.watch.wokenBy !== 'time' ? SAFETY_PERIOD : undefined;
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic();
  }

  start(): void {
    this.pollAt = this.startedAt = this.#now;
    this.changes = 0;
  }

  wake(): void {
    if (this.pollAt < Infinity) this.pollAt = this.#now;
  }

  /** The next start begins with the events of then. */
  stop(): void {
    this.pollAt = Infinity;
    this.#isLive = false;
    this.#feed = undefined;
    this.#failures = 0;
  }

  /**
   * Events name resources; some resources may be concerned by any. One look at what is watched for
   * all of them.
   */
  #tell(events: readonly ServiceEvent[]): void {
    if (events.length === 0) return;
    const changes = new Map<string, number>();
    for (const { eventType, data } of events) {
      const subject = `${eventPrefixOf(eventType)} ${data.entityId}`;
      const isCreation = eventType.endsWith('.created'); // any read that finds it shows that
      changes.set(subject, (changes.get(subject) ?? 0) + (isCreation ? 0 : 1));
    }
    this.#listener.changed('event', ({ type, id }) =>
      type.watch.wokenBy === 'every-event' ? 1 : changes.get(`${type.events} ${id}`),
    );
  }

  /** Polls once and tells the listener of the events. Resolves to the error, if there was one. */
  async poll(): Promise<PaystateError | undefined> {
    this.pollAt = Infinity;
    const feed = (this.#feed ??= new Feed(this.#client, undefined, this.#signal));
    try {
      const { events, complete, requests } = await feed.poll();
      this.requests += SMOOTHING * (requests - this.requests);
      this.#failures = 0;
      this.#isLive ||= complete && feed === this.#feed;
      this.#tell(events);
      return undefined;
    } catch (thrown) {
      if (!isPaystateError(thrown)) return undefined; // the signal was aborted
      this.#failures++;
      if (thrown.status === 403) this.#learned.capabilities.feed = false;
      return thrown;
    }
  }
}
