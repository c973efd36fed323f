import { badInput } from '../core/errors/index.ts';
import type { CallOptions, Connection, Endpoint, Shape } from '../core/http/index.ts';
import type { ListQuery, Page } from '../core/lists/index.ts';
import type { EventPrefixOf } from './events.types.ts';

export interface Resource<Value> {
  /** Name of the resource in watches and webhook handlers. */
  readonly name: string;
  /**
   * Prefix of the resource's event types, the part before the last dot. Absent if there
   * are no events for the resource.
   */
  readonly events?: string | undefined;
  /** State machine for the states that `stateOf` returns. Absent if the resource has no states. */
  readonly states?: StateMachine<string> | undefined;
  idOf(value: Value): string;
  /** Returns the resource's state, or its whole content as JSON if it has no states. */
  stateOf?(value: Value): string;
  /** Reads the resource by its id. Absent if the service has no endpoint for that. */
  read?(connection: Connection, id: string, options: CallOptions): Promise<Value>;
  readonly watch?: WatchRules<Value> | undefined;
}

/** A draft that can have extra fields that this version of the SDK doesn't know. */
export interface Extendable {
  /**
   * Additional fields, which are sent unchanged. Names of known fields are rejected, regardless of
   * case.
   */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

interface WatchRules<Value> {
  /**
   * What triggers a read. `events` means the resource's own events, `every-event` means any
   * resource's events, and `time` means regular intervals.
   */
  readonly wokenBy: 'events' | 'every-event' | 'time';
  /** Set if the resource can be deleted. If so, a 404 after a successful read ends the watch. */
  readonly isDeletable?: true;
  /** Validates values that come from the user or from another call instead of `read`. */
  readonly shape: Shape<Value>;
  readonly page?: Shape<Page<Value>>;
  /** Removes the fields that `read` doesn't return from a value that another call has returned. */
  bare?(value: Value): Value;
  readonly list?: ListRules<Value>;
}

/** The list endpoint that can read many resources at once, and the name of its id filter. */
export interface ListRules<Value> {
  readonly endpoint: Endpoint<ListQuery, void, Page<Value>>;
  readonly id: string;
}

/**
 * The exports of a resource's file that the registry uses. `known` is separate, so bundles with
 * watches don't include the known values.
 */
export interface ResourceModule {
  readonly resource: Resource<unknown>;
  /** Returns the known values of each `OpenText` in the resource's responses. */
  readonly known?: () => readonly KnownTexts[];
}

/** The schema of an `OpenText`, with a table of all its known values. */
export type KnownTexts = readonly [schema: unknown, texts: Readonly<Record<string, unknown>>];

/** Makes `events` required if `eventTypes` contains one of this resource's event types. */
type Events<Name extends string> = [EventPrefixOf<Name>] extends [never]
  ? { readonly events?: undefined }
  : { readonly events: EventPrefixOf<Name> };

export type NamedResource<Name extends string, Value> = Resource<Value> &
  Events<Name> & { readonly name: Name };

export type Watchable<Value> = Resource<Value> &
  Required<Pick<Resource<Value>, 'read' | 'stateOf'>> & { readonly watch: WatchRules<Value> };

export type WatchedResource<Name extends string, Value> = NamedResource<Name, Value> &
  Watchable<Value>;

/** A resource's states and the transitions between them. */
export interface StateMachine<State extends string> {
  /** Possible next states, by state. */
  readonly transitions: Readonly<Record<State, readonly State[]>>;
  /**
   * Returns the rank of a state, which is the number of transitions on the longest path from the
   * first state. Returns `undefined` for an unknown state.
   */
  rank(state: string): number | undefined;
  /**
   * Checks whether a state is usually final, although it may still be reversed. Returns false for
   * an unknown state.
   */
  isSettled(state: string): boolean;
  /** Checks whether there's a direct transition between two states. */
  canMove(from: string, to: string): boolean;
}

/**
 * Creates a state machine from a table that lists the states in their usual order. A transition to
 * a state that is listed earlier doesn't affect the ranks.
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
 * Checks whether an id can be used in a URL path and in a token without changing their structure.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Normalizes an id for comparison. The service returns UUIDs in lowercase but accepts them in
 * either case. Other ids are compared as they are.
 */
export function idKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** Returns the given id of the resource to watch. Throws if it isn't a non-empty string. */
export function requireId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '') throw badInput(name, `must be the ${name} or its id`);
  return id;
}

export function isSameId(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}
