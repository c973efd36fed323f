import { badInput } from '../core/errors/index.ts';

/** What a store says of how long it keeps what it is given. */
export interface Lasting {
  readonly durable: boolean;
  /** Whoever made it knows that it forgets. */
  readonly mayForget?: boolean | undefined;
}

/**
 * Throws InputError for a store that a crash empties: what it held is then lost, as `loss` says.
 * Taken are such stores beside a sandbox, and where `mayForget` was said.
 */
export function checkLasting(store: Lasting, url: string | URL, field: string, loss: string): void {
  if (store.durable === true || store.mayForget === true || isSandbox(url)) return;
  const ways = 'give one that lasts, such as fileStore, sqlStore or durableObjectStore';
  throw badInput(
    field,
    `must be durable outside of a sandbox: ${loss}. ${ways}, or say mayForget: true`,
  );
}

/** Nothing real is there: the name is one that no network has (RFC 2606). */
function isSandbox(url: string | URL): boolean {
  return new URL(url).hostname.endsWith('.invalid');
}
