import type { CallOptions, Connection } from '../core/http/index.ts';
import type { Page } from '../core/lists/index.ts';
import type { StateMachine } from '../resources/state-machine.ts';

/** How one noun is looked at. */
export interface Kind<T> {
  readonly name: string;
  /** Absent where states come back, so that nothing ever settles. */
  readonly life?: StateMachine<string> | undefined;
  /** The service may delete it: a 404 after it was seen is then an end. */
  readonly deletable?: boolean | undefined;
  /** No event tells of its changes, and its reads have a limit of their own: always looked at by time. */
  readonly silent?: boolean | undefined;
  idOf(value: T): string;
  /** What must not flap back: its state; where it has none, all that it says. */
  stateOf(value: T): string;
  find(connection: Connection, id: string, options: CallOptions): Promise<T>;
  readonly lists?: Lists<T> | undefined;
}

/** Reading many at once, where the service has a list with a filter. */
export interface Lists<T> {
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
