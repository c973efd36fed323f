// A kind of lives of clients.
import type { Chance } from '../../shared/chance.ts';

/** The drawn facts of a life: numbers, and lists of things that can be left out. */
export type Drawn = object;

export interface Result {
  readonly requests: number;
  readonly problems: readonly string[];
}

/** A kind whose draws are its own business. */
export interface Kind {
  draw(chance: Chance): Drawn;
  play(seed: number, drawn: Drawn): Promise<Result>;
}

/** Hides what is drawn of a kind. */
export const kind = <T extends object>(
  draw: (chance: Chance) => T,
  play: (seed: number, drawn: T) => Promise<Result>,
): Kind => ({
  draw,
  play: (seed, drawn) => play(seed, drawn as T),
});
