import { badInput } from '../errors/index.ts';
import { type Connection, internals } from './connection.ts';

/** Refuses what is no client: plain JavaScript can give anything. */
export function checkClient(client: Connection | undefined): void {
  if (!client?.[internals]) throw badInput('client', 'must be a client of createClient()');
}
