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

/** How to read the original resource by key, and how long the key may be sent. */
interface Original<Value> {
  get(id: string, options: CallOptions): Promise<Value>;
  readonly lifetime?: NameLifetime;
}

/** Returns the caller's key, or a new one. Invalid clients and options are rejected by `send`. */
export function keyIn(
  options: KeyedOptions | null,
  connection: Connection | undefined,
): string | undefined {
  return options?.idempotencyKey ?? connection?.[internals]?.uuid();
}

/**
 * Creates a resource under an idempotency key. If the key was used before, reads that resource and
 * compares it with the draft. Returns it if this call may have created it, either because it
 * generated the key or because an earlier response was lost. A failed read throws `EXISTS_UNREAD`,
 * never "not created". Any other duplicate is an error, because only the caller knows whose it is.
 *
 * If a response's amount is far from the draft's, the request is sent again. If this call generated
 * the key, the resource the service then returns belongs to it, however the service computed the
 * amount.
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
 * Creates the `resolve` function for a command that the service may report as already done. It
 * reads the state. If the read fails, or returns an older state from a lagging replica, the outcome
 * is unknown.
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
 * Returns a function that throws `EXISTS_UNREAD` for a resource that couldn't be read, with the
 * missing scope and the retry time of the failed read.
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
