// Receive requests, which let anyone pay you at any time.
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

/** Id of a receive request. */
export type ReceiveRequestId = Id<'receive-request'>;

/** Id of a receive. */
export type ReceiveId = Id<'receive'>;

/**
 * A permanent way to get paid, at the current rate. It has no state, because each payment creates a
 * receive.
 */
export interface ReceiveRequest {
  /** Id of the request. */
  readonly receiveRequestId: string;
  /** ISO 8601 date-time. */
  readonly created: string;
  /** Currency that incoming payments are converted to. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
  /** Lightning details, if requested. */
  readonly bolt11?: ReceiveRequestBolt11 | undefined;
  /** On-chain details, if requested. */
  readonly onchain?: ReceiveRequestOnchain | undefined;
}

/** The Lightning part of a receive request. It can be paid once. */
export interface ReceiveRequestBolt11 {
  /** BOLT11 invoice. */
  readonly invoice: string;
  /** Amount from the draft, in its currency. */
  readonly requestedAmount?: Money | undefined;
  /** Amount in BTC, as a decimal string. Absent if the payer chooses. */
  readonly btcAmount?: string | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** SHA-256 hash of the description, in hex. */
  readonly descriptionHash?: string | undefined;
  /** Payment hash, in hex. */
  readonly paymentHash: string;
  /** ISO 8601 date-time. */
  readonly expires: string;
}

/** The on-chain part of a receive request. It accepts any number of payments of any amount. */
export interface ReceiveRequestOnchain {
  /** The on-chain address. */
  readonly address: string;
  /** `bitcoin:` URI. */
  readonly addressUri: string;
  /** Amount from the draft, in its currency. */
  readonly requestedAmount?: Money | undefined;
  /** Amount in BTC, as a decimal string. */
  readonly btcAmount?: string | undefined;
}

/**
 * Input for creating a receive request. Set at least one of `bolt11` and `onchain`. `{}` requests
 * one without an amount.
 */
