import {
  type Call,
  type CallOptions,
  type Connection,
  type KeyedOptions,
  type Endpoint,
  send,
  type Trust,
} from '../core/http/index.ts';
import { type ErrorFacts, RefusedError } from '../core/errors/index.ts';
import { unread } from './unread.ts';

/** How what a key stands for is read and recognised, and how long the key may be sent for. */
interface Original<Answer> {
  get(id: string, options: CallOptions): Promise<Answer>;
  isSame(found: Answer): boolean;
  readonly trust?: Trust;
}

/**
 * Creates under a key, made when absent. A duplicate of a key that was made here, or that a lost answer may have made, is
 * read, compared and returned; what cannot be read is `EXISTS_UNREAD`, never "not created". Any other duplicate is an
 * error: whose it is, only the caller knows.
 */
export function createKeyed<Draft, Answer>(
  connection: Connection,
  row: Endpoint<{}, Draft, Answer>,
  draft: Draft,
  options: KeyedOptions,
  { get, isSame, trust }: Original<Answer>,
): Call<Answer> {
  const { idempotencyKey = connection.uuid(), ...call } = options;
  return send(
    connection,
    row,
    {
      where: {},
      draft,
      idempotencyKey,
      trust,
      isOwn: options.idempotencyKey === undefined,
      fits: isSame,
      async resolve({ code, status, values }, rest) {
        const facts = { idempotencyKey, values };
        const found = await get(String(values?.[row.original!.id]), {
          ...rest,
          reason: 'find the original',
        }).catch((thrown: Partial<ErrorFacts>) => {
          throw unread('idempotencyKey: its original could not be read; ask again', facts, thrown);
        });
        if (isSame(found)) return found;
        throw new RefusedError(
          'idempotencyKey: stands for something else; look at it before you take a new one',
          { ...facts, code, status, outcome: 'unknown', next: 'read-first' },
        );
      },
    },
    call,
  );
}
