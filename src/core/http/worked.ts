import type { PaystateError } from '../errors/index.ts';
import { type Connection, internals, stateOf } from './connection.ts';

/** When the credential was accepted last, by the scope that was needed; monotonic. */
function scopesOf(connection: Connection): Map<string, number> {
  return stateOf(connection, 'core.worked', () => new Map());
}

/** Notes that the service accepted the credential for this scope. */
export function noteWorked(connection: Connection, scope: string): void {
  scopesOf(connection).set(scope, connection[internals].clock.monotonic());
}

/**
 * When the service accepted before what it refuses now: the credential for a 401, its scope for a
 * 403. `undefined` where it never did, or where the error is no such refusal.
 */
export function workedAt(connection: Connection, error: PaystateError): number | undefined {
  const { kind, neededScope, next, status } = error;
  const scopes = scopesOf(connection);
  if (status === 401 && kind === 'authentication' && next !== 'retry')
    return scopes.size > 0 ? Math.max(...scopes.values()) : undefined;
  return status === 403 && kind === 'refused' && neededScope ? scopes.get(neededScope) : undefined;
}
