import type { CallOptions, Connection, Endpoint, Shape } from '../core/http/index.ts';
import type { ListQuery, Page } from '../core/lists/index.ts';
import type { EventPrefixOf } from './events/types.ts';
import type { StateMachine } from './state-machine.ts';

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
  readonly schema: Shape<Value>;
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
