import type { CallOptions, Connection, Endpoint, Shape } from '../core/http/index.ts';
import type { ListQuery, Page } from '../core/lists/index.ts';
import type { EventPrefixOf } from './events.types.ts';

/**
 * What the SDK knows of one resource apart from its endpoints and operations: light facts, and how
 * it is read.
 */
export interface Resource<Value> {
  /** Its name in watches and handlers. */
  readonly name: string;
  /** What stands before the last dot of its event types; absent where no event is about it. */
  readonly events?: string | undefined;
  /**
   * Ranks what `stateOf` says, and says when nothing more is expected; absent where there are no
   * states.
   */
  readonly states?: StateMachine<string> | undefined;
  idOf(value: Value): string;
  /** What must not go back to what it was: its state; where it has none, all that it says. */
  stateOf?(value: Value): string;
  /** Reads what is shown under its name; absent where the service cannot show it again. */
  read?(connection: Connection, id: string, options: CallOptions): Promise<Value>;
  /** Absent where it is not watched. */
  readonly watch?: WatchRules<Value> | undefined;
}

/** How a resource is watched. */
interface WatchRules<Value> {
  /**
   * What says that it may have changed: events about it, every event, or none, so that it is read
   * by time alone.
   */
  readonly wokenBy: 'events' | 'every-event' | 'time';
  /** The service may delete it: a 404 after it was seen is then an end. */
  readonly isDeletable?: true;
  /** Reads what was not read by `read`: the answer of another call, or what is handed in. */
  readonly shape: Shape<Value>;
  /** Reads a page of its list, whose items are such values. */
  readonly page?: Shape<Page<Value>>;
  /** What a read of the watch would have brought, where other calls may bring more. */
  bare?(value: Value): Value;
  readonly list?: ListRules<Value>;
}

/** The list that reads many at once, and the field of its filter that is the id. */
export interface ListRules<Value> {
  readonly endpoint: Endpoint<ListQuery, void, Page<Value>>;
  readonly id: string;
}

/**
 * What `resource.ts` of each folder exports: two values, so that a watch does not carry the known
 * texts.
 */
export interface ResourceModule {
  readonly resource: Resource<unknown>;
  /** The known texts of the open texts in its responses; absent where there are none. */
  readonly known?: () => readonly KnownTexts[];
}

/**
 * An open text and what is known of it: a table of all its known texts, so that none can be
 * forgotten.
 */
export type KnownTexts = readonly [schema: unknown, texts: Readonly<Record<string, unknown>>];

/** The prefix of its event types, where there are any: `events/types.ts` has them. */
type Events<Name extends string> = [EventPrefixOf<Name>] extends [never]
  ? { readonly events?: undefined }
  : { readonly events: EventPrefixOf<Name> };

/** A resource that is not watched. */
export type NamedResource<Name extends string, Value> = Resource<Value> &
  Events<Name> & { readonly name: Name };

/** A resource as a watch needs it. */
export type Watchable<Value> = Resource<Value> &
  Required<Pick<Resource<Value>, 'read' | 'stateOf'>> & { readonly watch: WatchRules<Value> };

/** A resource that is watched. */
export type WatchedResource<Name extends string, Value> = NamedResource<Name, Value> &
  Watchable<Value>;

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

/**
 * Ids as they may stand in a path and in a token: nothing that could end a segment, or mean another
 * one.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The form in which ids are compared: the service prints its UUIDs in lower case and takes them in
 * either case. Any other text is compared as it is.
 */
export function idKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** Two spellings of one id. */
export function isSameId(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}
