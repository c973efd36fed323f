/**
 * Facts that share a world. Each is a row: heading of the description (or `wire` and a chapter of what it
 * leaves open), sentence, check. `pause` is the time in milliseconds between two facts;
 * `alone` gives each fact a world of its own, `things` are made first.
 * `options` and `args` are those of the sandbox and of the command.
 */
export const section = (name, facts, options = {}) => ({
  name,
  facts: facts.map(([of, says, play]) => ({ section: name, of, says, play })),
  pause: 0,
  alone: false,
  things: [],
  ...options,
});
