import { unread } from './unread.ts';

/** Why the original is read. */
export const SEE = 'see what the lost answer said';

/** What was read after the service had said that it has moved on; an older state comes from a replica that lags, and tells nothing. */
export async function seenMoved<T>(read: Promise<T>, hasMoved: (found: T) => boolean): Promise<T> {
  const found = await read;
  if (hasMoved(found)) return found;
  throw unread('it was done before, but its new state cannot be read yet; read it again', {});
}
