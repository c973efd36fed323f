import type { AnyEntry } from '../entries/entry.ts';

/** A part of the time of creation: whole seconds, `to` not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A part of the inventory, and how many there were in it when it was read last. */
export interface Section extends Span {
  readonly count: number;
}

/**
 * How many resources of a state there are, by sections of the time of their creation that adjoin,
 * and which of the watched ones were among them. While the service counts as many, none of those
 * has changed.
 */
export class Inventory {
  /** In order of time, without gaps between them. */
  sections: readonly Section[] = [];
  /** The watched ones that were listed when their section was read last. */
  readonly listed: Set<AnyEntry> = new Set();

  /** From the first section to the last; nothing where there is none. */
  get span(): Span | undefined {
    return spanOf(this.sections);
  }

  /** The section that holds what was created then. */
  sectionAt(second: number): Section | undefined {
    let [low, high] = [0, this.sections.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sections[middle]!.to <= second) low = middle + 1;
      else high = middle;
    }
    const section = this.sections[low];
    return section && section.from <= second ? section : undefined;
  }

  /** The listed ones of a part of the time. */
  listedIn(span: Span): AnyEntry[] {
    return [...this.listed].filter((entry) => isWithin(span, entry));
  }

  /** Takes sections in that were read anew; they replace what they cover. */
  put(read: readonly Section[]): void {
    const { from, to } = spanOf(read)!;
    this.sections = [
      ...this.sections.filter((one) => one.to <= from),
      ...read,
      ...this.sections.filter((one) => one.from >= to),
    ];
  }

  /** Forgets what is not watched any more, and joins sections that one page can hold. */
  compact(page: number, isWatched: (entry: AnyEntry) => boolean): void {
    const used = new Set<Section>();
    for (const entry of this.listed) {
      const section = this.sectionAt(entry.created!);
      if (section && isWatched(entry)) used.add(section);
      else this.listed.delete(entry);
    }
    const isUsed = (section: Section) => used.has(section);
    const kept = this.sections.slice(
      this.sections.findIndex(isUsed),
      this.sections.findLastIndex(isUsed) + 1,
    );
    this.sections = joinSections(kept, page, isUsed);
  }
}

/** Joins neighbours that one page can hold, or of which none is watched. */
function joinSections(
  sections: readonly Section[],
  page: number,
  isUsed: (section: Section) => boolean,
): Section[] {
  const all: (Section & { readonly isUsed: boolean })[] = [];
  for (const section of sections) {
    const before = all.at(-1);
    const next = { ...section, isUsed: isUsed(section) };
    const count = (before?.count ?? Infinity) + next.count;
    const isOne = before && (count <= page || !(before.isUsed || next.isUsed));
    if (isOne) all.pop();
    all.push(
      isOne ? { ...next, from: before.from, count, isUsed: before.isUsed || next.isUsed } : next,
    );
  }
  return all.map(({ from, to, count }) => ({ from, to, count }));
}

/** How many there were in all of these. */
export function countIn(sections: readonly Section[]): number {
  return sections.reduce((sum, { count }) => sum + count, 0);
}

/** From the first of sections that adjoin to the last. */
export function spanOf(sections: readonly Section[]): Span | undefined {
  const [first] = sections;
  return first && { from: first.from, to: sections.at(-1)!.to };
}

/** It was created in this part of the time. */
export function isWithin({ from, to }: Span, { created = NaN }: AnyEntry): boolean {
  return created >= from && created < to;
}
