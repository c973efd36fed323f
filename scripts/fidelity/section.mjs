/**
 * Facts that share a world. Each is a row: heading of the description (or `wire` and a chapter of what it
 * leaves open), sentence, check. `pause` is the time in milliseconds between two facts.
 */
export const section = (name, facts, { options, args, pause = 0, alone = false } = {}) => ({
  name,
  facts: facts.map(([of, says, play]) => ({ section: name, of, says, play })),
  options,
  args,
  pause,
  alone,
});
