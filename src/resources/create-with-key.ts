import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  type KeyedOptions,
  send,
  type NameLifetime,
} from '../core/http/index.ts';
import { RefusedError } from '../core/errors/index.ts';
import { existsUnread } from './exists-unread.ts';

/** How what a key stands for is read and recognised, and how long the key may be sent for. */
interface Original<Value> {
  get(id: string, options: CallOptions): Promise<Value>;
  isSame(found: Value): boolean;
  readonly lifetime?: NameLifetime;
}

/**
 * Creates under a key, made when absent. A duplicate of a key that was made here, or that a lost
 * response may have made, is read, compared and returned; what cannot be read is `EXISTS_UNREAD`,
 * never "not created". Any other duplicate is an error: whose it is, only the caller knows.
 */
export function createWithKey<Draft, Value>(
  connection: Connection,
  endpoint: Endpoint<{}, Draft, Value>,
  draft: Draft,
  options: KeyedOptions,
  { get, isSame, lifetime }: Original<Value>,
): Call<Value> {
  const { idempotencyKey = connection[internals].uuid() } = options;
  return send(
    connection,
    endpoint,
    {
      where: {},
      draft,
      idempotencyKey,
      lifetime,
      isOwn: options.idempotencyKey === undefined,
      fits: isSame,
      async resolve({ operation, code, status, values }, rest) {
        const facts = { operation, idempotencyKey, values };
        const found = await get(String(values?.[endpoint.original!.id]), {
          ...rest,
          reason: 'find the original',
        }).catch(existsUnread('the original of the idempotencyKey', facts));
        if (isSame(found)) return found;
        throw new RefusedError(
          `${operation}: the idempotencyKey stands for something else; look at it before you take a new one (${code})`,
          { ...facts, code, status, outcome: 'unknown', next: 'read-first' },
        );
      },
    },
    options,
  );
}
