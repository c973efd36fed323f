// Receive requests, which are reusable ways to receive payments.
import {
  checkArgument,
  checkOptions,
  type Expected,
  type Id,
  type Open,
} from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  checkReadable,
  readCount,
  type List,
  listBySkip,
  type ListOptions,
  type Page,
  PAGE,
  type SkipQuery,
} from '../core/lists/index.ts';
import type { Money } from '../money/index.ts';
import type { CurrencyCode, QuotedRate } from './amounts.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
import {
  ReceivePageSchema,
  ReceiveRequestDraftSchema,
  receiveRequestDraftRules,
  ReceiveRequestPageSchema,
  ReceiveRequestSchema,
  ReceiveSchema,
  ReceivesSchema,
  ReceiveStateSchema,
  ReceiveTypeSchema,
} from './receive-requests.schemas.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type Watchable,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Receive request id. */
export type ReceiveRequestId = Id<'receive-request'>;

/** Id of a receive, a payment to a receive request. */
export type ReceiveId = Id<'receive'>;

/**
 * A permanent way to receive payments at the current exchange rate. A receive request has no state.
 * Each payment to it creates a separate receive.
 */
export interface ReceiveRequest {
  /** The receive request's id. */
  readonly receiveRequestId: string;
  /** When the receive request was created, as an ISO 8601 date-time. */
  readonly created: string;
  /** Currency that incoming payments are converted to. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
  /** Details for paying by Lightning, if requested. */
  readonly bolt11?: ReceiveRequestBolt11 | undefined;
  /** Details for paying on-chain, if requested. */
  readonly onchain?: ReceiveRequestOnchain | undefined;
}

/** The Lightning part of a receive request, which can be paid once. */
export interface ReceiveRequestBolt11 {
  /** BOLT11 invoice to pay. */
  readonly invoice: string;
  /** Requested amount, in the currency of the draft. */
  readonly requestedAmount?: Money | undefined;
  /** Requested amount in BTC, as a decimal string. Absent if the payer chooses the amount. */
  readonly btcAmount?: string | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** SHA-256 hash of the description, in hex. */
  readonly descriptionHash?: string | undefined;
  /** Payment hash of the BOLT11 invoice, in hex. */
  readonly paymentHash: string;
  /** When the BOLT11 invoice expires, as an ISO 8601 date-time. */
  readonly expires: string;
}

/**
 * The on-chain part of a receive request. The address accepts any number of payments of any amount.
 */
export interface ReceiveRequestOnchain {
  /** On-chain address to pay. */
  readonly address: string;
  /** Payment URI for the address, which starts with `bitcoin:`. */
  readonly addressUri: string;
  /** Requested amount, in the currency of the draft. */
  readonly requestedAmount?: Money | undefined;
  /** Requested amount in BTC, as a decimal string. */
  readonly btcAmount?: string | undefined;
}

/**
 * Input for creating a receive request. Set `bolt11`, `onchain` or both. To request either of them
 * without an amount, set it to `{}`.
 */
export interface ReceiveRequestDraft extends Extendable {
  /** Requests a BOLT11 invoice. */
  readonly bolt11?: ReceiveRequestBolt11Draft | undefined;
  /** Requests an on-chain address. */
  readonly onchain?: ReceiveRequestOnchainDraft | undefined;
  /**
   * Currency that incoming payments are converted to. Defaults to the account's default currency.
   */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
}

/** Input for requesting a BOLT11 invoice. */
export interface ReceiveRequestBolt11Draft {
  /** Amount to request. If absent, the payer chooses the amount. */
  readonly amount?: Money | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** Hash that replaces the description, as 64 hex digits. */
  readonly descriptionHash?: string | undefined;
  /** Seconds until the BOLT11 invoice expires, as a whole number of at least 1. */
  readonly expiryInSeconds?: number | undefined;
}

/** Input for requesting an on-chain address. */
export interface ReceiveRequestOnchainDraft {
  /** Amount to suggest to the payer. */
  readonly amount?: Money | undefined;
}