export interface ReceiveRequestDraft extends Extendable {
  /** Requests a BOLT11 invoice. */
  readonly bolt11?: ReceiveRequestBolt11Draft | undefined;
  /** Requests an on-chain address. */
  readonly onchain?: ReceiveRequestOnchainDraft | undefined;
  /** Defaults to the account's default currency. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
}

/** Input for requesting a BOLT11 invoice. */
export interface ReceiveRequestBolt11Draft {
  /** Amount to request. If absent, the payer chooses. */
  readonly amount?: Money | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** 64 hex digits that replace the description. */
  readonly descriptionHash?: string | undefined;
  /** Time until it expires, in whole seconds, at least 1. */
  readonly expiryInSeconds?: number | undefined;
}

/** Input for requesting an on-chain address. */
export interface ReceiveRequestOnchainDraft {
  /** Suggested amount for the payer. */
  readonly amount?: Money | undefined;
}

/** A payment towards a receive request. */
export interface Receive {
  /** Id of the receive. */
  readonly receiveId: string;
  /** Id of the receive request it belongs to. */
  readonly receiveRequestId: string;
  /** `P2P` means it's from another user of the service, whatever was requested. */
  readonly type: Open<'LIGHTNING' | 'ONCHAIN' | 'P2P'>;
  /** The state. */
  readonly state: Open<ReceiveState>;
  /** Amount received. In BTC, unless the type is `P2P`. */
  readonly amountReceived: Money;
  /** Amount credited. Present once it has completed. */
  readonly amountCredited?: Money | undefined;
  /** Rate between the amount received and the amount credited. */
  readonly conversionRate?: QuotedRate | undefined;
  /** When it was detected, as ISO 8601 date-time. */
  readonly created: string;
  /** When it was credited, as ISO 8601 date-time. */
  readonly completed?: string | undefined;
  /** Details of a Lightning payment. */
  readonly lightning?: ReceiveLightning | undefined;
  /** Details of an on-chain payment. */
  readonly onchain?: ReceiveOnchain | undefined;
  /** Details of a payment from another user of the service. */
  readonly p2p?: ReceiveP2p | undefined;
}

/** All receives of one receive request, oldest first. */
export interface Receives {
  /** Id of the receive request. */
  readonly receiveRequestId: string;
  /** Payments to it. */
  readonly receives: readonly Receive[];
}

/** Details of a Lightning payment. */
export interface ReceiveLightning {
  /** The BOLT11 invoice that was paid. */
  readonly invoice: string;
  /** Proof of payment, in hex. */
  readonly preimage: string;
  /** Payment hash, in hex. */
  readonly paymentHash: string;
  /** Description the payer saw. */
  readonly description?: string | undefined;
  /** SHA-256 hash of the description, in hex. */
  readonly descriptionHash?: string | undefined;
}

/** Details of an on-chain payment. */
export interface ReceiveOnchain {
  /** The address that was paid. */
  readonly address: string;
  /** Id of the transaction. */
  readonly transactionId: string;
  /** Height of its block, once it's in one. */
  readonly blockHeight?: number | undefined;
  /** Number of confirmations. */
  readonly numberOfConfirmations?: number | undefined;
}

/** Details of a payment from another user of the service. */
export interface ReceiveP2p {
  /** Id of the payer's account. */
  readonly payerAccountId?: string | undefined;
}

type Some = string | readonly string[];

/** Filter for receive requests. Each given field must match one of its values. */
export interface ReceiveRequestFilter {
  /** On-chain address. */
  readonly onchainAddress?: Some | undefined;
  /** BOLT11 invoice. */
  readonly bolt11Invoice?: Some | undefined;
  /** Payment hash, in hex. */
  readonly paymentHash?: Some | undefined;
}

/** Filter for the receives of one receive request. */
export interface ReceiveFilter extends ReceiveRequestFilter {
  /** Id of the receive. */
  readonly receiveId?: Some | undefined;
}

/** Filter for the receives of all receive requests. */
export interface AllReceivesFilter extends ReceiveFilter {
  /** Id of the receive request. */
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

/** Known states. The service may add more. */
export type ReceiveState = 'PENDING' | 'COMPLETED';

/** States of a receive. It's PENDING once detected, and COMPLETED once credited. */
export const receiveStates: StateMachine<ReceiveState> = stateMachine<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);

/** Filter by receive request, under the name without a dollar sign. */
interface Plain {
  readonly requestId?: AllReceivesFilter['receiveRequestId'];
}

// Filter fields are sent with a dollar sign before their names. The service's API description lists
// one of them without it, so that one is sent both ways.

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
 * receive request. It's sent once, because it has no idempotency key. `POST /v1/receive-request`
 * (documented, and you can set another path with `createClient({ paths })`).
 *
 * @throws InputError for a bad field · any error with `maybeCreated: true` if no response came:
 * list the receive requests before you try again
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
 * Reads one receive request. Use `listReceives` for its payments. `GET
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
 * Lists receive requests, either all or those matching an address, a BOLT11 invoice or a payment
 * hash. `GET /v1/receive-requests` (documented).
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
 * Lists the receives of one request. `GET /v1/receive-requests/{receiveRequestId}/receives`
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
 * Lists the receives of all requests. `GET /v1/receive-requests/receives` (documented).
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
 * Receives are only ever added and completed, so the total number of their steps is a rank that
 * never falls.
 */
const receiveSteps: StateMachine<string> = {
  transitions: {},
  rank: (steps) => +steps,
  isSettled: () => false,
  canMove: () => true,
};

/**
 * Reads all receives of one receive request, page by page. A receive that moved to another page
 * counts once.
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
    checkReadable(page.items); // without one of them, the sum would be too small
    for (const receive of page.items) found.set(receive.receiveId, receive);
    skip += page.items.length;
    const count = readCount(page) ?? (page.items.length < PAGE ? 0 : Infinity);
    if (page.items.length === 0 || skip >= count) break;
  }
  const receives = [...found.values()].sort((a, b) => (readPlace(a) < readPlace(b) ? -1 : 1));
  return { receiveRequestId, receives };
}

/**
 * Returns a key to sort receives by time, then id. The service guarantees no order, and the same
 * receives must give the same value.
 */
function readPlace({ created, receiveId }: Receive): string {
  return `${created} ${receiveId}`;
}

/** Its watch reads the receives, because a receive request has no state of its own. */
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

/** One receive, as a row in a live list. It can't be read by id. */
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
