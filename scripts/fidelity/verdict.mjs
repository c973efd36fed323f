// What a check says of a fact: it returns where the fact is true, and throws one of these where it is not.

/** The sandbox does something else. */
export class NotSo extends Error {
  constructor(expected, got) {
    super(`expected ${shown(expected)}, got ${shown(got)}`);
    this.expected = shown(expected);
    this.got = shown(got);
  }
}

/** Nobody outside can know: the description leaves it open, or this way of playing cannot show it. */
export class Open extends Error {}

const shown = (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** Throws unless `holds`. */
export function check(holds, expected, got) {
  if (!holds) throw new NotSo(expected, got);
}

/** Throws unless both print the same JSON. */
export function same(expected, got) {
  check(JSON.stringify(expected) === JSON.stringify(got), expected, got);
}
