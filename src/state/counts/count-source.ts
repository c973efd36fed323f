import type { PaystateError } from '../../core/errors/index.ts';
import type { AnyEntry } from '../entries/entry.ts';
import { countIn, Inventory, isWithin, type Section, type Span, spanOf } from './inventory.ts';
import type { Candidate } from '../sources/watch-plan.ts';
import { InexactError, InventoryReader, type ReadSection } from './inventory-reader.ts';
import type { PolledSource } from '../sources/polled.ts';
import type { CountTools } from './tools.ts';

/** Polls in a row that fail or that nothing explains, after which it is given up for a while. */
const MAX_FAILURES = 3;
const MAX_UNEXPLAINED = 10;
/** How long it is given up then, milliseconds. */
const RETRY_AFTER = 600_000;
/** What is new to it is read together, this often, milliseconds. */
const TAKE_EVERY = 10_000;
/** What has changed is found by halving: it is seen that much later. */
const HALVING = 1.45;
/** Weight of the newest figure in an average. */
const SMOOTHING = 0.1;

/**
 * Counts the watched resources that are in the state which nearly all changes leave, with one
 * request for any number of them. Where the count is another than that of the inventory, the
 * sections that differ are found by halving, and read.
 */
export class CountSource implements PolledSource {
  readonly name = 'count look';
  pollAt: number = Infinity;
  provenAt: number = -Infinity;
  isLive: boolean = false;
  requests: number = 1;
  #polledAt: number = -Infinity;
  #isOn: boolean = false;
  #failures: number = 0;
  #unexplained: number = 0;
  #retryAt: number = -Infinity;
  #takenAt: number = -Infinity;
  #polling: Promise<PaystateError | undefined> | undefined;
  /** Requests of this poll. */
  #asked: number = 0;
  /** When lists did not show them first although they should. */
  readonly #missed: WeakMap<AnyEntry, number> = new WeakMap();
  readonly #inventory: Inventory = new Inventory();
  #asks: InventoryReader | undefined;
  readonly #tools: CountTools;

  constructor(tools: CountTools) {
    this.#tools = tools;
  }

  get isPossible(): boolean {
    const { capabilities, counts } = this.#tools.learned;
    return counts && capabilities.list && this.#now >= this.#retryAt;
  }

