import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  send,
  withPriority,
} from '../../core/http/index.ts';
import { type ErrorFacts, RefusedError } from '../../core/errors/index.ts';
import { equals } from '../../core/lists/index.ts';
import { isSameMoney } from '../../money/index.ts';
import { existsUnread } from '../exists-unread.ts';
import * as endpoints from './endpoints.ts';
import type { Invoice, InvoiceDraft } from './model.ts';

/** The service's clock and ours may differ by a little. */
const CLOCK_MARGIN = 120_000;

/** A draft that has its name: what every creation sends. */
type NamedDraft = InvoiceDraft & { readonly correlationId: string };

/**
 * Creates under the draft's name, made when absent. A duplicate of a name that was made here, or
 * that a lost response may have made, is read, compared and returned. With `adopt` any duplicate
 * is, if it asks for the same: `adopt` hears whether it existed before. With `handle` it is made
 * for that account.
 */
export function createOnce(
  connection: Connection,
  given: InvoiceDraft | undefined,
  options: CallOptions,
  adopt?: (existed: boolean) => void,
  handle?: string,
): Call<Invoice> {
  const endpoint: Endpoint<{ handle: string }, InvoiceDraft, Invoice> =
    handle === undefined ? endpoints.create : endpoints.createFor;
  const { correlationId } = given ?? {};
  const isOwn = correlationId === undefined;
  const draft: NamedDraft = {
    ...given!,
    correlationId: correlationId ?? connection[internals].uuid(),
  };
  return send(
    connection,
    endpoint,
    {
      where: { handle: handle! },
      draft,
      correlationId: draft.correlationId,
      adopts: adopt !== undefined,
      isOwn,
      async resolve({ operation, attempts }, rest, since) {
        const found = await readOriginal(connection, operation, draft, rest);
        const isOurs = isOwn || (since !== undefined && isMadeSince(found, since));
        adopt?.(!isOurs || attempts === 1); // this call had not asked before
        return acceptOriginal(
          operation,
          draft,
          found,
          (isOurs || adopt !== undefined) &&
            (found.receiverId === found.issuerId) === (handle === undefined),
        );
      },
    },
    options,
  );
}

/**
 * Finds the invoice that already carries the draft's correlationId. Never says "not created":
 * what cannot be read is an error with `EXISTS_UNREAD` and outcome `unknown`.
 */
async function readOriginal(
  connection: Connection,
  operation: string | undefined,
  { correlationId }: NamedDraft,
  options: CallOptions,
): Promise<Invoice> {
  const where = { filter: equals('correlationId', correlationId), top: 100 };
  const fail: (thrown?: Partial<ErrorFacts>) => never = existsUnread(
    'an invoice has this correlationId and',
    { operation, correlationId },
  );
  const { items } = await send(
    withPriority(connection, connection[internals].priority ?? 'high'), // the caller waits for it
    endpoints.list,
    { where },
    { ...options, reason: 'find the original' },
  ).catch(fail); // also when the caller gave up: something exists
  // the filter may ignore case
  const [invoice, another] = items.filter((one) => one.correlationId === correlationId);
  return invoice && !another ? invoice : fail();
}

/** Not made before `since`, a time of the service. */
function isMadeSince(found: Invoice, since: number): boolean {
  return Date.parse(found.created) >= since - CLOCK_MARGIN;
}

/**
 * The found invoice if it is what the draft asks for, and is made by this call where it has to be;
 * else an error that names it.
 */
function acceptOriginal(
  operation: string | undefined,
  draft: NamedDraft,
  found: Invoice,
  isOurs: boolean,
): Invoice {
  const same =
    isOurs &&
    isSameMoney(found.amount, draft.amount) &&
    (found.description ?? '') === (draft.description ?? '');
  if (same) return found;
  throw new RefusedError(
    `${operation}: another invoice has this correlationId and may still be paid; cancel it, read CANCELLED, then take a new id (DUPLICATE_INVOICE)`,
    {
      operation,
      code: 'DUPLICATE_INVOICE',
      outcome: 'unknown',
      status: 409,
      next: 'read-first',
      correlationId: draft.correlationId,
      values: { correlationId: draft.correlationId, existing: found },
    },
  );
}
