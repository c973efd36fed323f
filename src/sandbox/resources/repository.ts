import type { AnyEndpoint, Endpoint } from '../../core/http/index.ts';
import type { Ticks } from '../../core/time.ts';
import type { StateMachine } from '../../resources/resource.ts';
import { type NextState, nextStateOf, type StateSubject } from '../faults/rules.ts';
import { type BehaviourId, recordUse } from '../provenance/recorder.ts';
import { idFrom, type Account, runLater, storeOf, type World } from '../world/world.ts';
import { notFound, ServiceRefusal, unknownReference } from '../world/responses.ts';

/** A request for a handler, already checked by the endpoint's schemas. */
export interface HandlerRequest<Where, Draft> {
  readonly account: Account;
  readonly where: Where;
  readonly draft: Draft;
  /** The header `idempotency-key`, where one was sent. */
  readonly idempotencyKey: string | undefined;
}

/** A handler's result; its status is the endpoint's first one unless `status` is there. */
interface HandlerReply<Answer> {
  readonly status?: number;
  readonly body: Answer;
}

/** One handler for each endpoint: one without a handler does not compile. */
type ResourceHandlers<Rows> = {
  readonly [R in keyof Rows]: Rows[R] extends Endpoint<infer Where, infer Draft, infer Answer>
    ? (world: World, asked: HandlerRequest<Where, Draft>) => HandlerReply<Answer>
    : never;
};

/** An endpoint with its handler, for the router. */
export interface ResourceRoute {
  readonly row: AnyEndpoint;
  readonly segments: readonly string[];
  readonly handle: (world: World, asked: HandlerRequest<unknown, unknown>) => HandlerReply<unknown>;
}

/** Pairs the endpoints of a resource with their handlers. */
export function routesOf<Rows extends object>(
  rows: Rows,
  handlers: ResourceHandlers<Rows>,
): readonly ResourceRoute[] {
  return Object.keys(handlers).map((name) => {
    const row = rows[name as keyof Rows] as unknown as AnyEndpoint;
    return {
      row,
      segments: row.path.split('/').slice(1),
      handle: handlers[name as keyof Rows] as unknown as ResourceRoute['handle'],
    };
  });
}

/** Reads without a request: what the route's handler returns, or nothing where it refuses. */
export function readQuietly(
  world: World,
  { handle }: ResourceRoute,
  account: Account,
  where: object,
): unknown {
  try {
    return handle(world, { account, where, draft: undefined, idempotencyKey: undefined }).body;
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal) return undefined;
    throw thrown;
  }
}

/** The name of the parameter at the end of a route's path. */
export function parameterOf({ segments }: ResourceRoute): string {
  return segments.at(-1)!.slice(1, -1);
}

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
  /** The entries of an account, the oldest first. */
  list(world: World, account: Account): readonly T[];
  /** `NOT_FOUND` also for what another account has. */
  own(world: World, account: Account, id: string): T;
  /** The entry that a body refers to; the refusal names the id. */
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

/** The end of something where no state rule says otherwise, and the behaviour that it rests on. */
interface UsualState extends NextState {
  readonly behaviour: BehaviourId;
}

/**
 * Schedules the next state of an entity, as state rules or `usual` say; `Sandbox.move` may move it
 * before. A state that can only be reached through another one is reached through that. One that
 * usually follows at once is reached before this returns.
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
  const end = (): void => {
    if (item.state !== from) return;
    if (isUsual) recordUse(world, usual.behaviour);
    for (const step of [...between, state]) act(step);
  };
  if (isUsual && delay === 0) end();
  else runLater(world, delay, end);
}

/** The id that a key was used for before, in one account. */
export function idempotencyKeysOf(
  world: World,
  name: string,
  account: Account,
): Map<string, string> {
  return storeOf(world, `keys/${name}/${account.id}`, () => new Map());
}
