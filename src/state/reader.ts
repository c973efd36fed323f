import {
  type CallOptions,
  type Connection,
  internals,
  send,
  withPriority,
} from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { anyOf, between, countOf, type ListQuery, type Page } from '../core/lists/index.ts';
import { PAGE } from '../resources/service-facts.ts';
import type { AnyEntry } from './entry.ts';
import { type LearnedCapabilities, learnedCapabilitiesOf } from './learned-capabilities.ts';

/** The result of a read for one entry; neither value nor error: a list did not hold it. */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
}

type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/**
 * A window of creation times is read whole while it holds at most this many times what is wanted.
 */
const WASTE = 3;

/** Reads due entries in as few requests as it can: alone, by windows of creation, or by ids. */
export class Reader {
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #report: OnResult;
  readonly #learned: LearnedCapabilities;

  constructor(client: Connection, signal: AbortSignal, report: OnResult) {
    this.#connection = withPriority(client, 'normal');
    this.#signal = signal;
    this.#report = report;
    this.#learned = learnedCapabilitiesOf(client);
  }

  async read(entries: readonly AnyEntry[]): Promise<void> {
    const work: Promise<void>[] = [];
    for (const type of new Set(entries.map((entry) => entry.type))) {
      const own = entries.filter((entry) => entry.type === type);
      for (const entry of own) if (!this.#isListed(entry)) work.push(this.#batch([entry]));
      work.push(this.#many(own.filter((entry) => this.#isListed(entry))));
    }
    await Promise.all(work);
  }

  /** Ids that one list may ask for. */
  get width(): number {
    return this.#learned.width;
  }

  /** Requests that one read of all these takes. */
  cost(entries: readonly AnyEntry[]): number {
    const listed = entries.filter((entry) => this.#isListed(entry)).length;
    return Math.ceil(listed / this.width) + entries.length - listed;
  }

  #isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.capabilities.list && type.watch.list !== undefined && !isReadAlone;
  }

  /** Entries of one type. */
  async #many(entries: readonly AnyEntry[]): Promise<void> {
    const rest = [...(await this.#byWindow(entries))];
    const work: Promise<void>[] = [];
    while (rest.length > 0) work.push(this.#batch(rest.splice(0, this.#learned.take(rest.length))));
    await Promise.all(work);
  }

  /**
   * First reads whose creation is known, by one window, page by page; resolves to those that are
   * left.
   */
  async #byWindow(entries: readonly AnyEntry[]): Promise<readonly AnyEntry[]> {
    const dated = entries.filter(
      ({ readAt, created }) => readAt === undefined && created !== undefined,
    );
    if (dated.length <= this.width) return entries;
    const seconds = dated.map((entry) => entry.created!);
    const filter = between(Math.min(...seconds) - 1, Math.max(...seconds) + 2);
    const reason = `first read of ${dated.length}`;
    const wanted = byId(dated);
    try {
      for (
        let skip = 0, whole = 1;
        wanted.size > 0 && skip < whole && whole <= WASTE * dated.length;
      ) {
        const query = { filter, orderBy: 'created asc', top: PAGE, skip };
        const page = await this.#list(wanted, query, reason);
        whole = countOf(page) ?? Infinity;
        skip += page.items.length || Infinity;
      }
    } catch {
      // the lists by id meet the same error and report it
    }
    return entries.filter((entry) => wanted.has(entry.id) || !dated.includes(entry));
  }

  /** A single one is read by itself, others by one list. */
  async #batch(batch: readonly AnyEntry[]): Promise<void> {
    const [first] = batch as [AnyEntry];
    const { type, id, trigger } = first;
    const sentAt = this.#connection[internals].clock.monotonic();
    try {
      if (batch.length === 1) {
        const value = await type.read(this.#connection, id, this.#options(trigger));
        return this.#report(first, { value }, sentAt);
      }
      const wanted = byId(batch);
      const filter = anyOf(type.watch.list!.id, [...wanted.keys()]);
      await this.#list(wanted, { filter, top: PAGE }, `${trigger}, ${batch.length} in one list`);
      this.#learned.noteAccepted(batch.length);
      for (const entry of wanted.values()) this.#report(entry, {}, sentAt);
    } catch (thrown) {
      const error = thrown as PaystateError;
      if (batch.length > 1 && this.#learned.noteRefused(error, batch.length))
        return this.read(batch); // in another way
      if (!this.#signal.aborted) for (const entry of batch) this.#report(entry, { error }, sentAt);
    }
  }

  /**
   * Reads a page of the list of the wanted entries, reports what it holds, and takes that out of
   * `wanted`.
   */
  async #list(
    wanted: Map<string, AnyEntry>,
    where: ListQuery,
    reason: string,
  ): Promise<Page<unknown>> {
    const [{ type }] = wanted.values() as Iterable<AnyEntry> as [AnyEntry];
    const sentAt = this.#connection[internals].clock.monotonic();
    const page = await send(
      this.#connection,
      type.watch.list!.endpoint,
      { where },
      this.#options(reason),
    );
    for (const value of page.items) {
      const entry = wanted.get(type.idOf(value));
      if (!entry) continue;
      wanted.delete(entry.id);
      this.#report(entry, { value }, sentAt);
    }
    return page;
  }

  #options(reason: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason };
  }
}

function byId(entries: readonly AnyEntry[]): Map<string, AnyEntry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
