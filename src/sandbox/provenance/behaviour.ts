/** One behaviour of the sandbox, in words, and the responses that rest on it. */
export interface Behaviour {
  /** Its statement, sentence by sentence. */
  readonly says: readonly string[];
  /** It decides about amounts: where it is wrong, money is wrong. */
  readonly money?: true;
  /**
   * Responses by method, path and code, with `*` for any text: `ok` for a success, `refused` for
   * any refusal. Finer distinctions are made in the code, by `recordUse` or on the refusal.
   */
  readonly on?: readonly string[];
}

export type Behaviours = Readonly<Record<string, Behaviour>>;
