/** The states of a resource as one table: from each state, the states it may move to. */
export interface StateMachine<State extends string> {
  /** Which states may follow each one. */
  readonly transitions: Readonly<Record<State, readonly State[]>>;
  /** Steps from the first state by the longest way forward; `undefined` for an unknown state. */
  rank(state: string): number | undefined;
  /** Nothing more is expected, though it may still be reversed. An unknown state never settles. */
  isSettled(state: string): boolean;
  /** Whether the second state may follow the first one directly. */
  canMove(from: string, to: string): boolean;
}

/**
 * Derives rank and order from a table whose states are listed in the order in which they come:
 * a move to an earlier line is a way back and does not count.
 */
export function stateMachine<State extends string>(
  moves: Readonly<Record<State, readonly NoInfer<State>[]>>,
  settled: readonly NoInfer<State>[],
): StateMachine<State> {
  const order = Object.keys(moves) as State[];
  const ranks = new Map<string, number>();
  for (const state of order) {
    ranks.set(state, ranks.get(state) ?? 0);
    for (const to of moves[state])
      if (order.indexOf(to) > order.indexOf(state))
        ranks.set(to, Math.max(ranks.get(to) ?? 0, ranks.get(state)! + 1));
  }
  return {
    transitions: moves,
    rank: (state) => ranks.get(state),
    isSettled: (state) => (settled as readonly string[]).includes(state),
    canMove: (from, to) =>
      order.includes(from as State) && moves[from as State].includes(to as State),
  };
}
