import { type ErrorFacts, UnreachableError } from '../core/errors.ts';

/** Why the original is read. */
export const SEE = 'see what the lost answer said';

/**
 * What was read after the service had said that it has moved on. An older state comes from a replica that lags, and a read
 * that fails tells nothing of the command: both are unknown.
 */
export async function seenMoved<T>(read: Promise<T>, hasMoved: (found: T) => boolean): Promise<T> {
  const found = await read.catch(({ neededScope, retryAt }: Partial<ErrorFacts>) => unseen({ neededScope, retryAt }));
  return hasMoved(found) ? found : unseen();
}

function unseen(facts: Partial<ErrorFacts> = {}): never {
  throw new UnreachableError('it was done before, but its new state cannot be read yet; read it again', {
    ...facts, code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first',
  });
}
