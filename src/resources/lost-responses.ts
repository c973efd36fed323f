import { type ErrorFacts, RefusedError, UnreachableError } from '../core/errors/index.ts';
import {
  agreesWith,
  type AnyEndpoint,
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
import { assumedAmountOf, isFarOff } from './amounts.ts';

/** How what a key stands for is read, and how long the key may be sent for. */
interface Original<Value> {
  get(id: string, options: CallOptions): Promise<Value>;
  readonly lifetime?: NameLifetime;
}

/**
 * Creates under a key, made when absent. A duplicate of a key that was made here, or that a lost
 * response may have made, is read, compared and returned; what cannot be read is `EXISTS_UNREAD`,
 * never "not created". Any other duplicate is an error: whose it is, only the caller knows.
 *
 * A response whose amount is far from the draft's is asked for again. What the service then names
 * under a key that was made here is this call's, whatever its arithmetic.
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
  const { uuid, settings } = connection[internals];
  const isOwn = options.idempotencyKey === undefined;
  const { idempotencyKey = uuid() } = options;
  const any = endpoint as unknown as AnyEndpoint;
  const fits = (value: Value): boolean => {
    const amount = assumedAmountOf(endpoint.assumes, draft, value);
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
        const found = await get(String(values?.[endpoint.original!.id]), {
          ...rest,
          reason: 'find the original',
        }).catch(existsUnread('the original of the idempotencyKey', facts));
        if (agreesWith(any, draft, found) && (isOwn || fits(found))) {
          const { path, assumes, output } = endpoint;
          settings.drift?.(path, output!.schema!, found, { asked: draft as never, assumes });
          return found;
        }
        throw new RefusedError(
          `${operation}: the idempotencyKey stands for something else; read it before you take a new one (${code})`,
          { ...facts, code, status, outcome: 'unknown', next: 'read-first' },
        );
      },
    },
    options,
  );
}

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
