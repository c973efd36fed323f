import { countOf, equals, PAGE, type Page } from '../../core/lists/index.ts';
import { textOfSecond } from '../../core/time/index.ts';
import { type AnyEntry, createdOf } from '../entry.ts';
import type { Section, Span } from './inventory.ts';
import { NEIGHBOURS, type Reader } from '../reader.ts';

/** A section, and what a list has shown of it. */
export interface ReadSection extends Section {
  readonly values: readonly unknown[];
  /** When the request that brought it was sent, monotonic. */
  readonly sentAt: number;
}

/** The service does not count exactly, or does not sort. */
export class InexactError extends Error {}

/** Pages that one section may take, and that it should. */
const MOST_PAGES = 10;
const FEW = 3 * PAGE;
/** Seconds without anything that is watched, from which on others are only counted. */
const LONG = 100;

/** Asks the service for what an inventory consists of. */
export class InventoryReader {
  readonly type: AnyEntry['type'];
  readonly #reader: Reader;
  readonly #now: () => number;
  /** Takes a place for a request; false where none is free now. */
  readonly #mayAsk: () => boolean;

  constructor(type: AnyEntry['type'], reader: Reader, now: () => number, mayAsk: () => boolean) {
    this.type = type;
    this.#reader = reader;
    this.#now = now;
    this.#mayAsk = mayAsk;
  }

  /** How many there are in a span. */
  async count(span: Span): Promise<number> {
    return exactCountOf(await this.#page(span, 1));
  }

  /** The same where a place is free; else nothing. */
  async countIfFree(span: Span): Promise<number | undefined> {
    return this.#mayAsk() ? this.count(span) : undefined;
  }

  /**
   * All of a span; nothing where its pages do not fit together, or no place is free. `mayCut`: of
   * many, only those of the first seconds.
   */
  async all({ from, to }: Span, mayCut: boolean = false): Promise<ReadSection | undefined> {
    const found = new Map<string, unknown>();
    const sentAt = this.#now();
    let before: number | undefined;
    for (let pages = 0; pages < MOST_PAGES && this.#mayAsk(); pages++) {
      const page = await this.#page({ from, to }, PAGE, found.size);
      const { items } = page;
      const count = exactCountOf(page);
      for (const value of items) found.set(this.type.idOf(value), value);
      const values = [...found.values()];
      if (count !== (before ?? count)) break; // it has changed meanwhile
      if (values.length >= count) return { from, to, count, values, sentAt };
      if (items.length === 0) break;
      const cut = mayCut && pages === 0 && count > FEW ? this.#cut(from, items) : undefined;
      if (cut) return { ...cut, sentAt };
      before = count;
    }
    return undefined;
  }

  /** What a page holds up to its last second, of which there may be more. */
  #cut(from: number, items: readonly unknown[]): Omit<ReadSection, 'sentAt'> | undefined {
    const seconds = items.map((value) => createdOf(this.type, value) ?? NaN);
    if (!seconds.every((second, at) => second >= (seconds[at - 1] ?? from)))
      throw new InexactError();
    const to = seconds.at(-1)!;
    const values = items.slice(0, seconds.indexOf(to));
    return to > from ? { from, to, count: values.length, values } : undefined;
  }

  /**
   * The sections of a span, of which `wanted` seconds matter, in order; only the first of them where
   * no place is free for more.
   */
  async walk({ from, to }: Span, wanted: readonly number[]): Promise<ReadSection[]> {
    const sections: ReadSection[] = [];
    while (from < to) {
      const section = await this.#next({ from, to }, wanted);
      if (!section) break;
      sections.push(section);
      from = section.to;
    }
    return sections;
  }

  /** The section at the beginning of a span. */
  async #next({ from, to }: Span, wanted: readonly number[]): Promise<ReadSection | undefined> {
    const left = wanted.filter((second) => second >= from && second < to);
    const [first = to] = left;
    if (left.length > 0 && first < from + LONG)
      return this.all({ from, to: (left[NEIGHBOURS - 1] ?? to - 1) + 1 }, true);
    const sentAt = this.#now();
    const count = await this.countIfFree({ from, to: first });
    return count === undefined ? count : { from, to: first, count, values: [], sentAt };
  }

  #page({ from, to }: Span, top: number, skip?: number): Promise<Page<unknown>> {
    const state = equals('state', this.type.watch.list!.counted);
    const filter = `${state} and created ge ${textOfSecond(from)} and created lt ${textOfSecond(to)}`;
    const query = { filter, orderBy: 'created asc', top, skip: skip || undefined };
    return this.#reader.list(this.type, query, top > 1 ? 'inventory' : 'how many there are');
  }
}

function exactCountOf(page: Page<unknown>): number {
  const count = countOf(page);
  if (count === undefined || count < page.items.length) throw new InexactError();
  return count;
}
