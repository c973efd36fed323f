import { UnreachableError } from '../core/errors.ts';

/** Why the original is read. */
export const SEE = 'see what the lost answer said';

/** What was read after the service had said that it has moved on; an older state comes from a replica that lags, and tells nothing. */
export async function seenMoved<T>(read: Promise<T>, hasMoved: (found: T) => boolean): Promise<T> {
  const found = await read;
  if (hasMoved(found)) return found;
  throw new UnreachableError('it was done before, but its new state cannot be read yet; read it again', {
    code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first',
  });
}
