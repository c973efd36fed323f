// Chance that a seed brings back: each name has a stream of its own, so that one more draw here changes nothing there.

/** Numbers drawn from one stream. */
export interface Chance {
  /** A number from 0 to 1, below 1. */
  next(): number;
  /** True with this probability. */
  hits(probability: number): boolean;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  /** One item of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** The name of a table of weights. */
  weighed<Name extends string>(table: Readonly<Record<Name, number>>): Name;
}

/** 32 bits of a text. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash >>> 0;
}

/** The stream of this name. */
export function chanceOf(name: string): Chance {
  let state = hashOf(name);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    hits: (probability) => next() < probability,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    weighed<Name extends string>(table: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries(table) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)!)[0];
    },
  };
}
