// Standing ways to be paid by anyone, and what was received by them.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import { type List, listBySkip, type ListOptions } from '../../core/lists/index.ts';
import * as endpoints from './endpoints.ts';
import type {
  AllReceivesFilter,
  Receive,
  ReceiveFilter,
  ReceiveRequest,
  ReceiveRequestDraft,
  ReceiveRequestFilter,
  ReceiveRequestId,
} from './model.ts';

/**
 * Creates a receive request: a BOLT11 text, an address, or both. Resolves to the request. Sent
 * once: it has no key. `POST /v1/receive-request` (seed; `createClient({ paths })` takes another
 * spelling).
 *
 * @throws InputError for a bad field · any error with `maybeCreated: true` when no response came:
 * list the requests before another try
 * @example
 * const request = await client.receiveRequests.create({
 *   bolt11: { amount: { amount: '10.00', currency: 'USD' } },
 *   onchain: {},
 * });
 */
export function create(
  connection: Connection,
  draft: ReceiveRequestDraft,
  options: CallOptions = {},
): Call<ReceiveRequest> {
  return send(connection, endpoints.create, { where: {}, draft }, options);
}

/**
 * Reads one receive request. Resolves to the request; what was paid stands in its receives.
 * `GET /v1/receive-requests/{receiveRequestId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { bolt11 } = await client.receiveRequests.get(request.receiveRequestId);
 */
export function get(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  options: CallOptions = {},
): Call<ReceiveRequest> {
  return send(connection, endpoints.get, { where: { receiveRequestId } }, options);
}

/**
 * Lists receive requests, all or those with an address, a BOLT11 text or a payment hash. Returns a
 * list to iterate. `GET /v1/receive-requests` (documented).
 *
 * @example
 * for await (const { receiveRequestId } of client.receiveRequests.list())
 *   console.log(receiveRequestId);
 */
export function list(
  connection: Connection,
  filter: ReceiveRequestFilter = {},
  options: ListOptions = {},
): List<ReceiveRequest> {
  return listBySkip(
    connection,
    endpoints.list,
    filter,
    (request) => request.receiveRequestId,
    options,
  );
}

/**
 * Lists the receives of one request. Returns a list to iterate. `GET
 * /v1/receive-requests/{receiveRequestId}/receives` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const receives = await client.receiveRequests
 *   .listReceives(request.receiveRequestId)
 *   .toArray({ limit: 100 });
 */
export function listReceives(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  filter: ReceiveFilter = {},
  options: ListOptions = {},
): List<Receive> {
  return listBySkip(
    connection,
    endpoints.listReceives,
    { ...filter, receiveRequestId },
    idOf,
    options,
  );
}

/**
 * Lists the receives of all requests. Returns a list to iterate. `GET
 * /v1/receive-requests/receives` (documented).
 *
 * @example
 * const [receive] = await client.receiveRequests
 *   .listAllReceives({ paymentHash: request.bolt11!.paymentHash })
 *   .toArray({ limit: 1 });
 */
export function listAllReceives(
  connection: Connection,
  filter: AllReceivesFilter = {},
  options: ListOptions = {},
): List<Receive> {
  return listBySkip(
    connection,
    endpoints.listAllReceives,
    { ...filter, requestId: filter.receiveRequestId },
    idOf,
    options,
  );
}

function idOf({ receiveId }: Receive): string {
  return receiveId;
}
