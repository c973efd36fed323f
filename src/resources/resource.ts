import { badInput } from '../core/errors/index.ts';
import type { CallOptions, Connection, Endpoint, Shape } from '../core/http/index.ts';
import type { ListQuery, Page } from '../core/lists/index.ts';
import type { EventPrefixOf } from './events.types.ts';

export interface Resource<Value> {
  /** Name used in watches and handlers. */
  readonly name: string;
  /** Prefix of its event types, before their last dot. Absent if it has no events. */
  readonly events?: string | undefined;
  /** State machine for the states returned by `stateOf`, if it has states. */
  readonly states?: StateMachine<string> | undefined;
  idOf(value: Value): string;
  /**
   * Returns its state, which must not go back, or the whole content of a resource without states.
   */
  stateOf?(value: Value): string;
  /** Reads it by id. Absent if the service has no endpoint for that. */
  read?(connection: Connection, id: string, options: CallOptions): Promise<Value>;
  readonly watch?: WatchRules<Value> | undefined;
}

/** A draft that can carry fields the service has added since this version of the SDK. */
export interface Extendable {
  /** Extra fields, sent unchanged. Known names are rejected, in any letter case. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

interface WatchRules<Value> {
  /** What triggers a read: its own events, any event, or only time. */
  readonly wokenBy: 'events' | 'every-event' | 'time';
  /** The service may delete it, so a 404 after a successful read ends the watch. */
  readonly isDeletable?: true;
  /** Checks values that come from the user or another call instead of from `read`. */
  readonly shape: Shape<Value>;
  readonly page?: Shape<Page<Value>>;
  /** Removes fields that `read` doesn't return from values that other calls returned. */
  bare?(value: Value): Value;
  readonly list?: ListRules<Value>;
}

/** The list that reads many at once, and the name of the id in its filter. */
export interface ListRules<Value> {
  readonly endpoint: Endpoint<ListQuery, void, Page<Value>>;
  readonly id: string;
}

/**
 * Exports of each resource's file, used by the registry. `known` is separate, so bundles with
 * watches don't contain the known values.
 */
export interface ResourceModule {
  readonly resource: Resource<unknown>;
  /** Known values of each `OpenText` in its responses, if there are any. */
  readonly known?: () => readonly KnownTexts[];
}

/** The schema of an `OpenText`, and a table of all its known values. */
export type KnownTexts = readonly [schema: unknown, texts: Readonly<Record<string, unknown>>];

/** Requires `events` if `eventTypes` has any for this resource. */
type Events<Name extends string> = [EventPrefixOf<Name>] extends [never]
  ? { readonly events?: undefined }
  : { readonly events: EventPrefixOf<Name> };

export type NamedResource<Name extends string, Value> = Resource<Value> &
  Events<Name> & { readonly name: Name };

export type Watchable<Value> = Resource<Value> &
  Required<Pick<Resource<Value>, 'read' | 'stateOf'>> & { readonly watch: WatchRules<Value> };

export type WatchedResource<Name extends string, Value> = NamedResource<Name, Value> &
  Watchable<Value>;

/** The states of a resource, as a table of transitions. */
export interface StateMachine<State extends string> {
  /** Possible next states of each state. */
  readonly transitions: Readonly<Record<State, readonly State[]>>;
  /**
   * Returns the length of the longest path from the first state, in steps, or `undefined` for an
   * unknown state.
   */
  rank(state: string): number | undefined;
  /**
   * Checks whether this state is usually final, though it may still be reversed. False for an
   * unknown state.
   */
  isSettled(state: string): boolean;
  /** Checks whether there's a direct transition. */
  canMove(from: string, to: string): boolean;
}

/**
 * Derives ranks from a table that lists the states in their usual order. A transition to an earlier
 * line goes back and doesn't count.
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

/**
 * Checks that an id is safe in a path and in a token, so it can't end a segment or change the path.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Normalizes an id for comparison. The service prints UUIDs in lower case and accepts either case.
 * Other ids are compared as they are.
 */
export function idKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** Returns the id of the resource to watch. Throws unless given a resource or an id. */
export function requireId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '') throw badInput(name, `must be the ${name} or its id`);
  return id;
}

export function isSameId(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}
