import type { Connection } from '../../core/http/index.ts';
import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { Feed } from '../../resources/events/feed.ts';
import { eventPrefixOf } from '../../resources/events/types.ts';
import { type Learned, learnedOf } from '../learned.ts';

/** Failed polls in a row after which the feed counts as impossible. */
const PATIENCE = 3;
/** How fast the average follows. */
const FOLLOW = 0.1;

/** The account's event feed as a source of hints, and what it costs. */
export class FeedSource {
  /** One complete poll has come back since the start. */
  ready: boolean = false;
  /** Requests of one poll, on average. */
  requests: number = 1;
  #failures = 0;
  #walk: Feed | undefined;
  readonly #client: Connection;
  readonly #signal: AbortSignal;
  readonly #learned: Learned;

  constructor(client: Connection, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
    this.#learned = learnedOf(client);
  }

  /** No refusal is known and it has not failed too often. */
  get isPossible(): boolean {
    return this.#learned.may.feed && this.#failures < PATIENCE;
  }

  /** Polls once; hands on a hint for each event. Resolves to the trouble, if there was any. */
  async poll(hint: (kind: string, id: string) => void): Promise<PaystateError | undefined> {
    this.#walk ??= new Feed(this.#client, undefined, this.#signal);
    try {
      const { events, complete, requests } = await this.#walk.poll();
      this.requests += FOLLOW * (requests - this.requests);
      this.#failures = 0;
      this.ready ||= complete;
      for (const { eventType, data } of events) hint(eventPrefixOf(eventType), data.entityId);
      return undefined;
    } catch (thrown) {
      if (!isPaystateError(thrown)) return undefined; // given up by us
      this.#failures++;
      if (thrown.status === 403) this.#learned.may.feed = false;
      return thrown;
    }
  }

  /** Begins a new walk with the next poll. */
  restart(): void {
    this.#walk = undefined;
    this.ready = false;
    this.#failures = 0;
  }
}