/** A payment to a receive request. */
export interface Receive {
  /** The receive's id. */
  readonly receiveId: string;
  /** Id of the receive request that was paid. */
  readonly receiveRequestId: string;
  /**
   * Type of the payment. `P2P` means that it's from another user of the service, regardless of the
   * requested type.
   */
  readonly type: Open<'LIGHTNING' | 'ONCHAIN' | 'P2P'>;
  /** The receive's state. */
  readonly state: Open<ReceiveState>;
  /** Amount received, which is in BTC unless the type is `P2P`. */
  readonly amountReceived: Money;
  /** Amount credited to the account. Only present after the receive has completed. */
  readonly amountCredited?: Money | undefined;
  /** Exchange rate between the received and the credited amount. */
  readonly conversionRate?: QuotedRate | undefined;
  /** When the payment was detected, as an ISO 8601 date-time. */
  readonly created: string;
  /** When the payment was credited, as an ISO 8601 date-time. */
  readonly completed?: string | undefined;
  /** Details of a Lightning payment. */
  readonly lightning?: ReceiveLightning | undefined;
  /** Details of an on-chain payment. */
  readonly onchain?: ReceiveOnchain | undefined;
  /** Details of a payment from another user of the service. */
  readonly p2p?: ReceiveP2p | undefined;
}

/** All receives for one receive request, oldest first. */
export interface Receives {
  /** The receive request's id. */
  readonly receiveRequestId: string;
  /** Payments to the receive request. */
  readonly receives: readonly Receive[];
}

/** Details of a Lightning payment. */
export interface ReceiveLightning {
  /** The BOLT11 invoice that was paid. */
  readonly invoice: string;
  /** Preimage that proves the payment, in hex. */
  readonly preimage: string;
  /** Payment hash of the BOLT11 invoice, in hex. */
  readonly paymentHash: string;
  /** Description that was shown to the payer. */
  readonly description?: string | undefined;
  /** SHA-256 hash of the description, in hex. */
  readonly descriptionHash?: string | undefined;
}

/** Details of an on-chain payment. */
export interface ReceiveOnchain {
  /** The address that was paid. */
  readonly address: string;
  /** Id of the on-chain transaction. */
  readonly transactionId: string;
  /**
   * Height of the block that contains the transaction. Absent until the transaction is in a block.
   */
  readonly blockHeight?: number | undefined;
  /** Number of confirmations of the transaction. */
  readonly numberOfConfirmations?: number | undefined;
}

/** Details of a payment from another user of the service. */
export interface ReceiveP2p {
  /** Id of the payer's account. */
  readonly payerAccountId?: string | undefined;
}

type Some = string | readonly string[];

/** Filter for receive requests. All given fields must match. */
export interface ReceiveRequestFilter {
  /** Filters by on-chain address. An array matches any of its values. */
  readonly onchainAddress?: Some | undefined;
  /** Filters by BOLT11 invoice. An array matches any of its values. */
  readonly bolt11Invoice?: Some | undefined;
  /** Filters by payment hash in hex. An array matches any of its values. */
  readonly paymentHash?: Some | undefined;
}

/** Filter for the receives of one receive request. */
export interface ReceiveFilter extends ReceiveRequestFilter {
  /** Filters by receive id. An array matches any of its values. */
  readonly receiveId?: Some | undefined;
}

/** Filter for the receives of all receive requests. */
export interface AllReceivesFilter extends ReceiveFilter {
  /** Filters by receive request id. An array matches any of its values. */
  readonly receiveRequestId?: Some | undefined;
}

const REQUEST_FILTER = {
  onchainAddress: 'string|array',
  bolt11Invoice: 'string|array',
  paymentHash: 'string|array',
} as const;

export const RECEIVE_FILTER: Expected<AllReceivesFilter> = /* @__PURE__ */ Object.assign(
  { receiveId: 'string|array', receiveRequestId: 'string|array' } as const,
  REQUEST_FILTER,
);

/** A known receive state. The service may add more. */
export type ReceiveState = 'PENDING' | 'COMPLETED';

/**
 * State machine for receives. A receive becomes PENDING when it's detected, and COMPLETED when it's
 * credited.
 */
export const receiveStates: StateMachine<ReceiveState> = stateMachine<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);

/** Receive request filter for the query parameter without a dollar sign. */
interface Plain {
  readonly requestId?: AllReceivesFilter['receiveRequestId'];
}