  get #now(): number {
    return this.#tools.clock.monotonic();
  }

  nextReadAt(entry: AnyEntry): number | undefined {
    const isCovered = this.isLive && this.#inventory.listed.has(entry) && this.#isCounted(entry);
    return isCovered ? Infinity : undefined;
  }

  /**
   * What this way of noticing takes, and how late it sees: one count for all that can be counted, the
   * others as without it. `half` of the budget is for it.
   */
  plan(watched: readonly AnyEntry[], base: number, half: number): Candidate {
    const { reader, unknown, window } = this.#tools;
    const polls = window / base;
    const stretch = Math.max(1, (polls * this.requests) / half);
    const others = watched.filter((entry) => !this.#mayBeCounted(entry));
    const open = watched.filter((entry) => this.nextReadAt(entry) === undefined);
    const costWith = (read: readonly AnyEntry[]) =>
      (polls * (this.requests + reader.cost(read))) / stretch;
    const isSteady = costWith(others) <= half;
    const inTurn = isSteady ? 0 : (base * reader.lookCost(others) * polls * unknown) / half;
    // where nothing is counted, counting would tell of nothing
    const isPossible = this.isPossible && others.length < watched.length;
    return {
      source: this,
      inTurn: costWith(open) > half,
      stretch,
      cost: costWith(isSteady ? others : []),
      delay: isPossible ? Math.max(base * stretch * HALVING, inTurn) : Infinity,
    };
  }

  /** Its kind, the state that is held, and the time of its creation are what is counted. */
  #isCounted(entry: AnyEntry): boolean {
    const counted = entry.type.watch.list?.counted;
    return (
      counted !== undefined && entry.held?.state === counted && this.#tools.reader.isDated(entry)
    );
  }

  /** Nothing speaks against it, or it was not read yet. */
  #mayBeCounted(entry: AnyEntry): boolean {
    const isUnread = entry.held === undefined && entry.type.watch.list?.counted !== undefined;
    return this.#isCounted(entry) || (isUnread && this.#tools.reader.isListed(entry));
  }

  isAwaitedBy(): boolean {
    return false;
  }

  start(): void {
    this.#isOn = true;
    this.pollAt = this.#now;
  }

  stop(): void {
    this.#isOn = false;
    this.isLive = false;
  }

  wake(recent: number = 0): void {
    if (this.pollAt < Infinity) this.pollAt = Math.max(this.#now, this.#polledAt + recent);
  }

  /** One at a time: a second one is the first. */
  poll(isOutage: boolean): Promise<PaystateError | undefined> {
    this.pollAt = Infinity;
    return (this.#polling ??= this.#poll(isOutage).finally(() => void (this.#polling = undefined)));
  }

  async #poll(isOutage: boolean): Promise<PaystateError | undefined> {
    const sentAt = this.#now;
    this.#polledAt = sentAt;
    this.#asked = 0;
    try {
      const isWhole = await this.#look();
      if (this.isLive) this.requests += SMOOTHING * (this.#asked - this.requests);
      if (isWhole && this.#isOn) {
        this.provenAt = sentAt;
        this.isLive = true;
      }
      if (!isOutage) await this.#take();
      this.#failures = 0;
      return undefined;
    } catch (thrown) {
      return this.#fail(thrown, isOutage);
    }
  }

  #fail(thrown: unknown, isOutage: boolean): PaystateError | undefined {
    if (thrown instanceof InexactError) this.#tools.learned.counts = false;
    if (thrown instanceof InexactError || this.#tools.signal.aborted) return undefined;
    if ((thrown as PaystateError).kind === 'refused') this.#tools.learned.counts = false;
    if (!isOutage && ++this.#failures >= MAX_FAILURES) this.#giveUp();
    return thrown as PaystateError;
  }

  #giveUp(): void {
    this.#failures = this.#unexplained = 0;
    this.#retryAt = this.#now + RETRY_AFTER;
  }

  /** Counts all. Whether nothing has changed, or what has is found. */
  async #look(): Promise<boolean> {
    const { sections, span } = this.#inventory;
    if (!span) return false;
    this.#asked++;
    const isWhole = await this.#explain(sections, await this.#asks!.count(span));
    this.#unexplained = isWhole ? 0 : this.#unexplained + 1;
    if (this.#unexplained >= MAX_UNEXPLAINED) this.#giveUp();
    return isWhole;
  }

  /**
   * Finds the sections that hold another number now, and reads them. Resolves to false where none is
   * found: a copy of the data may be behind.
   */
  async #explain(sections: readonly Section[], count: number): Promise<boolean> {
    if (count === countIn(sections)) return true;
    if (sections.length === 1) return this.#readAgain(sections[0]!, count);
    const middle = sections.length >> 1;
    const [left, right] = [sections.slice(0, middle), sections.slice(middle)];
    this.#asked++;
    const inLeft = await this.#asks!.countIfFree(spanOf(left)!);
    if (inLeft === undefined) return false;
    const isLeftFound = await this.#explain(left, inLeft);
    return (await this.#explain(right, count - inLeft)) && isLeftFound;
  }

  async #readAgain({ from, to, count: before }: Section, count: number): Promise<boolean> {
    if (this.#inventory.listedIn({ from, to }).length === 0) {
      this.#inventory.put([{ from, to, count }]);
      return true;
    }
    this.#asked++;
    const section = await this.#asks!.all({ from, to });
    if (section) this.#apply([section]);
    return section !== undefined && section.count !== before;
  }

  /** Takes what is new into the inventory; all at once, where more are still to be read. */
  async #take(): Promise<void> {
    const inventory = this.#inventory;
    const { entries, hasEntry, page } = this.#tools;
    inventory.compact(page, (entry) => hasEntry(entries, entry));
    const counted = [...entries.values()].filter((entry) => this.#isCounted(entry));
    const news = counted.filter((entry) => !inventory.listed.has(entry) && this.#isOld(entry));
    const [first] = news;
    if (!first || this.#now < this.#takenAt + TAKE_EVERY) return;
    if (this.#unread > 0 && news.length < Math.max(this.#unread, inventory.listed.size)) return;
    this.#asks ??= new InventoryReader(first.type, this.#tools);
    const seconds = counted.map(({ created }) => created!).sort((a, b) => a - b);
    for (const part of partsOf(news, inventory)) await this.#takePart(part, seconds);
    this.#takenAt = this.#now;
  }

  /** Takes what could be read of a part: all of it, but for what adjoins the end of the inventory. */
  async #takePart(part: Span, seconds: readonly number[]): Promise<void> {
    const sections = await this.#asks!.walk(part, seconds);
    const last = sections.at(-1);
    const isAtEnd = part.from === (this.#inventory.span?.to ?? part.from);
    if (last && (isAtEnd || last.to === part.to)) this.#apply(sections);
  }

  /** How many that may be countable wait for their first read. */
  get #unread(): number {
    return [...this.#tools.entries.values()].filter(
      ({ readAt, type }) => readAt === undefined && type.watch.list?.counted !== undefined,
    ).length;
  }

  /** No copy of the data can be without it. */
  #isOld({ bornAt, created = NaN }: AnyEntry): boolean {
    const { clock, lag } = this.#tools;
    return created * 1_000 < clock.now() - lag || bornAt < this.#now - lag;
  }

  /** Takes sections in that were read: what they do not list has changed. */
  #apply(sections: readonly ReadSection[]): void {
    const { listed } = this.#inventory;
    const { entries, findEntry, listener } = this.#tools;
    const { type } = this.#asks!;
    const found = new Map<AnyEntry, readonly [value: unknown, sentAt: number]>();
    for (const { values, sentAt } of sections)
      for (const value of values) {
        const entry = findEntry(entries, type.name, type.idOf(value));
        if (entry) found.set(entry, [value, sentAt]);
      }
    const span = spanOf(sections)!;
    const gone = [...entries.values()].filter(
      (entry) => isWithin(span, entry) && !found.has(entry) && this.#isCounted(entry),
    );
    for (const entry of this.#inventory.listedIn(span)) listed.delete(entry);
    this.#inventory.put(sections.map(({ from, to, count }) => ({ from, to, count })));
    for (const entry of found.keys()) {
      listed.add(entry);
      this.#missed.delete(entry);
    }
    for (const [entry, [value, sentAt]] of found) listener.applyListed(entry, value, sentAt);
    for (const entry of gone) if (this.#isOld(entry)) this.#miss(entry);
  }

  /** A list does not show it: it has changed, or this list never shows it. */
  #miss(entry: AnyEntry): void {
    const since = this.#missed.get(entry) ?? this.#now;
    this.#missed.set(entry, since);
    if (this.#now > since + 2 * this.#tools.lag) entry.created = NaN;
    else this.#tools.listener.invalidate(this.name, entry.type.name, entry.id);
  }
}

/** What has to be read for what is new: sections that hold some of it, and what adjoins at the ends. */
function partsOf(news: readonly AnyEntry[], inventory: Inventory): Span[] {
  const { span } = inventory;
  const seconds = news.map(({ created }) => created!);
  const all = { from: Math.min(...seconds), to: Math.max(...seconds) + 1 };
  if (!span) return [all];
  const inside = new Set(seconds.flatMap((second) => inventory.sectionAt(second) ?? []));
  const ends = [
    { from: all.from, to: span.from },
    { from: span.to, to: all.to },
  ];
  return [...ends.filter(({ from, to }) => from < to), ...inside];
}
