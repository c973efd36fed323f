// What `#test` is in the copy: tests are collected with the file that declares them, and run one by one, as often as
// wanted.
const groups = [];

/** All tests: `{ name, file, body }`. The worker sets `declaring.file` before it imports a file. */
export const collected = [];
export const declaring = { file: '' };

export const describe = (name, options, body = options) => {
  groups.push(name);
  body();
  groups.pop();
};

export const it = (name, options, body = options) => {
  if (typeof body !== 'function' || options?.skip) return;
  collected.push({ name: [...groups, name].join(' › '), file: declaring.file, body });
};

export const itLong = it;
// A fifth of the drawn inputs, as outside Node: mutants need many runs.
export const turns = (all) => Math.ceil(all / 5);
/** A process plays any test of any file, at any time: what a file needs is there from the start, and stays. */
export const before = (step) => void step();
export const after = () => {};
