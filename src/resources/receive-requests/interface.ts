// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions } from '../../core/lists/index.ts';
import type {
  AllReceivesFilter,
  Receive,
  ReceiveFilter,
  ReceiveRequest,
  ReceiveRequestDraft,
  ReceiveRequestFilter,
  ReceiveRequestId,
} from './model.ts';

/** Standing ways to be paid by anyone, and what was received by them. */
export interface ReceiveRequests {
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
  create(draft: ReceiveRequestDraft, options?: CallOptions): Call<ReceiveRequest>;

  /**
   * Reads one receive request. Resolves to the request; what was paid stands in its receives.
   * `GET /v1/receive-requests/{receiveRequestId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { bolt11 } = await client.receiveRequests.get(request.receiveRequestId);
   */
  get(receiveRequestId: ReceiveRequestId, options?: CallOptions): Call<ReceiveRequest>;

  /**
   * Lists receive requests, all or those with an address, a BOLT11 text or a payment hash. Returns
   * a list to iterate. `GET /v1/receive-requests` (documented).
   *
   * @example
   * for await (const { receiveRequestId } of client.receiveRequests.list())
   *   console.log(receiveRequestId);
   */
  list(filter?: ReceiveRequestFilter, options?: ListOptions): List<ReceiveRequest>;

  /**
   * Lists the receives of one request. Returns a list to iterate.
   * `GET /v1/receive-requests/{receiveRequestId}/receives` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const receives = await client.receiveRequests
   *   .listReceives(request.receiveRequestId)
   *   .toArray({ limit: 100 });
   */
  listReceives(
    receiveRequestId: ReceiveRequestId,
    filter?: ReceiveFilter,
    options?: ListOptions,
  ): List<Receive>;

  /**
   * Lists the receives of all requests. Returns a list to iterate.
   * `GET /v1/receive-requests/receives` (documented).
   *
   * @example
   * const [receive] = await client.receiveRequests
   *   .listAllReceives({ paymentHash: request.bolt11!.paymentHash })
   *   .toArray({ limit: 1 });
   */
  listAllReceives(filter?: AllReceivesFilter, options?: ListOptions): List<Receive>;
}