// Filter fields are sent as query parameters with a dollar sign. The service's API description
// lists one of them without the dollar sign, so that one is sent with both names.

const FILTER_QUERY = {
  top: '$top',
  skip: '$skip',
  requestId: 'receiveRequestId',
  onchainAddress: '$onchainAddress',
  bolt11Invoice: '$bolt11Invoice',
  paymentHash: '$paymentHash',
};
const RECEIVE_QUERY = Object.assign({}, FILTER_QUERY, { receiveId: '$receiveId' });

/** POST /v1/receive-request @source documented */
export const createEndpoint: Endpoint<{}, ReceiveRequestDraft, ReceiveRequest> = {
  operation: 'receiveRequests.create',
  method: 'POST',
  path: '/v1/receive-request',
  scope: 'partner.receive-request.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: makeDraftShape(ReceiveRequestDraftSchema, receiveRequestDraftRules),
  output: makeAnswer(ReceiveRequestSchema),
  agrees: {
    exact: { targetCurrency: 'targetCurrency' },
    ids: { 'bolt11.descriptionHash': 'bolt11.descriptionHash' },
    text: { 'bolt11.description': 'bolt11.description' },
    amount: {
      'bolt11.requestedAmount': 'bolt11.amount',
      'onchain.requestedAmount': 'onchain.amount',
    },
  },
};

/** GET /v1/receive-requests/{receiveRequestId} @source documented */
export const getEndpoint: Endpoint<{ receiveRequestId: ReceiveRequestId }, void, ReceiveRequest> =
  readEndpoint({
    operation: 'receiveRequests.get',
    path: '/v1/receive-requests/{receiveRequestId}',
    scope: 'partner.receive-request.read',
    output: makeAnswer(ReceiveRequestSchema),
    echo: { receiveRequestId: 'receiveRequestId' },
  });

/** GET /v1/receive-requests @source documented */
export const listEndpoint: Endpoint<
  SkipQuery & ReceiveRequestFilter,
  void,
  Page<ReceiveRequest>
> = readEndpoint({
  operation: 'receiveRequests.list',
  path: '/v1/receive-requests',
  scope: 'partner.receive-request.read',
  priority: 'low',
  output: makeAnswer(ReceiveRequestPageSchema),
  query: FILTER_QUERY,
});

/** GET /v1/receive-requests/{receiveRequestId}/receives @source documented */
export const listReceivesEndpoint: Endpoint<
  SkipQuery & ReceiveFilter & { receiveRequestId: ReceiveRequestId } & Plain,
  void,
  Page<Receive>
> = readEndpoint({
  operation: 'receiveRequests.listReceives',
  path: '/v1/receive-requests/{receiveRequestId}/receives',
  scope: 'partner.receive-request.read',
  priority: 'low',
  output: makeAnswer(ReceivePageSchema),
  query: RECEIVE_QUERY,
});

/** GET /v1/receive-requests/receives @source documented */
export const listAllReceivesEndpoint: Endpoint<
  SkipQuery & AllReceivesFilter & Plain,
  void,
  Page<Receive>
> = readEndpoint({
  operation: 'receiveRequests.listAllReceives',
  path: '/v1/receive-requests/receives',
  scope: 'partner.receive-request.read',
  priority: 'low',
  output: makeAnswer(ReceivePageSchema),
  query: Object.assign({}, RECEIVE_QUERY, { receiveRequestId: '$receiveRequestId' }),
});

/**
 * Creates a receive request with a BOLT11 invoice, an on-chain address, or both. Resolves to the
 * receive request. The SDK never retries this request, because it has no idempotency key. `POST
 * /v1/receive-request` (documented, and you can set another path with `createClient({ paths })`).
 *
 * @throws InputError for a bad field · any error with `maybeCreated: true` if there was no
 * response: list the receive requests before you try again
 *
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
  return send(connection, createEndpoint, { where: {}, draft }, options);
}

/**
 * Reads one receive request. To read its payments, use `listReceives`. `GET
 * /v1/receive-requests/{receiveRequestId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { bolt11 } = await client.receiveRequests.get(request.receiveRequestId);
 */
