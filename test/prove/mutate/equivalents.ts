// Mutants that change nothing anyone could see, each with the reason. They are left out of the score.
export interface Equivalent {
  readonly file: string;
  /** The line of the sources on which the mutant begins, without the spaces before it. */
  readonly line: string;
  /** The code, and what replaces it, as `npm run mutate` prints them. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
