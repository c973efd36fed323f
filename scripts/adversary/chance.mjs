// Chance that a seed brings back: each name has a stream of its own, so that one draw more here changes nothing there.

/** 32 bits of a text. */
const hashOf = (text) => {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash >>> 0;
};

/** A stream of numbers from 0 to 1, below 1. */
export const chanceOf = (name) => {
  let state = hashOf(name);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    /** True with this probability. */
    hits: (probability) => next() < probability,
    /** A whole number, both ends included. */
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
    /** The name of a table of weights. */
    weighed(table) {
      const entries = Object.entries(table);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1))[0];
    },
  };
};
