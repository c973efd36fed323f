// Receive requests: permanent ways to be paid by anyone, and what they received.
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
  countOf,
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
 * A standing way to be paid, at the rate of the moment. It has no state: each payment makes a
 * receive.
 */
export interface ReceiveRequest {
  /** Id of the request. */
  readonly receiveRequestId: string;
  /** ISO 8601 date-time. */
  readonly created: string;
  /** The currency to which receipts are converted. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
  /** The Lightning way, where it was asked for. */
  readonly bolt11?: ReceiveRequestBolt11 | undefined;
  /** The on-chain way, where it was asked for. */
  readonly onchain?: ReceiveRequestOnchain | undefined;
}

/** The Lightning part of a request. It can be paid once. */
export interface ReceiveRequestBolt11 {
  /** BOLT11 text. */
  readonly invoice: string;
  /** The amount of the draft, in its currency. */
  readonly requestedAmount?: Money | undefined;
  /** Decimal text in BTC; absent if the payer chooses. */
  readonly btcAmount?: string | undefined;
  /** The text that the payer sees. */
  readonly description?: string | undefined;
  /** SHA-256 of the description, hex. */
  readonly descriptionHash?: string | undefined;
  /** Hex. */
  readonly paymentHash: string;
  /** ISO 8601 date-time. */
  readonly expires: string;
}

/** The on-chain part of a request. It takes any number of payments of any amount. */
export interface ReceiveRequestOnchain {
  /** The on-chain address. */
  readonly address: string;
  /** `bitcoin:` URI. */
  readonly addressUri: string;
  /** The amount of the draft, in its currency. */
  readonly requestedAmount?: Money | undefined;
  /** Decimal text in BTC. */
  readonly btcAmount?: string | undefined;
}

/**
 * Everything that is needed to create a request: at least one of `bolt11` and `onchain`. `{}` asks
 * for one without an amount.
 */
export interface ReceiveRequestDraft extends Extendable {
  /** Asks for a BOLT11 text. */
  readonly bolt11?: ReceiveRequestBolt11Draft | undefined;
  /** Asks for an on-chain address. */
  readonly onchain?: ReceiveRequestOnchainDraft | undefined;
  /** The account's default currency when absent. */
  readonly targetCurrency?: Open<CurrencyCode> | undefined;
}

/** Everything that is needed to ask for a BOLT11 text. */
export interface ReceiveRequestBolt11Draft {
  /** When absent the payer chooses. */
  readonly amount?: Money | undefined;
  /** The text that the payer sees. */
  readonly description?: string | undefined;
  /** 64 hex digits; replaces the description. */
  readonly descriptionHash?: string | undefined;
  /** Whole seconds, 1 or more. */
  readonly expiryInSeconds?: number | undefined;
}

/** Everything that is needed to ask for an on-chain address. */
export interface ReceiveRequestOnchainDraft {
  /** A suggestion to the payer. */
  readonly amount?: Money | undefined;
}

/** One payment towards a request. */
export interface Receive {
  /** Id of the receive. */
  readonly receiveId: string;
  /** Id of the request that it belongs to. */
  readonly receiveRequestId: string;
  /** `P2P`: from another user of the service, whatever the request asked for. */
  readonly type: Open<'LIGHTNING' | 'ONCHAIN' | 'P2P'>;
  /** Its state. */
  readonly state: Open<ReceiveState>;
  /** BTC, unless the type is `P2P`. */
  readonly amountReceived: Money;
  /** Present once it has completed. */
  readonly amountCredited?: Money | undefined;
  /** The rate between the received and the credited amount. */
  readonly conversionRate?: QuotedRate | undefined;
  /** ISO 8601 date-time at which it was detected. */
  readonly created: string;
  /** ISO 8601 date-time at which it was credited. */
  readonly completed?: string | undefined;
  /** For a receive over Lightning. */
  readonly lightning?: ReceiveLightning | undefined;
  /** For an on-chain receive. */
  readonly onchain?: ReceiveOnchain | undefined;
  /** For a receive from another user of the service. */
  readonly p2p?: ReceiveP2p | undefined;
}

/** All receives of one request, the oldest first. */
export interface Receives {
  /** Id of the request. */
  readonly receiveRequestId: string;
  /** The payments towards it. */
  readonly receives: readonly Receive[];
}

