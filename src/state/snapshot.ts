import type { PaystateError } from '../core/errors/index.ts';

/**
 * How far a value can be trusted: `live` as of its last read · `stale` a read failed, or there was
 * none lately · `offline` this machine has no network · `blocked` the service refuses to answer for
 * a while.
 */
export type Freshness = 'live' | 'stale' | 'offline' | 'blocked';

/**
 * What is true of a resource, and how fresh that is. Emitted when value, freshness or the error's
 * code changes.
 */
export interface Snapshot<T> {
  /** What was read last. */
  readonly value: T;
  /** When the value was read, milliseconds since 1970. */
  readonly asOf: number;
  /** How far the value can be trusted. */
  readonly freshness: Freshness;
  /** What stands in the way of a fresh read. It never changes the value. */
  readonly error?: PaystateError | undefined;
  /** The state went back, and two reads say so. */
  readonly regressed?: true | undefined;
}

/** What is left of a value that is not watched any more. */
export function toUnwatched<T>({ value, asOf }: Snapshot<T>): Snapshot<T> {
  return { value, asOf, freshness: 'stale' };
}

/** Plain data with the same content. A member that is `undefined` counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!sameContent((a as Loose)[name], (b as Loose)[name])) return false;
  return true;
}

type Loose = Readonly<Record<string, unknown>>;
