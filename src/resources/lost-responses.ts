import { type ErrorFacts, RefusedError, UnreachableError } from '../core/errors/index.ts';
import {
  agreesWith,
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  type KeyedOptions,
  type NameLifetime,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import { findAssumedAmount, isFarOff } from './amounts.ts';

/** How to read an existing resource by id, and how long its idempotency key may be used. */
interface Original<Value> {
  get(id: string, options: CallOptions): Promise<Value>;
  readonly lifetime?: NameLifetime;
}

/**
 * Returns the caller's idempotency key, or generates one. Invalid clients and options are rejected
 * later by `send`.
 */
export function keyIn(
  options: KeyedOptions | null,
  connection: Connection | undefined,
): string | undefined {
  return options?.idempotencyKey ?? connection?.[internals]?.uuid();
}

/**
 * Creates a resource with an idempotency key. If the key was used before, reads the existing
 * resource and compares it with the draft. Returns that resource if this call may have created it,
 * either because it generated the key or because an earlier response was lost. If the read fails,
 * throws `EXISTS_UNREAD`, because the resource may exist. Any other duplicate is an error.
 *
 * If the amount in the response differs too much from the draft, the request is sent again. If this
 * call generated the key, it then accepts the resource that the service returns for the key,
 * regardless of its amount.
 */
export function createWithKey<
  Draft extends object,
  Value extends { readonly fee?: Money | undefined },
>(
  connection: Connection,
  endpoint: Endpoint<{}, Draft, Value>,
  draft: Draft,
  options: KeyedOptions,
  { get, lifetime }: Original<Value>,
): Call<Value> {
  const isOwn = options?.idempotencyKey === undefined;
  const idempotencyKey = keyIn(options, connection);
  const fits = (value: Value): boolean => {
    const amount = findAssumedAmount(endpoint.assumes, draft, value);
    return !amount || !isFarOff(amount, value.fee);
  };
  return send(
    connection,
    endpoint,
    {
      where: {},
      draft,
      idempotencyKey,
      lifetime,
      isOwn,
      fits,
      async resolve({ operation, code, status, values }, rest) {
        const facts = { operation, idempotencyKey, values };
        const fail = existsUnread('the resource with this idempotencyKey', facts);
        const id = values?.[endpoint.original!.id];
        const call = { ...rest, reason: 'find the original' };
        const found = typeof id === 'string' ? await get(id, call).catch(fail) : fail();
        if (agreesWith(endpoint, draft, found) && (isOwn || fits(found))) {
          const { path, output } = endpoint;
          connection[internals].settings.drift?.(path, output!.schema!, found, {
            asked: draft as never,
            endpoint,
          });
          return found;
        }
        throw new RefusedError(
          `${operation}: the idempotencyKey was used for something else; check that before you use a new key (${code})`,
          { ...facts, code, status, outcome: 'unknown', next: 'read-first' },
        );
      },
    },
    options,
  );
}

/**
 * Creates the `resolve` function for a command that the service may refuse because it's already
 * done. It reads the resource to confirm that. If the read fails, or returns an older state from a
 * lagging replica, the outcome is unknown.
 */
export function confirmMoved<T>(
  read: (options: CallOptions) => Promise<T>,
  hasMoved: (found: T) => boolean,
): (refusal: ErrorFacts, rest: CallOptions) => Promise<T> {
  return async ({ operation }, rest) => {
    const fail: (thrown?: Partial<ErrorFacts>) => never = existsUnread(
      'the request was already done, but its result',
      { operation },
    );
    const found = await read({ ...rest, reason: 'read after a lost response' }).catch(fail);
    return hasMoved(found) ? found : fail();
  };
}

/**
 * Returns a function that throws `EXISTS_UNREAD` for a resource that exists but couldn't be read.
 * The error includes the missing scope and the retry time from the failed read.
 */
export function existsUnread(
  event: string,
  named: Partial<ErrorFacts>,
): (thrown?: Partial<ErrorFacts>) => never {
  return ({ neededScope, retryAt } = {}) => {
    throw new UnreachableError(
      `${named.operation}: ${event} could not be read; try again (EXISTS_UNREAD)`,
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