export function get(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  options: CallOptions = {},
): Call<ReceiveRequest> {
  return send(connection, getEndpoint, { where: { receiveRequestId } }, options);
}

/**
 * Lists all receive requests, or those with a given address, BOLT11 invoice or payment hash. `GET
 * /v1/receive-requests` (documented).
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
  checkOptions<ReceiveRequestFilter>(filter, REQUEST_FILTER, 'filter.');
  return listBySkip(
    connection,
    listEndpoint,
    filter,
    (request) => request.receiveRequestId,
    options,
  );
}

/**
 * Lists the receives of one receive request. `GET /v1/receive-requests/{receiveRequestId}/receives`
 * (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
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
  checkArgument('receiveRequestId', receiveRequestId, 'string!');
  const { receiveRequestId: _, ...members } = RECEIVE_FILTER;
  checkOptions<ReceiveFilter>(filter, members, 'filter.');
  return listBySkip(
    connection,
    listReceivesEndpoint,
    { ...filter, receiveRequestId },
    readId,
    options,
  );
}

/**
 * Lists the receives of all receive requests. `GET /v1/receive-requests/receives` (documented).
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
  checkOptions(filter, RECEIVE_FILTER, 'filter.');
  return listBySkip(
    connection,
    listAllReceivesEndpoint,
    { ...filter, requestId: filter.receiveRequestId },
    readId,
    options,
  );
}

function readId({ receiveId }: Receive): string {
  return receiveId;
}

/**
 * State machine for a receive request's payments. Receives are only added or completed, so the
 * total number of these steps serves as a rank that never decreases.
 */
const receiveSteps: StateMachine<string> = {
  transitions: {},
  rank: (steps) => +steps,
  isSettled: () => false,
  canMove: () => true,
};

/**
 * Reads all receives of one receive request, page by page. A receive that moves to another page
 * during the read is returned only once.
 */
async function readReceives(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  options: CallOptions,
): Promise<Receives> {
  const found = new Map<string, Receive>();
  for (let skip = 0; ; ) {
    const where = { receiveRequestId, top: PAGE, ...(skip > 0 && { skip }) };
    const page = await send(connection, listReceivesEndpoint, { where }, options);
    checkReadable(page.items); // if a receive were missing, the sum would be too small
    for (const receive of page.items) found.set(receive.receiveId, receive);
    skip += page.items.length;
    const count = readCount(page) ?? (page.items.length < PAGE ? 0 : Infinity);
    if (page.items.length === 0 || skip >= count) break;
  }
  const receives = [...found.values()].sort((a, b) => (readPlace(a) < readPlace(b) ? -1 : 1));
  return { receiveRequestId, receives };
}

/**
 * Returns the key for sorting receives by time and id. The service doesn't guarantee an order, and
 * the value must not change if only the order does.
 */
function readPlace({ created, receiveId }: Receive): string {
  return `${created} ${receiveId}`;
}

/**
 * The receive request resource. A watch reads the payments to it, because the request has no state
 * of its own.
 */
export const resource: WatchedResource<'receiveRequest', Receives> = {
  name: 'receiveRequest',
  events: 'receive-request',
  states: receiveSteps,
  idOf: ({ receiveRequestId }) => receiveRequestId,
  stateOf: ({ receives }) =>
    `${receives.reduce((steps, { state }) => steps + 1 + (receiveStates.rank(state) ?? 0), 0)}`,
  read: readReceives,
  watch: { wokenBy: 'events', shape: makeShape(ReceivesSchema) },
};

/**
 * A receive, as an item of a live list. The service has no endpoint for reading a receive by id.
 */
export const receives: Watchable<Receive> = {
  name: 'receive',
  events: 'receive-request',
  states: receiveStates,
  idOf: readId,
  stateOf: ({ state }) => state,
  async read(connection, receiveId, options) {
    const [receive] = await listAllReceives(connection, { receiveId }, options).toArray({
      limit: 1,
    });
    return receive!;
  },
  watch: { wokenBy: 'events', shape: makeShape(ReceiveSchema), page: makeShape(ReceivePageSchema) },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(ReceiveStateSchema, receiveStates.transitions),
    knownTexts(ReceiveTypeSchema, { LIGHTNING: true, ONCHAIN: true, P2P: true }),
  ];
}
