import { type ErrorFacts, UnreachableError } from '../core/errors/index.ts';

/**
 * What is there and could not be read, with what the failed reading said of itself: never "not
 * created".
 */
export function existsUnread(
  message: string,
  named: Partial<ErrorFacts>,
  { neededScope, retryAt }: Partial<ErrorFacts> = {},
): UnreachableError {
  return new UnreachableError(message, {
    ...named,
    neededScope,
    retryAt,
    code: 'EXISTS_UNREAD',
    outcome: 'unknown',
    next: 'read-first',
  });
}
