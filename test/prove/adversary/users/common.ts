// Steps that all users share.
import { type Client, isPaystateError, type PaystateError } from 'paystate';
import type { User } from '../user.ts';

/**
 * Returns the facts of an error; one that is no PaystateError has none, and the judge counts it.
 */
export const factsOf = (thrown: unknown): Partial<PaystateError> =>
  isPaystateError(thrown) ? thrown : {};

/** A quote, or nothing this time: no money moves, so whatever went wrong, another one may be made. */
export async function quoted<T>(
  user: User,
  create: (client: Client) => Promise<T>,
  fits: (quote: T) => boolean,
): Promise<T | undefined> {
  try {
    const quote = await user.call('quote', undefined, create);
    return fits(quote) ? quote : undefined; // terms of something else are never accepted
  } catch (thrown) {
    const { next, retryAt } = factsOf(thrown);
    if (next === 'ask-user' || next === 'wait') await user.pause(retryAt);
    return undefined;
  }
}

/** Reads until there is an answer, a few times. */
export async function readFor<T>(
  user: User,
  name: string,
  id: string | undefined,
  read: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await user.call(name, id, read);
    } catch {
      await user.pause();
    }
  }
  return undefined;
}

/** The service says that it is done, or under way. */
export const isThere = ({ code = '' }: { readonly code?: string }): boolean =>
  /_PROCESSED$|_INITIATED$|^DUPLICATE_|^PROCESSING_/.test(code) && code !== 'LN_INVOICE_PROCESSED';

/** The user's next step where it is certain that nothing was done. */
export type NotDone =
  /** The same again. */
  | { readonly kind: 'again'; readonly retryAt?: number | undefined }
  /** A new quote, or a person decides to stop. */
  | { readonly kind: 'over'; readonly stops: boolean };

/** Not done, without any doubt: the same again, a new quote, or a person decides. */
export function notDone(user: User, { next, retryAt }: Partial<PaystateError>): NotDone {
  if (next === 'retry' || next === 'wait') return { kind: 'again', retryAt };
  return { kind: 'over', stops: next !== 'new-quote' && user.chance.hits(0.4) };
}
