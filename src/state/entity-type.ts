import type { CallOptions, Connection } from '../core/http/index.ts';
import type { Page } from '../core/lists/index.ts';
import type { StateMachine } from '../resources/state-machine.ts';

/** How one resource is read. */
export interface EntityType<T> {
  readonly name: string;
  /** Absent where states come back, so that nothing ever settles. */
  readonly states?: StateMachine<string> | undefined;
  /** The service may delete it: a 404 after it was seen is then an end. */
  readonly canBeDeleted?: boolean | undefined;
  /** No event tells of its changes, and its reads have a limit of their own: it is polled always. */
  readonly hasNoEvents?: boolean | undefined;
  idOf(value: T): string;
  /** What must not flap back: its state; where it has none, all that it says. */
  stateOf(value: T): string;
  get(connection: Connection, id: string, options: CallOptions): Promise<T>;
  readonly lists?: EntityLists<T> | undefined;
}

/** Reading many at once, where the service has a list with a filter. */
export interface EntityLists<T> {
  byIds(connection: Connection, ids: readonly string[], options: CallOptions): Promise<Page<T>>;
  /** Those created between two whole seconds, both exclusive, from `skip` on. */
  byCreated(
    connection: Connection,
    after: number,
    before: number,
    skip: number,
    options: CallOptions,
  ): Promise<Page<T>>;
}
