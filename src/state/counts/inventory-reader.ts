import type { Page } from '../../core/lists/index.ts';
import type { AnyEntry } from '../entries/entry.ts';
import type { Section, Span } from './inventory.ts';
import type { CountTools } from './tools.ts';

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
const FEW = 3;
/** Seconds without anything that is watched, from which on others are only counted. */
const LONG = 100;

/** Asks the service for what an inventory consists of. */
export class InventoryReader {
  readonly type: AnyEntry['type'];
  readonly #tools: CountTools;

  constructor(type: AnyEntry['type'], tools: CountTools) {
    this.type = type;
    this.#tools = tools;
  }

  get #now(): number {
    return this.#tools.clock.monotonic();
  }

  /** Takes a place for a request; false where none is free now. */
  #mayAsk(): boolean {
    return this.#tools.listener.takeLook();
  }

  /** How many there are in a span. */
  async count(span: Span): Promise<number> {
    return this.#exactCountOf(await this.#page(span, 1));
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
    const sentAt = this.#now;
    let before: number | undefined;
    for (let pages = 0; pages < MOST_PAGES && this.#mayAsk(); pages++) {
      const page = await this.#page({ from, to }, this.#tools.page, found.size);
      const { items } = page;
      const count = this.#exactCountOf(page);
      for (const value of items) found.set(this.type.idOf(value), value);
      const values = [...found.values()];
      if (count !== (before ?? count)) break; // it has changed meanwhile
      if (values.length >= count) return { from, to, count, values, sentAt };
      if (items.length === 0) break;
      const cut =
        mayCut && pages === 0 && count > FEW * this.#tools.page
          ? this.#cut(from, items)
          : undefined;
      if (cut) return { ...cut, sentAt };
      before = count;
    }
    return undefined;
  }

  /** What a page holds up to its last second, of which there may be more. */
  #cut(from: number, items: readonly unknown[]): Omit<ReadSection, 'sentAt'> | undefined {
    const seconds = items.map((value) => this.#tools.createdOf(this.type, value)!);
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
    if (first < from + LONG) {
      const last = left[this.#tools.neighbours - 1];
      return this.all({ from, to: last === undefined ? to : last + 1 }, true);
    }
    const sentAt = this.#now;
    const count = await this.countIfFree({ from, to: first });
    return count === undefined ? count : { from, to: first, count, values: [], sentAt };
  }

  #page(span: Span, top: number, skip?: number): Promise<Page<unknown>> {
    return this.#tools.reader.listCounted(this.type, span, top, skip);
  }

  #exactCountOf(page: Page<unknown>): number {
    const count = this.#tools.countOf(page);
    if (count === undefined || count < page.items.length) throw new InexactError();
    return count;
  }
}
