import type { Page, SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
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

// The members of a filter travel with a dollar before their names. The description writes one of
// them without it: both travel.

/** POST /v1/receive-request @source documented */
export const create: Endpoint<{}, ReceiveRequestDraft, ReceiveRequest> = {
  operation: 'receiveRequests.create',
  method: 'POST',
  path: '/v1/receive-request',
  scope: 'partner.receive-request.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: ReceiveRequestDraftSchema,
  output: ReceiveRequestSchema,
  agrees: {
    exact: { targetCurrency: 'targetCurrency' },
    text: { 'bolt11.descriptionHash': 'bolt11.descriptionHash' },
    amount: {
      'bolt11.requestedAmount': 'bolt11.amount',
      'onchain.requestedAmount': 'onchain.amount',
    },
  },
};

/** GET /v1/receive-requests/{receiveRequestId} @source documented */
export const get: Endpoint<{ receiveRequestId: ReceiveRequestId }, void, ReceiveRequest> = {
  operation: 'receiveRequests.get',
  method: 'GET',
  path: '/v1/receive-requests/{receiveRequestId}',
  scope: 'partner.receive-request.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: ReceiveRequestSchema,
  echo: { receiveRequestId: 'receiveRequestId' },
};

/** GET /v1/receive-requests @source documented */
export const list: Endpoint<SkipQuery & ReceiveRequestFilter, void, Page<ReceiveRequest>> = {
  operation: 'receiveRequests.list',
  method: 'GET',
  path: '/v1/receive-requests',
  scope: 'partner.receive-request.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: ReceiveRequestPageSchema,
  query: {
    top: '$top',
    skip: '$skip',
    requestId: 'receiveRequestId',
    onchainAddress: '$onchainAddress',
    bolt11Invoice: '$bolt11Invoice',
    paymentHash: '$paymentHash',
  },
};

/** GET /v1/receive-requests/{receiveRequestId}/receives @source documented */
export const listReceives: Endpoint<
  SkipQuery & ReceiveFilter & { receiveRequestId: ReceiveRequestId } & Plain,
  void,
  Page<Receive>
> = {
  operation: 'receiveRequests.listReceives',
  method: 'GET',
  path: '/v1/receive-requests/{receiveRequestId}/receives',
  scope: 'partner.receive-request.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: ReceivePageSchema,
  query: {
    top: '$top',
    skip: '$skip',
    requestId: 'receiveRequestId',
    onchainAddress: '$onchainAddress',
    bolt11Invoice: '$bolt11Invoice',
    paymentHash: '$paymentHash',
    receiveId: '$receiveId',
  },
};

/** GET /v1/receive-requests/receives @source documented */
export const listAllReceives: Endpoint<
  SkipQuery & AllReceivesFilter & Plain,
  void,
  Page<Receive>
> = {
  operation: 'receiveRequests.listAllReceives',
  method: 'GET',
  path: '/v1/receive-requests/receives',
  scope: 'partner.receive-request.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: ReceivePageSchema,
  query: {
    top: '$top',
    skip: '$skip',
    requestId: 'receiveRequestId',
    onchainAddress: '$onchainAddress',
    bolt11Invoice: '$bolt11Invoice',
    paymentHash: '$paymentHash',
    receiveId: '$receiveId',
    receiveRequestId: '$receiveRequestId',
  },
};
