import { type CallOptions, type Connection, withPriority } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { countOf, type Page } from '../core/lists/index.ts';
import type { Entry } from './entry.ts';
import type { Kind, Lists } from './kind.ts';
import { type Learned, learnedOf } from './learned.ts';

/** What a look brought for one entity; neither value nor error: a list did not hold it. */
export interface Found {
  readonly value?: unknown;
  readonly error?: PaystateError;
}

export type Report = (entry: Any, found: Found, sentAt: number) => void;

type Any = Entry<unknown>;

/** A window of creation times is read whole while it holds at most this many times what is wanted. */
const WASTE = 3;

/** Reads due entities in as few requests as it can: alone, by windows of creation, or by ids. */
export class Reader {
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #report: Report;
  readonly #learned: Learned;

  constructor(client: Connection, signal: AbortSignal, report: Report) {
    this.#connection = withPriority(client, 'normal');
    this.#signal = signal;
    this.#report = report;
    this.#learned = learnedOf(client);
  }

  async read(entries: readonly Any[]): Promise<void> {
    const work: Promise<void>[] = [];
    for (const kind of new Set(entries.map((entry) => entry.kind))) {
      const own = entries.filter((entry) => entry.kind === kind);
      for (const entry of own) if (!this.#isListed(entry)) work.push(this.#one(entry));
      if (kind.lists)
        work.push(
          this.#many(
            kind,
            kind.lists,
            own.filter((entry) => this.#isListed(entry)),
          ),
        );
    }
    await Promise.all(work);
  }

  /** Requests that one look at all of these takes. */
  cost(entries: readonly Any[]): number {
    const listed = entries.filter((entry) => this.#isListed(entry)).length;
    return Math.ceil(listed / this.#learned.width) + entries.length - listed;
  }

  #isListed({ kind, alone }: Any): boolean {
    return this.#learned.may.list && kind.lists !== undefined && !alone;
  }

  async #one(entry: Any): Promise<void> {
    const sentAt = this.#connection.clock.monotonic();
    try {
      const value = await entry.kind.find(this.#connection, entry.id, this.#options(entry.reason));
      this.#report(entry, { value }, sentAt);
    } catch (error) {
      this.#failed([entry], error as PaystateError, sentAt);
    }
  }

  async #many(kind: Kind<unknown>, lists: Lists<unknown>, entries: readonly Any[]): Promise<void> {
    const rest = [...(await this.#byWindow(kind, lists, entries))];
    const work: Promise<void>[] = [];
    while (rest.length > 0)
      work.push(this.#byIds(kind, lists, rest.splice(0, this.#learned.take(rest.length))));
    await Promise.all(work);
  }

  /** First looks whose creation is known, by one window, page by page; resolves to those that are left. */
  async #byWindow(
    kind: Kind<unknown>,
    lists: Lists<unknown>,
    entries: readonly Any[],
  ): Promise<readonly Any[]> {
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
          this.#options(`first look at ${dated.length}`),
        );
        const { items, ...counts } = await this.#taken(wanted, kind, page);
        whole = countOf(counts) ?? Infinity;
        skip = items.length > 0 ? skip + items.length : Infinity;
      }
    } catch {
      // whatever it was, the lists by id meet it too and say so
    }
    return entries.filter((entry) => wanted.has(entry.id) || !dated.includes(entry));
  }

  async #byIds(kind: Kind<unknown>, lists: Lists<unknown>, batch: readonly Any[]): Promise<void> {
    const [{ reason: why }] = batch as [Any];
    if (batch.length === 1) return this.#one(batch[0]!);
    const sentAt = this.#connection.clock.monotonic();
    const wanted = byId(batch);
    try {
      await this.#taken(
        wanted,
        kind,
        lists.byIds(
          this.#connection,
          [...wanted.keys()],
          this.#options(`${why}, ${batch.length} in one list`),
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

  /** Hands on what a page holds, and takes it out of `wanted`. */
  async #taken(
    wanted: Map<string, Any>,
    kind: Kind<unknown>,
    asked: Promise<Page<unknown>>,
  ): Promise<Page<unknown>> {
    const sentAt = this.#connection.clock.monotonic();
    const page = await asked;
    for (const value of page.items) {
      const entry = wanted.get(kind.idOf(value));
      if (!entry) continue;
      wanted.delete(entry.id);
      this.#report(entry, { value }, sentAt);
    }
    return page;
  }

  #failed(entries: readonly Any[], error: PaystateError, sentAt: number): void {
    if (!this.#signal.aborted) for (const entry of entries) this.#report(entry, { error }, sentAt);
  }

  #options(why: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason: why };
  }
}

function byId(entries: readonly Any[]): Map<string, Any> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
