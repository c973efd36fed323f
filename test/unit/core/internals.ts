// What a connection keeps behind its one symbol, for the tests that look at it.
import type { Capabilities, Clock, Connection, Priority, Settings } from 'paystate';

export interface Internals {
  readonly clock: Clock;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  readonly priority?: Priority | undefined;
  readonly slots: Map<string, unknown>;
  exchange(request: {
    readonly url: string;
    readonly method: string;
    readonly signal: AbortSignal;
  }): Promise<Response>;
}

const INTERNALS = Symbol.for('paystate');

export const internalsOf = (connection: Connection): Internals =>
  (connection as unknown as Record<symbol, Internals>)[INTERNALS]!;

/** The same connection with other internals. */
export const withInternals = (connection: Connection, changes: Partial<Internals>): Connection =>
  ({
    [INTERNALS]: { ...internalsOf(connection), ...changes },
  }) as unknown as Connection;
