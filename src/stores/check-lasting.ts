import { badInput } from '../core/errors/index.ts';

/** What a store says of how long it keeps what it is given. */
export interface Lasting {
  readonly durable: boolean;
  /** Whoever made it knows that it forgets. */
  readonly mayForget?: boolean | undefined;
}

/**
 * The store. Throws InputError for a store that a crash empties: what it held is then lost, as `loss` says.
 * Taken are such stores where `mayForget` was said, and beside a sandbox: its name is one that no
 * network has (RFC 2606).
 */
export function checkLasting<T extends Lasting>(
  store: T,
  url: string | URL,
  field: string,
  loss: string,
): T {
  if (store.durable || store.mayForget || new URL(url).hostname.endsWith('.invalid')) return store;
  throw badInput(field, `must be durable outside of a sandbox: ${loss}; or say mayForget: true`);
}
