import type { ErrorFacts } from '../core/errors/index.ts';
import { existsUnread } from './exists-unread.ts';

/** Why the original is read. */
export const READ_AFTER_LOSS = 'see what the lost response said';

/**
 * What was read after the service had said that it has moved on. An older state comes from a
 * replica that lags, and a read that fails tells nothing of the command: both are unknown.
 */
export async function confirmMoved<T>(
  { operation }: ErrorFacts,
  read: Promise<T>,
  hasMoved: (found: T) => boolean,
): Promise<T> {
  const fail: (thrown?: Partial<ErrorFacts>) => never = existsUnread(
    'it was done before, but its state',
    { operation },
  );
  const found = await read.catch(fail);
  return hasMoved(found) ? found : fail();
}