/** The details of a receive over Lightning. */
export interface ReceiveLightning {
  /** The BOLT11 text that was paid. */
  readonly invoice: string;
  /** Proof of payment, hex. */
  readonly preimage: string;
  /** Hex. */
  readonly paymentHash: string;
  /** The text that the payer saw. */
  readonly description?: string | undefined;
  /** SHA-256 of the description, hex. */
  readonly descriptionHash?: string | undefined;
}

/** The details of an on-chain receive. */
export interface ReceiveOnchain {
  /** The address that was paid. */
  readonly address: string;
  /** Id of the transaction. */
  readonly transactionId: string;
  /** The height of its block, once it is in a block. */
  readonly blockHeight?: number | undefined;
  /** Number of confirmations. */
  readonly numberOfConfirmations?: number | undefined;
}

/** The details of a receive from another user of the service. */
export interface ReceiveP2p {
  /** The account of the payer. */
  readonly payerAccountId?: string | undefined;
}

type Some = string | readonly string[];

/** A filter of requests. For each given member one of its values must match. */
export interface ReceiveRequestFilter {
  /** Only those with this address. */
  readonly onchainAddress?: Some | undefined;
  /** Only those with this BOLT11 text. */
  readonly bolt11Invoice?: Some | undefined;
  /** Hex. */
  readonly paymentHash?: Some | undefined;
}

/** A filter of the receives of one request. */
export interface ReceiveFilter extends ReceiveRequestFilter {
  /** Only those with this id. */
  readonly receiveId?: Some | undefined;
}

/** A filter of the receives of all requests. */
export interface AllReceivesFilter extends ReceiveFilter {
  /** Only those of this request. */
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

/** The known states. The service may add others. */
export type ReceiveState = 'PENDING' | 'COMPLETED';

/** The states of a receive: PENDING when it is detected, COMPLETED when it is credited. */
export const receiveStates: StateMachine<ReceiveState> = stateMachine<ReceiveState>(
  { PENDING: ['COMPLETED'], COMPLETED: [] },
  ['COMPLETED'],
);

/** The filter by request, under the name without a dollar. */
interface Plain {
  readonly requestId?: AllReceivesFilter['receiveRequestId'];
}

// The members of a filter are sent with a dollar before their names. The service's description
// writes one of them without it, so that one is sent both ways.

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
 * Creates a receive request: a BOLT11 text, an address, or both. Resolves to the request. It is
 * sent once, because it has no idempotency key. `POST /v1/receive-request` (seed;
 * `createClient({ paths })` takes another spelling).
 *
 * @throws InputError for a bad field · any error with `maybeCreated: true` if no response came:
 * list the requests before you try again
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
 * Reads one receive request. Resolves to the request; `listReceives` lists what was paid.
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
  return send(connection, getEndpoint, { where: { receiveRequestId } }, options);
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
 * Lists the receives of one request. Returns a list to iterate.
 * `GET /v1/receive-requests/{receiveRequestId}/receives` (documented).
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
 * Lists the receives of all requests. Returns a list to iterate.
 * `GET /v1/receive-requests/receives` (documented).
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
 * Receives are only added and completed. So the number of steps that all of them have made is a
 * rank that never falls.
 */
const receiveSteps: StateMachine<string> = {
  transitions: {},
  rank: (steps) => +steps,
  isSettled: () => false,
  canMove: () => true,
};

/** Reads all receives of one request, page by page. One that moved to another page counts once. */
async function readReceives(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  options: CallOptions,
): Promise<Receives> {
  const found = new Map<string, Receive>();
  for (let skip = 0; ; ) {
    const where = { receiveRequestId, top: PAGE, ...(skip > 0 && { skip }) };
    const page = await send(connection, listReceivesEndpoint, { where }, options);
    checkReadable(page.items); // a sum without one of them would be too small
    for (const receive of page.items) found.set(receive.receiveId, receive);
    skip += page.items.length;
    const count = countOf(page) ?? (page.items.length < PAGE ? 0 : Infinity);
    if (page.items.length === 0 || skip >= count) break;
  }
  const receives = [...found.values()].sort((a, b) => (readPlace(a) < readPlace(b) ? -1 : 1));
  return { receiveRequestId, receives };
}

/**
 * A text to sort receives by: time, then id. The service promises no order, and the same receives
 * must give the same value.
 */
function readPlace({ created, receiveId }: Receive): string {
  return `${created} ${receiveId}`;
}

/** Its watch reads the receives, because a request has no state of its own. */
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

/** One receive, as the rows of a live list are: it cannot be read by its id. */
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
