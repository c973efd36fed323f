import { RateLimitError, type PaystateError } from '../core/errors/index.ts';
import { type Connection, internals, placesOf, type Priority } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { type LearnedCapabilities, learnedCapabilitiesOf } from '../resources/service-facts.ts';
import { isPlainId } from '../resources/resource.ts';
import { ReadPace } from './read-pace.ts';

/**
 * A read waits this long for a place in the rate limit, milliseconds: a longer wait is not under a
 * lease, the inbox comes back when there is one.
 */
export const PLACE_WAIT = 5_000;

/** Gives requests their turns, within a part of the rate limit. */
export interface ReadTurns {
  /**
   * Resolves when another request may leave; rejects with `QUEUE_TIMEOUT` where that would be too
   * late.
   */
  next(): Promise<void>;
}

/** Turns of a process that shares its part of the rate limit with no other one. */
export class OwnTurns implements ReadTurns {
  readonly #clock: Clock;
  readonly #pace: ReadPace;

  /** @param part of the places that the rate limit has for this priority */
  constructor(client: Connection, part: number, priority: Priority) {
    this.#clock = client[internals].clock;
    const { places, window } = placesOf(client, 'others', priority);
    this.#pace = new ReadPace(places * part, window);
  }

  async next(): Promise<void> {
    const now = this.#clock.monotonic();
    const delay = this.#pace.delay(now);
    if (delay > PLACE_WAIT) throw noPlaceInTime(this.#clock, delay);
    this.#pace.take(now);
    await this.#clock.wait(delay);
  }
}

/** No request has left: our own limit has said no. */
export function noPlaceInTime(clock: Clock, delay: number): RateLimitError {
  return new RateLimitError('no place for a read in time', {
    code: 'QUEUE_TIMEOUT',
    outcome: 'not-done',
    next: 'wait',
    retryAt: clock.now() + delay,
  });
}

/** How resources of one kind are read. */
interface ManyReads<Value> {
  /** Reads one by itself. */
  one(id: string): Promise<Value>;
  /** Reads many by one list: by id those that it holds. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, Value>>;
}

/** What one request reads. */
interface Batch<Value> {
  readonly ids: Set<string>;
  /** Ids that it may have. */
  readonly width: number;
  /** Finds one in the response. */
  readonly find: Promise<(id: string) => Value | Promise<Value>>;
}

/**
 * Reads what is asked for at the same time by one list. A few requests may leave at once; after
 * that they are spread evenly, so that each of them reads more.
 */
export class GatheredReads<Value> {
  readonly #reads: ManyReads<Value>;
  readonly #turns: ReadTurns;
  readonly #learned: LearnedCapabilities;
  /** The next request, as long as it has not been sent. */
  #next: Batch<Value> | undefined;

  constructor(client: Connection, reads: ManyReads<Value>, turns: ReadTurns) {
    this.#reads = reads;
    this.#turns = turns;
    this.#learned = learnedCapabilitiesOf(client);
  }

  /**
   * Reads one by a request that is sent after this call. Rejects with `QUEUE_TIMEOUT` where that
   * would be too late.
   */
  async read(id: string): Promise<Value> {
    if (!isPlainId(id)) return this.#reads.one(id);
    const next = this.#next;
    const isIn = next && (next.ids.size < next.width || next.ids.has(id));
    const batch = isIn ? next : this.#begin();
    batch.ids.add(id);
    return (await batch.find)(id);
  }

  #begin(): Batch<Value> {
    const ids = new Set<string>();
    const batch: Batch<Value> = {
      ids,
      width: this.#learned.capabilities.list ? this.#learned.take(Infinity) : 1,
      find: this.#turns
        .next()
        .finally(() => {
          if (this.#next === batch) this.#next = undefined;
        })
        .then(() => this.#send([...ids])),
    };
    return (this.#next = batch);
  }

  /**
   * What a list does not hold is read by itself: it may lag, or not be for it. Where lists are not
   * for us, they become shorter.
   */
  async #send(ids: readonly string[]): Promise<Awaited<Batch<Value>['find']>> {
    if (ids.length === 1) return (id) => this.#reads.one(id);
    try {
      const found = await this.#reads.many(ids);
      this.#learned.noteAccepted(ids.length);
      return (id) => found.get(id) ?? this.#reads.one(id);
    } catch (thrown) {
      if (!this.#learned.noteRefused(thrown as PaystateError, ids.length)) throw thrown;
      return (id) => this.read(id);
    }
  }
}
