// Options of a command, such as `--seed 7`.

/** Returns the word after `--name`; `undefined` where it was not given. */
export function option(given: readonly string[], name: string): string | undefined {
  const at = given.indexOf(`--${name}`);
  return at < 0 ? undefined : given[at + 1];
}

/** The number that follows `--name`, or the usual one. */
export const numberOf = (given: readonly string[], name: string, usual: number): number =>
  Number(option(given, name) ?? usual);

/** Collects what does not hold. */
export class Checks {
  readonly problems: string[] = [];

  check(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }
}
