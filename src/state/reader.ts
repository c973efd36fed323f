import { type Connection, laned } from '../core/connection.ts';
import { isPaystateError } from '../core/errors.ts';
import type { Page } from '../core/list.ts';
import type { Entry } from './entry.ts';
import type { Lists } from './kind.ts';
import { listWidth, type Width } from './width.ts';

/** What a look brought for one entity; `undefined` value: a list did not hold it. */
export type Found<T> = { readonly value: T | undefined } | { readonly error: unknown };

export type Report<T> = (entry: Entry<T>, found: Found<T>, sentAt: number) => void;

type Any = Entry<unknown>;

/** A window of creation times is read whole while it holds at most this many times what is wanted. */
const WASTE = 3;

/** Reads due entities in as few requests as it can: alone, by windows of creation, or by ids. */
export interface Reader {
  read(entries: readonly Any[], signal: AbortSignal): Promise<void>;
  /** This credential may list; learned from the first refusal. */
  canList(): boolean;
  readonly width: Width;
}

export function readerOf(client: Connection, report: Report<unknown>): Reader {
  const connection = laned(client, 'watch');
  const width = listWidth(client);
  let canList = client.may.list;

  async function one(entry: Any, signal: AbortSignal): Promise<void> {
    const sentAt = client.clock.monotonic();
    try {
      const value = await entry.kind.find(connection, entry.id, { signal, attempts: 1, why: entry.why });
      report(entry, { value }, sentAt);
    } catch (error) {
      if (!signal.aborted) report(entry, { error }, sentAt);
    }
  }

  async function many(lists: Lists<unknown>, entries: readonly Any[], signal: AbortSignal): Promise<void> {
    const rest = [...(await byWindow(lists, entries, signal))];
    const work: Promise<void>[] = [];
    while (rest.length > 0) {
      const batch = rest.splice(0, width.take(rest.length));
      work.push(byIds(lists, batch, signal));
    }
    await Promise.all(work);
  }

  /** First looks whose creation is known, by one window; resolves to those that are left. */
  async function byWindow(lists: Lists<unknown>, entries: readonly Any[], signal: AbortSignal): Promise<readonly Any[]> {
    const dated = entries.filter((entry) => !entry.truth && entry.created !== undefined);
    if (dated.length <= width.current()) return entries;
    const seconds = dated.map((entry) => entry.created!);
    const after = Math.min(...seconds) - 1;
    const before = Math.max(...seconds) + 2;
    const wanted = new Map(dated.map((entry) => [entry.id, entry]));
    for (let skip = 0; wanted.size > 0; ) {
      const sentAt = client.clock.monotonic();
      let page: Page<unknown>;
      try {
        page = await lists.byCreated(connection, after, before, skip, { signal, attempts: 1, why: `first look at ${dated.length}` });
      } catch {
        break; // whatever it was, the lists by id meet it too and say so
      }
      const whole = page.isCountUnknown ? Infinity : (page.count ?? Infinity);
      if (page.items.length === 0 || (skip === 0 && whole > WASTE * dated.length)) break;
      deliver(wanted, page, sentAt);
      skip += page.items.length;
      if (skip >= whole) break;
    }
    return entries.filter((entry) => wanted.get(entry.id) === entry || !dated.includes(entry));
  }

  async function byIds(lists: Lists<unknown>, batch: readonly Any[], signal: AbortSignal): Promise<void> {
    if (batch.length === 1) return one(batch[0]!, signal);
    const sentAt = client.clock.monotonic();
    const wanted = new Map(batch.map((entry) => [entry.id, entry]));
    try {
      const page = await lists.byIds(connection, [...wanted.keys()], { signal, attempts: 1, why: `${batch[0]!.why}, ${batch.length} in one list` });
      width.accepted(batch.length);
      deliver(wanted, page, sentAt);
      for (const entry of wanted.values()) report(entry, { value: undefined }, sentAt);
    } catch (error) {
      if (signal.aborted) return;
      if (width.refusedBy(error, batch.length)) return many(lists, batch, signal);
      if (!isPaystateError(error) || error.status !== 403) return batch.forEach((entry) => report(entry, { error }, sentAt));
      canList = false; // no answer about any of them, nor about those to come
      await Promise.all(batch.map((entry) => one(entry, signal)));
    }
  }

  function deliver(wanted: Map<string, Any>, page: Page<unknown>, sentAt: number): void {
    const kind = wanted.values().next().value?.kind;
    for (const value of page.items) {
      const entry = kind && wanted.get(kind.idOf(value));
      if (!entry) continue;
      wanted.delete(entry.id);
      report(entry, { value }, sentAt);
    }
  }

  return {
    width,
    canList: () => canList,
    async read(entries, signal) {
      const kinds = new Set(entries.map((entry) => entry.kind));
      const work: Promise<void>[] = [];
      for (const kind of kinds) {
        const own = entries.filter((entry) => entry.kind === kind);
        const listable = canList && kind.lists ? own.filter((entry) => !entry.alone) : [];
        for (const entry of own) if (!listable.includes(entry)) work.push(one(entry, signal));
        if (kind.lists && listable.length > 0) work.push(many(kind.lists, listable, signal));
      }
      await Promise.all(work);
    },
  };
}
