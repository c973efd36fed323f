import { type Page, SKIP_QUERY, type SkipQuery } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { commanding, reading } from '../rows.ts';
import type { AllReceivesFilter, Receive, ReceiveFilter, ReceiveRequest, ReceiveRequestDraft, ReceiveRequestFilter, ReceiveRequestId } from './model.ts';
import { ReceivePageSchema, ReceiveRequestDraftSchema, ReceiveRequestPageSchema, ReceiveRequestSchema } from './schemas.ts';

const ALL = '/v1/receive-requests';
const READ = 'partner.receive-request.read';

const REQUEST_QUERY = { ...SKIP_QUERY, onchainAddress: '$onchainAddress', bolt11Invoice: '$bolt11Invoice', paymentHash: '$paymentHash' };
const RECEIVE_QUERY = { ...REQUEST_QUERY, receiveId: '$receiveId' };

/** @source seed */
export const create: Row<{}, ReceiveRequestDraft, ReceiveRequest> = commanding(
  'POST', '/v1/receive-request', 'partner.receive-request.create', [201, 200], 'once', ReceiveRequestDraftSchema, ReceiveRequestSchema,
);

/** @source seed */
export const find: Row<{ receiveRequestId: ReceiveRequestId }, void, ReceiveRequest> = reading(`${ALL}/{receiveRequestId}`, READ, ReceiveRequestSchema);

/** @source seed */
export const list: Row<SkipQuery & ReceiveRequestFilter, void, Page<ReceiveRequest>> = reading(ALL, READ, ReceiveRequestPageSchema, { query: REQUEST_QUERY });

/** @source seed */
export const listReceives: Row<SkipQuery & ReceiveFilter & { receiveRequestId: ReceiveRequestId }, void, Page<Receive>> = reading(
  `${ALL}/{receiveRequestId}/receives`, READ, ReceivePageSchema, { query: RECEIVE_QUERY },
);

/**
 * The description writes the last filter without a dollar, others with it: both travel.
 *
 * @source seed */
export const listAllReceives: Row<SkipQuery & AllReceivesFilter & { requestId?: AllReceivesFilter['receiveRequestId'] }, void, Page<Receive>> = reading(
  `${ALL}/receives`, READ, ReceivePageSchema, { query: { ...RECEIVE_QUERY, receiveRequestId: 'receiveRequestId', requestId: '$receiveRequestId' } },
);
