import type { Ticks } from '../../core/time/index.ts';
import type { Life } from '../../resources/state-machine.ts';
import { notFound } from '../world/refusals.ts';
import { type Account, storeOf, runLater, type World } from '../world/world.ts';
import { type StateSubject, nextStateOf, type NextState } from '../faults/state-rules.ts';

/** Whatever an account has by id and that lives through states. */
export interface Entity {
  readonly id: string;
  readonly account: Account;
  readonly created: Ticks;
  state: string;
}

/** All of one noun. */
export interface Repository<T extends Entity> {
  readonly name: string;
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

export function createRepository<T extends Entity>(
  noun: string,
  life: Life<string>,
): Repository<T> {
  const byId = (world: World): Map<string, T> => storeOf(world, `all/${noun}`, () => new Map());
  const listed = (world: World, account: Account): T[] =>
    storeOf(world, `${noun}/${account.id}`, () => []);
  return {
    name: noun,
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
export function scheduleTransition<T extends Entity>(
  world: World,
  { life, name: noun }: Repository<T>,
  item: T,
  of: StateSubject,
  usual: NextState,
  act: (state: string) => void,
): void {
  const from = item.state;
  const { state, delay: after } = nextStateOf(world, of, usual);
  if (state === from) return;
  const between = life.canMove(from, state)
    ? []
    : life.moves[from]!.filter((one) => life.canMove(one, state)).slice(0, 1);
  if (between.length === 0 && !life.canMove(from, state))
    throw new Error(`sandbox.fault: a ${noun} does not come from ${from} to ${state}`);
  runLater(world, after, () => {
    if (item.state === from) for (const step of [...between, state]) act(step);
  });
}

/** The id that a key was used for before, in one account. */
export function idempotencyKeysOf(
  world: World,
  noun: string,
  account: Account,
): Map<string, string> {
  return storeOf(world, `keys/${noun}/${account.id}`, () => new Map());
}
