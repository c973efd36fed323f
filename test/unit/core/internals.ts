// What a connection keeps behind its one symbol, for the tests that look at it.
import type { Capabilities, Clock, Connection, Observers, Priority, RateLimits } from 'paystate';

interface Settings extends Observers {
  readonly attemptTimeout: number;
  readonly callTimeout: number;
  readonly maxAttempts: number;
  readonly maxResponseBytes: number;
  readonly rateLimits: RateLimits;
  readonly rateLimitShare: number;
}

interface Sender {
  send(request: {
    readonly url: string;
    readonly method: string;
    readonly signal: AbortSignal;
  }): Promise<Response>;
}

export interface Internals {
  readonly clock: Clock;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  readonly priority?: Priority | undefined;
  readonly state: Map<string, unknown>;
  authorize(isRenewal: boolean): Sender | Promise<Sender>;
}

const INTERNALS = Symbol.for('paystate');

export const internalsOf = (connection: Connection): Internals =>
  (connection as unknown as Record<symbol, Internals>)[INTERNALS]!;

/** The same connection with other internals. */
export const withInternals = (connection: Connection, changes: Partial<Internals>): Connection =>
  ({
    [INTERNALS]: { ...internalsOf(connection), ...changes },
  }) as unknown as Connection;
