import type { Page } from '../../core/lists/index.ts';
import type { Clock } from '../../core/time/index.ts';
import type { Entries } from '../entries/entries.ts';
import type { AnyEntry } from '../entries/entry.ts';
import type { LearnedCapabilities } from '../../resources/learned-capabilities.ts';
import type { Reader } from '../reads/reader.ts';
import type { SourceListener } from '../sources/source.ts';

/**
 * What this folder needs of the others, handed in: files that import none of them are loaded by
 * themselves, and no bundler has to take the others apart for it.
 */
export interface CountTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly entries: Entries;
  readonly learned: LearnedCapabilities;
  readonly listener: SourceListener;
  readonly reader: Reader;
  findEntry(entries: Entries, resource: string, id: string): AnyEntry | undefined;
  hasEntry(entries: Entries, entry: AnyEntry): boolean;
  createdOf(type: AnyEntry['type'], value: unknown): number | undefined;
  countOf(page: Page<unknown>): number | undefined;
  /** How far a copy of the data may be behind, milliseconds. */
  readonly lag: number;
  /** Items of the largest page, and of one that holds others too. */
  readonly page: number;
  readonly neighbours: number;
  /** Length of the window that costs are counted in, milliseconds. */
  readonly window: number;
  /** What a window of creation may hold beside what is watched: it takes that longer. */
  readonly unknown: number;
}
