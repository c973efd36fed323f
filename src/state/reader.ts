import { type CallOptions, type Connection, withPriority } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { countOf, type Page } from '../core/lists/index.ts';
import type { AnyEntry } from './entry.ts';
import type { EntityType, EntityLists } from './entity-type.ts';
import { type LearnedCapabilities, learnedCapabilitiesOf } from './learned-capabilities.ts';

/** The result of a read for one entry; neither value nor error: a list did not hold it. */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
}

export type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/** A window of creation times is read whole while it holds at most this many times what is wanted. */
const WASTE = 3;

/** Reads due entities in as few requests as it can: alone, by windows of creation, or by ids. */
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
      for (const entry of own) if (!this.#isListed(entry)) work.push(this.#one(entry));
      if (type.lists)
        work.push(
          this.#many(
            type,
            type.lists,
            own.filter((entry) => this.#isListed(entry)),
          ),
        );
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
    return Math.ceil(listed / this.#learned.width) + entries.length - listed;
  }

  #isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.capabilities.list && type.lists !== undefined && !isReadAlone;
  }

  async #one(entry: AnyEntry): Promise<void> {
    const sentAt = this.#connection.clock.monotonic();
    try {
      const value = await entry.type.get(this.#connection, entry.id, this.#options(entry.trigger));
      this.#report(entry, { value }, sentAt);
    } catch (error) {
      this.#failed([entry], error as PaystateError, sentAt);
    }
  }

  async #many(
    type: EntityType<unknown>,
    lists: EntityLists<unknown>,
    entries: readonly AnyEntry[],
  ): Promise<void> {
    const rest = [...(await this.#byWindow(type, lists, entries))];
    const work: Promise<void>[] = [];
    while (rest.length > 0)
      work.push(this.#byIds(type, lists, rest.splice(0, this.#learned.take(rest.length))));
    await Promise.all(work);
  }

  /** First reads whose creation is known, by one window, page by page; resolves to those that are left. */
  async #byWindow(
    type: EntityType<unknown>,
    lists: EntityLists<unknown>,
    entries: readonly AnyEntry[],
  ): Promise<readonly AnyEntry[]> {
    const dated = entries.filter(
      ({ readAt, created }) => readAt === undefined && created !== undefined,
    );
    if (dated.length <= this.#learned.width) return entries;
    const seconds = dated.map((entry) => entry.created!);
    const [after, before] = [Math.min(...seconds) - 1, Math.max(...seconds) + 2];
    const wanted = byId(dated);
    try {
      for (
        let skip = 0, whole = 1;
        wanted.size > 0 && skip < whole && whole <= WASTE * dated.length;
      ) {
        const page = lists.byCreated(
          this.#connection,
          after,
          before,
          skip,
          this.#options(`first read of ${dated.length}`),
        );
        const { items, ...counts } = await this.#take(wanted, type, page);
        whole = countOf(counts) ?? Infinity;
        skip = items.length > 0 ? skip + items.length : Infinity;
      }
    } catch {
      // whatever it was, the lists by id meet it too and say so
    }
    return entries.filter((entry) => wanted.has(entry.id) || !dated.includes(entry));
  }

  async #byIds(
    type: EntityType<unknown>,
    lists: EntityLists<unknown>,
    batch: readonly AnyEntry[],
  ): Promise<void> {
    const [{ trigger }] = batch as [AnyEntry];
    if (batch.length === 1) return this.#one(batch[0]!);
    const sentAt = this.#connection.clock.monotonic();
    const wanted = byId(batch);
    try {
      await this.#take(
        wanted,
        type,
        lists.byIds(
          this.#connection,
          [...wanted.keys()],
          this.#options(`${trigger}, ${batch.length} in one list`),
        ),
      );
      this.#learned.accepted(batch.length);
      for (const entry of wanted.values()) this.#report(entry, {}, sentAt);
    } catch (error) {
      if (!this.#learned.refused(error as PaystateError, batch.length))
        return this.#failed(batch, error as PaystateError, sentAt);
      await this.read(batch); // no answer about any of them: in another way
    }
  }

  /** Reports what a page holds, and takes it out of `wanted`. */
  async #take(
    wanted: Map<string, AnyEntry>,
    type: EntityType<unknown>,
    asked: Promise<Page<unknown>>,
  ): Promise<Page<unknown>> {
    const sentAt = this.#connection.clock.monotonic();
    const page = await asked;
    for (const value of page.items) {
      const entry = wanted.get(type.idOf(value));
      if (!entry) continue;
      wanted.delete(entry.id);
      this.#report(entry, { value }, sentAt);
    }
    return page;
  }

  #failed(entries: readonly AnyEntry[], error: PaystateError, sentAt: number): void {
    if (!this.#signal.aborted) for (const entry of entries) this.#report(entry, { error }, sentAt);
  }

  #options(reason: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason };
  }
}

function byId(entries: readonly AnyEntry[]): Map<string, AnyEntry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
