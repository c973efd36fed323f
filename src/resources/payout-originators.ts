// People and companies on whose behalf payouts are sent.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  type List,
  listBySkip,
  type ListOptions,
  type Page,
  SKIP_QUERY,
  type SkipQuery,
} from '../core/lists/index.ts';
import {
  PartyTypeSchema,
  PayoutOriginatorDraftSchema,
  PayoutOriginatorPageSchema,
  PayoutOriginatorSchema,
  PayoutOriginatorStateSchema,
} from './payout-originators.schemas.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
/** Postal address of a person or company. */
export interface Address {
  /** Country code according to ISO 3166-1 alpha-2, such as "DE". */
  readonly country: string;
  /** State or region. For the United States, its two-letter code. */
  readonly state?: string | undefined;
  /** City or town. */
  readonly city: string;
  /** Postal code. */
  readonly postCode: string;
  /** Street and number. */
  readonly line1: string;
}

/** A person or company that sends or receives a bank transfer. */
export interface Party {
  /** Whether the party is a person or a company. */
  readonly type: Open<'INDIVIDUAL' | 'COMPANY'>;
  /** The person's or company's full name. */
  readonly name: string;
  /** Home or business address. */
  readonly address?: Address | undefined;
  /** A person's date of birth, in the format yyyy-MM-dd. */
  readonly dateOfBirth?: string | undefined;
  /** A company's email address. */
  readonly email?: string | undefined;
  /** A company's phone number. */
  readonly phoneNumber?: string | undefined;
  /** A company's website. */
  readonly url?: string | undefined;
}

/** Payout originator id. */
export type PayoutOriginatorId = Id<'payout-originator'>;

/**
 * A person or company on whose behalf you can send payouts. The service must first review and
 * approve it.
 */
export interface PayoutOriginator {
  /** The originator's id. */
  readonly id: string;
  /** State of the originator's review. */
  readonly state: Open<PayoutOriginatorState>;
  /** When the originator was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
  /** The person's or company's details. */
  readonly details: Party;
}

/** Input for adding a payout originator. The response contains these fields in `details`. */
export interface PayoutOriginatorDraft extends Party, Extendable {
  /** Home or business address. */
  readonly address: Address;
}

/** A known payout originator state. The service may add more. */
export type PayoutOriginatorState = 'PENDING_REVIEW' | 'APPROVED' | 'REJECTED' | 'INACTIVE';

/**
 * State machine for payout originators. No state counts as settled, because the service doesn't
 * document whether a review can be reopened.
 */
export const payoutOriginatorStates: StateMachine<PayoutOriginatorState> = stateMachine(
  {
    PENDING_REVIEW: ['APPROVED', 'REJECTED', 'INACTIVE'],
    APPROVED: ['REJECTED', 'INACTIVE'],
    REJECTED: ['INACTIVE'],
    INACTIVE: [],
  },
  [],
);

/** POST /v1/payout-originators @source documented */
export const createEndpoint: Endpoint<{}, PayoutOriginatorDraft, PayoutOriginator> = {
  operation: 'payoutOriginators.create',
  method: 'POST',
  path: '/v1/payout-originators',
  scope: 'partner.payout-originator.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: makeDraftShape(PayoutOriginatorDraftSchema),
  output: makeAnswer(PayoutOriginatorSchema),
  agrees: { exact: { 'details.type': 'type' }, text: { 'details.name': 'name' } },
};

/** GET /v1/payout-originators/{originatorId} @source documented */
export const getEndpoint: Endpoint<{ originatorId: PayoutOriginatorId }, void, PayoutOriginator> =
  readEndpoint({
    operation: 'payoutOriginators.get',
    path: '/v1/payout-originators/{originatorId}',
    scope: 'partner.payout-originator.read',
    output: makeAnswer(PayoutOriginatorSchema),
    echo: { originatorId: 'id' },
  });

/** GET /v1/payout-originators @source documented */
export const listEndpoint: Endpoint<SkipQuery, void, Page<PayoutOriginator>> = readEndpoint({
  operation: 'payoutOriginators.list',
  path: '/v1/payout-originators',
  scope: 'partner.payout-originator.read',
  priority: 'low',
  output: makeAnswer(PayoutOriginatorPageSchema),
  query: SKIP_QUERY,
});

/** DELETE /v1/payout-originators/{originatorId} @source documented */
export const removeEndpoint: Endpoint<{ originatorId: PayoutOriginatorId }, void, void> = {
  operation: 'payoutOriginators.remove',
  method: 'DELETE',
  path: '/v1/payout-originators/{originatorId}',
  scope: 'partner.payout-originator.delete',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  echo: { originatorId: 'id' },
  original: { code: 'NOT_FOUND', id: 'originatorId' },
};

/**
 * Adds a payout originator. The SDK never retries this request. If the response was lost, the
 * originator may exist, so list the originators before you try again. Resolves to the originator,
 * which has the state PENDING_REVIEW. `POST /v1/payout-originators` (documented).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` if there was no
 * response
 *
 * @example
 * const originator = await client.payoutOriginators.create({
 *   type: 'INDIVIDUAL',
 *   name: 'Ada Sample',
 *   address: { country: 'GB', city: 'Leeds', postCode: 'LS1 1AA', line1: '1 Sample Row' },
 * });
 */
export function create(
  connection: Connection,
  draft: PayoutOriginatorDraft,
  options: CallOptions = {},
): Call<PayoutOriginator> {
  return send(connection, createEndpoint, { where: {}, draft }, options);
}

/**
 * Reads one payout originator. `GET /v1/payout-originators/{originatorId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.payoutOriginators.get(originator.id);
 */
export function get(
  connection: Connection,
  originatorId: PayoutOriginatorId,
  options: CallOptions = {},
): Call<PayoutOriginator> {
  return send(connection, getEndpoint, { where: { originatorId } }, options);
}

/**
 * Lists payout originators. `GET /v1/payout-originators` (documented).
 *
 * @example
 * const originators = await client.payoutOriginators.list().toArray({ limit: 20 });
 */
export function list(connection: Connection, options: ListOptions = {}): List<PayoutOriginator> {
  return listBySkip(connection, listEndpoint, {}, (originator) => originator.id, options);
}

/**
 * Removes a payout originator. Resolves without a value, even if an earlier attempt succeeded but
 * its response was lost. `DELETE /v1/payout-originators/{originatorId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND` if the originator doesn't exist
 *
 * @example
 * await client.payoutOriginators.remove(originator.id);
 */
export function remove(
  connection: Connection,
  originatorId: PayoutOriginatorId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    removeEndpoint,
    { where: { originatorId }, resolve: async () => {} },
    options,
  );
}

export const resource: WatchedResource<'payoutOriginator', PayoutOriginator> = {
  name: 'payoutOriginator',
  events: 'payout-originator',
  states: payoutOriginatorStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    isDeletable: true,
    shape: makeShape(PayoutOriginatorSchema),
    page: makeShape(PayoutOriginatorPageSchema),
  },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(PayoutOriginatorStateSchema, payoutOriginatorStates.transitions),
    knownTexts(PartyTypeSchema, { INDIVIDUAL: true, COMPANY: true }),
  ];
}
