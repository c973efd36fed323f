import { badInput, type InputError } from '../errors/index.ts';
import { type Connection, internals } from './connection.ts';

/** Why something is no client, which plain JavaScript can give; `undefined` where it is one. */
export function refuseClient(client: Connection | undefined): InputError | undefined {
  return client?.[internals] ? undefined : badInput('client', 'must be a client of createClient()');
}
