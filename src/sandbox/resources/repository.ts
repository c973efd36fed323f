import type { Ticks } from '../../core/time/index.ts';
import type { Life } from '../../resources/state-machine.ts';
import { notFound } from '../world/refusals.ts';
import { type Account, bookOf, later, type World } from '../world/world.ts';
import { type OutcomeOf, outcomeOf, type Outcome } from '../faults/state-rules.ts';

/** Whatever an account has by id and that lives through states. */
export interface Kept {
  readonly id: string;
  readonly account: Account;
  readonly created: Ticks;
  state: string;
}

/** All of one noun. */
export interface Shelf<T extends Kept> {
  readonly noun: string;
  readonly life: Life<string>;
  /** A new id. */
  idOf(world: World): string;
  add(world: World, item: T): void;
  /** What an account has, the oldest first. */
  list(world: World, account: Account): readonly T[];
  /** `NOT_FOUND` also for what another account has. */
  own(world: World, account: Account, id: string): T;
  any(world: World, id: string): T | undefined;
}

export function shelfOf<T extends Kept>(noun: string, life: Life<string>): Shelf<T> {
  const byId = (world: World): Map<string, T> => bookOf(world, `all/${noun}`, () => new Map());
  const listed = (world: World, account: Account): T[] =>
    bookOf(world, `${noun}/${account.id}`, () => []);
  return {
    noun,
    life,
    idOf: (world) => world.random.uuid(noun, world.random.next(noun)),
    add(world, item) {
      byId(world).set(item.id, item);
      listed(world, item.account).push(item);
    },
    list: listed,
    own(world, account, id) {
      const item = byId(world).get(id);
      if (item?.account !== account) throw notFound(id, item);
      return item;
    },
    any: (world, id) => byId(world).get(id),
  };
}

/**
 * Lets the world outside decide how it goes on, unless somebody moves it before that. What can be reached through one state
 * only goes through that one.
 */
export function decide<T extends Kept>(
  world: World,
  { life, noun }: Shelf<T>,
  item: T,
  of: OutcomeOf,
  usual: Outcome,
  act: (state: string) => void,
): void {
  const from = item.state;
  const { state, after } = outcomeOf(world, of, usual);
  if (state === from) return;
  const between = life.canMove(from, state)
    ? []
    : life.moves[from]!.filter((one) => life.canMove(one, state)).slice(0, 1);
  if (between.length === 0 && !life.canMove(from, state))
    throw new Error(`sandbox.fault: a ${noun} does not come from ${from} to ${state}`);
  later(world, after, () => {
    if (item.state === from) for (const step of [...between, state]) act(step);
  });
}

/** The id that a key was used for before, in one account. */
export function keysOf(world: World, noun: string, account: Account): Map<string, string> {
  return bookOf(world, `keys/${noun}/${account.id}`, () => new Map());
}
