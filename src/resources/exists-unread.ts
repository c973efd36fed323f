import { type ErrorFacts, UnreachableError } from '../core/errors/index.ts';

/**
 * Makes what throws the error for something that is there and could not be read, with what the
 * failed reading said of itself: never "not created".
 */
export function existsUnread(
  event: string,
  named: Partial<ErrorFacts>,
): (thrown?: Partial<ErrorFacts>) => never {
  return ({ neededScope, retryAt } = {}) => {
    throw new UnreachableError(
      `${named.operation}: ${event} could not be read; ask again (EXISTS_UNREAD)`,
      {
        ...named,
        neededScope,
        retryAt,
        code: 'EXISTS_UNREAD',
        outcome: 'unknown',
        next: 'read-first',
      },
    );
  };
}
