import type { Ticks } from '../../core/time.ts';
import type { StateMachine } from '../../resources/resource.ts';
import type { BehaviourId } from '../provenance/behaviours.ts';
import { recordUse } from '../provenance/recorder.ts';
import { idFrom } from '../world/ids.ts';
import { notFound, unknownReference } from '../world/refusals.ts';
import { type Account, storeOf, runLater, type World } from '../world/world.ts';
import { type StateSubject, nextStateOf, type NextState } from '../faults/state-rules.ts';

/** An account's entity with an id and a state. */
export interface Entity {
  readonly id: string;
  readonly account: Account;
  readonly created: Ticks;
  state: string;
}

/** All entities of one resource. */
export interface Repository<T extends Entity> {
  readonly name: string;
  readonly states: StateMachine<string>;
  /** A new id. */
  idOf(world: World): string;
  add(world: World, item: T): void;
  /** What an account has, the oldest first. */
  list(world: World, account: Account): readonly T[];
  /** `NOT_FOUND` also for what another account has. */
  own(world: World, account: Account, id: string): T;
  /** What a body refers to; the refusal names the id. */
  named(world: World, account: Account, id: string): T;
  any(world: World, id: string): T | undefined;
}

export function createRepository<T extends Entity>(
  name: string,
  states: StateMachine<string>,
): Repository<T> {
  const byId = (world: World): Map<string, T> => storeOf(world, `all/${name}`, () => new Map());
  const itemsOf = (world: World, account: Account): T[] =>
    storeOf(world, `${name}/${account.id}`, () => []);
  return {
    name,
    states,
    idOf: (world) => world.random.uuid(name, world.random.next(name)),
    add(world, item) {
      byId(world).set(item.id, item);
      itemsOf(world, item.account).push(item);
    },
    list: itemsOf,
    own(world, account, id) {
      const item = byId(world).get(id);
      if (item?.account !== account) throw notFound(item);
      return item;
    },
    named(world, account, given) {
      const id = idFrom(given);
      const item = byId(world).get(id);
      if (item?.account !== account) throw unknownReference(id, item);
      return item;
    },
    any: (world, id) => byId(world).get(id),
  };
}

/** How something ends where no state rule says otherwise, and what that rests on. */
interface UsualState extends NextState {
  readonly behaviour: BehaviourId;
}

/**
 * Schedules the next state of an entity, as state rules or `usual` say; `Sandbox.move` may move it
 * before. A state that can only be reached through another one is reached through that.
 */
export function scheduleTransition<T extends Entity>(
  world: World,
  { states, name }: Repository<T>,
  item: T,
  of: StateSubject,
  usual: UsualState,
  act: (state: string) => void,
): void {
  const from = item.state;
  const { state, delay } = nextStateOf(world, of, usual);
  if (state === from) return;
  const between = states.canMove(from, state)
    ? []
    : states.transitions[from]!.filter((one) => states.canMove(one, state)).slice(0, 1);
  if (between.length === 0 && !states.canMove(from, state))
    throw new Error(`sandbox.fault: a ${name} does not come from ${from} to ${state}`);
  const isUsual = state === usual.state && delay === usual.delay;
  runLater(world, delay, () => {
    if (item.state !== from) return;
    if (isUsual) recordUse(world, usual.behaviour);
    for (const step of [...between, state]) act(step);
  });
}

/** The id that a key was used for before, in one account. */
export function idempotencyKeysOf(
  world: World,
  name: string,
  account: Account,
): Map<string, string> {
  return storeOf(world, `keys/${name}/${account.id}`, () => new Map());
}
