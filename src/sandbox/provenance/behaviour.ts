/** One behaviour of the sandbox, in words, and the answers that rest on it. */
export interface Behaviour {
  readonly says: string;
  /** Money is wrong where it is wrong. */
  readonly money?: true;
  /**
   * Answers by method, path and code, with `*` for any text: `ok` for a success, `refused` for any refusal. What is finer than that
   * is marked in the code, by `relies` or on the refusal.
   */
  readonly on?: readonly string[];
}

export type Behaviours = Readonly<Record<string, Behaviour>>;
