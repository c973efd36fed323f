import { badInput } from '../core/errors/index.ts';
import type { CallOptions, Connection, Endpoint, Shape } from '../core/http/index.ts';
import type { ListQuery, Page } from '../core/lists/index.ts';
import type { EventPrefixOf } from './events.types.ts';

/** The SDK's knowledge of a resource, apart from its endpoints and operations. */
export interface Resource<Value> {
  /** Its name in watches and handlers. */
  readonly name: string;
  /** The prefix of its event types, before their last dot; absent if no event is about it. */
  readonly events?: string | undefined;
  /** Ranks the states that `stateOf` returns and knows the settled ones; absent without states. */
  readonly states?: StateMachine<string> | undefined;
  idOf(value: Value): string;
  /** Its state, which must not go back; for a resource without states its whole content. */
  stateOf?(value: Value): string;
  /** Reads it by its id; absent if the service has no endpoint for that. */
  read?(connection: Connection, id: string, options: CallOptions): Promise<Value>;
  /** Absent if it cannot be watched. */
  readonly watch?: WatchRules<Value> | undefined;
}

/** A draft that can carry what the service has added since this version of the SDK. */
export interface Extendable {
  /**
   * Members that this version does not know, sent as they are. A name that it does know is refused,
   * in any letter case.
   */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Rules for watching a resource. */
interface WatchRules<Value> {
  /** The signs that it may have changed: events about it, every event, or only the time. */
  readonly wokenBy: 'events' | 'every-event' | 'time';
  /** The service may delete it, so a 404 after a successful read ends the watch. */
  readonly isDeletable?: true;
  /** Checks values that `read` did not return: answers of other calls, or values of the user. */
  readonly shape: Shape<Value>;
  /** Checks a page of its list. */
  readonly page?: Shape<Page<Value>>;
  /** Removes members that `read` does not return, from values that other calls returned. */
  bare?(value: Value): Value;
  readonly list?: ListRules<Value>;
}

/** The list that reads many at once, and the name of the id in its filter. */
export interface ListRules<Value> {
  readonly endpoint: Endpoint<ListQuery, void, Page<Value>>;
  readonly id: string;
}

/**
 * Exports of each resource's file for the registry. `known` is separate, so that bundles with
 * watches do not contain the known texts.
 */
export interface ResourceModule {
  readonly resource: Resource<unknown>;
  /** The known texts of the open texts in its responses; absent if there are none. */
  readonly known?: () => readonly KnownTexts[];
}

/** The schema of an open text, and a table of all its known texts. */
export type KnownTexts = readonly [schema: unknown, texts: Readonly<Record<string, unknown>>];

/** Requires the prefix of its event types if `eventTypes` has any. */
type Events<Name extends string> = [EventPrefixOf<Name>] extends [never]
  ? { readonly events?: undefined }
  : { readonly events: EventPrefixOf<Name> };

/** A resource that is not watched. */
export type NamedResource<Name extends string, Value> = Resource<Value> &
  Events<Name> & { readonly name: Name };

/** The part of a resource that a watch needs. */
export type Watchable<Value> = Resource<Value> &
  Required<Pick<Resource<Value>, 'read' | 'stateOf'>> & { readonly watch: WatchRules<Value> };

/** A resource that is watched. */
export type WatchedResource<Name extends string, Value> = NamedResource<Name, Value> &
  Watchable<Value>;

/** The states of a resource: a table of the states that may follow each one. */
export interface StateMachine<State extends string> {
  /** The states that may follow each one. */
  readonly transitions: Readonly<Record<State, readonly State[]>>;
  /** The longest way from the first state, in steps; `undefined` for an unknown state. */
  rank(state: string): number | undefined;
  /**
   * Tells whether nothing more is expected, though it may still be reversed. Never for an unknown
   * state.
   */
  isSettled(state: string): boolean;
  /** Tells whether the second state may follow the first one directly. */
  canMove(from: string, to: string): boolean;
}

/**
 * Derives ranks from a table that lists the states in their usual order. A move to an earlier line
 * goes back and does not count.
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
 * Tells whether an id is safe in a path and in a token: it cannot end a segment or change the path.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Returns an id in the form in which ids are compared. The service prints UUIDs in lower case and
 * accepts them in either case; other ids are compared as they are.
 */
export function idKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** Returns the id of what is to be watched; refuses what is neither a resource nor its id. */
export function requireId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '') throw badInput(name, `must be the ${name} or its id`);
  return id;
}

/** Tells whether two texts are the same id. */
export function isSameId(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}
