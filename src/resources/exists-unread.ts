import { type ErrorFacts, UnreachableError } from '../core/errors/index.ts';

/**
 * What is there and could not be read, with what the failed reading said of itself: never "not
 * created".
 */
export function existsUnread(
  event: string,
  named: Partial<ErrorFacts>,
  { neededScope, retryAt }: Partial<ErrorFacts> = {},
): UnreachableError {
  return new UnreachableError(`${named.operation}: ${event} (EXISTS_UNREAD)`, {
    ...named,
    neededScope,
    retryAt,
    code: 'EXISTS_UNREAD',
    outcome: 'unknown',
    next: 'read-first',
  });
}
