import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type {
  AllReceivesFilter,
  Receive,
  ReceiveFilter,
  ReceiveRequest,
  ReceiveRequestDraft,
  ReceiveRequestFilter,
  ReceiveRequestId,
} from './model.ts';
import {
  ReceivePageSchema,
  ReceiveRequestDraftSchema,
  ReceiveRequestPageSchema,
  ReceiveRequestSchema,
} from './schemas.ts';

/** The filter by request under its plain name. */
interface Plain {
  readonly requestId?: AllReceivesFilter['receiveRequestId'];
}

const READ = 'partner.receive-request.read';

/**
 * The members of a filter travel with a dollar before their names; the description writes one of them without, others with it:
 * both travel.
 */
function queryOf(...members: string[]): Readonly<Record<string, string>> {
  return {
    ...SKIP_QUERY,
    requestId: 'receiveRequestId',
    ...Object.fromEntries(
      ['onchainAddress', 'bolt11Invoice', 'paymentHash', ...members].map((name) => [
        name,
        `$${name}`,
      ]),
    ),
  };
}

/** @source seed */
export const create: Endpoint<{}, ReceiveRequestDraft, ReceiveRequest> = commanding(
  'POST',
  '/v1/receive-request',
  'partner.receive-request.create',
  [201, 200],
  'none',
  ReceiveRequestDraftSchema,
  ReceiveRequestSchema,
);

/** @source seed */
export const get: Endpoint<{ receiveRequestId: ReceiveRequestId }, void, ReceiveRequest> = reading(
  '/v1/receive-requests/{receiveRequestId}',
  READ,
  ReceiveRequestSchema,
  { echo: { receiveRequestId: 'receiveRequestId' } },
);

/** @source seed */
export const list: Endpoint<SkipQuery & ReceiveRequestFilter, void, Page<ReceiveRequest>> = reading(
  '/v1/receive-requests',
  READ,
  ReceiveRequestPageSchema,
  { query: queryOf() },
);

/** @source seed */
export const listReceives: Endpoint<
  SkipQuery & ReceiveFilter & { receiveRequestId: ReceiveRequestId } & Plain,
  void,
  Page<Receive>
> = reading('/v1/receive-requests/{receiveRequestId}/receives', READ, ReceivePageSchema, {
  query: queryOf('receiveId'),
});

/** @source seed */
export const listAllReceives: Endpoint<
  SkipQuery & AllReceivesFilter & Plain,
  void,
  Page<Receive>
> = reading('/v1/receive-requests/receives', READ, ReceivePageSchema, {
  query: queryOf('receiveId', 'receiveRequestId'),
});
