import type { ListQuery, Page } from '../../core/lists/index.ts';
import { TICKS_PER_SECOND } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/receive-requests.ts';
import { bitcoinUri } from '../../lightning/bitcoin-uri.ts';
import { type Money, money, toMsat } from '../../money/index.ts';
import type {
  AllReceivesFilter,
  Receive,
  ReceiveFilter,
  ReceiveRequest,
  ReceiveRequestBolt11Draft,
  ReceiveRequestFilter,
  ReceiveRequestOnchainDraft,
} from '../../resources/receive-requests.ts';
import { checkAmount, convertNow, requireCurrency } from '../ledger/amounts.ts';
import { assumedTime, readAssumption } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { type Fields, makePage, makePlainPage } from '../query/lists.ts';
import { badQuery, RECEIVE_FIELDS } from '../query/odata.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { invalidData, notFound, wrongValue } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';
import { drawAddress, drawSecret, encodeInvoice, requireLightning } from './destinations.ts';
import {
  type RequestedAmount,
  getRequests,
  requestStore,
  type StoredBolt11,
  type StoredOnchain,
  type StoredReceive,
  type StoredRequest,
} from './receive-store.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

/**
 * Maximum expiry in seconds. The API description allows any int64, but a date after the year 9999
 * can't be formatted.
 */
const LONGEST_EXPIRY = 2_147_483_647;

function readAsked(
  world: World,
  account: Account,
  amount: Money | undefined,
  field: string,
): RequestedAmount {
  if (amount === undefined) return { requestedAmount: undefined, sats: undefined };
  const requestedAmount = checkAmount(account, amount, field);
  return { requestedAmount, sats: convertNow(world, requestedAmount, 'BTC', 'up').money };
}

function makeBolt11(
  world: World,
  account: Account,
  draft: ReceiveRequestBolt11Draft,
): StoredBolt11 {
  const usualExpiry = assumedTime(world, 'receive-requests.life') / 1_000;
  const { amount, description, descriptionHash, expiryInSeconds = usualExpiry } = draft;
  requireLightning(world);
  if (expiryInSeconds > LONGEST_EXPIRY)
    throw invalidData([wrongValue('bolt11.expiryInSeconds', `must be ${LONGEST_EXPIRY} or less`)]);
  if (expiryInSeconds === usualExpiry) recordUse(world, 'receive-requests.life');
  const asked = readAsked(world, account, amount, 'bolt11.amount');
  const { preimage, paymentHash } = drawSecret(world, 'receive-request/preimage');
  const now = world.clock.now();
  const said =
    descriptionHash === undefined ? { description: description ?? '' } : { descriptionHash };
  const invoice = encodeInvoice(world, 'receive-request', {
    amountMsat: asked.sats && toMsat(money(asked.sats.amount, 'BTC')),
    paymentHash,
    expirySeconds: expiryInSeconds,
    ...said,
  });
  return {
    invoice,
    ...asked,
    paymentHash,
    preimage,
    descriptionHash,
    description: descriptionHash === undefined ? description : undefined,
    end: ticksOfMillis(now - (now % 1_000)) + BigInt(expiryInSeconds) * TICKS_PER_SECOND,
    standing: 'open',
  };
}

function makeOnchain(
  world: World,
  account: Account,
  { amount }: ReceiveRequestOnchainDraft,
): StoredOnchain {
  const asked = readAsked(world, account, amount, 'onchain.amount');
  const address = drawAddress(world, 'receive-request');
  return {
    address,
    addressUri: bitcoinUri({
      address,
      ...(asked.sats && { amount: money(asked.sats.amount, 'BTC') }),
    }),
    ...asked,
  };
}

function showAsked({ requestedAmount, sats }: RequestedAmount): {
  requestedAmount?: Money;
  btcAmount?: string;
} {
  return { ...(requestedAmount && { requestedAmount }), ...(sats && { btcAmount: sats.amount }) };
}

function showSaid({ description, descriptionHash }: StoredBolt11): {
  description?: string;
  descriptionHash?: string;
} {
  return {
    ...(description !== undefined && { description }),
    ...(descriptionHash !== undefined && { descriptionHash }),
  };
}

function show({
  receiveRequestId,
  created,
  targetCurrency,
  bolt11,
  onchain,
}: StoredRequest): ReceiveRequest {
  return {
    receiveRequestId,
    created: textOfTicks(created),
    targetCurrency,
    ...(bolt11 && {
      bolt11: {
        invoice: bolt11.invoice,
        ...showAsked(bolt11),
        ...showSaid(bolt11),
        paymentHash: bolt11.paymentHash,
        expires: textOfTicks(bolt11.end),
      },
    }),
    ...(onchain && {
      onchain: { address: onchain.address, addressUri: onchain.addressUri, ...showAsked(onchain) },
    }),
  };
}

/**
 * Returns a received payment's details by type, which is Lightning, on-chain, or from another user
 * of the service.
 */
function showRail({
  type,
  request: { bolt11, onchain },
  transactionId,
  blockHeight,
  payer,
}: StoredReceive): Partial<Receive> {
  if (type === 'P2P') return { p2p: { payerAccountId: payer!.id } };
  if (type === 'LIGHTNING')
    return {
      lightning: {
        invoice: bolt11!.invoice,
        preimage: bolt11!.preimage,
        paymentHash: bolt11!.paymentHash,
        ...showSaid(bolt11!),
      },
    };
  const depth =
    blockHeight === undefined
      ? { numberOfConfirmations: 0 }
      : { blockHeight, numberOfConfirmations: 1 };
  return { onchain: { address: onchain!.address, transactionId: transactionId!, ...depth } };
}

function showReceive(receive: StoredReceive): Receive {
  const {
    receiveId,
    request,
    type,
    state,
    amountReceived,
    amountCredited,
    conversionRate,
    created,
    completed,
  } = receive;
  return {
    receiveId,
    receiveRequestId: request.receiveRequestId,
    type,
    state,
    amountReceived,
    ...(amountCredited && { amountCredited }),
    ...(conversionRate && { conversionRate }),
    created: textOfTicks(created),
    ...(completed !== undefined && { completed: textOfTicks(completed) }),
    ...showRail(receive),
  };
}

function ownRequest(world: World, account: Account, receiveRequestId: string): StoredRequest {
  const request = requestStore(world).byId.get(receiveRequestId);
  if (request?.account !== account) throw notFound(request);
  return request;
}

/** Also accepts the plural spelling of the path that creates a receive request. */
function withBothSpellings(routes: readonly ResourceRoute[]): readonly ResourceRoute[] {
  const created = routes.filter(({ row }) => row === rows.create);
  const segments = ['v1', 'receive-requests'];
  const plural = ({ handle, ...route }: ResourceRoute): ResourceRoute => ({
    ...route,
    segments,
    handle(world, asked) {
      recordUse(world, 'receive-requests.plural');
      return handle(world, asked);
    },
  });
  return [...routes, ...created.map(plural)];
}

export const routes: readonly ResourceRoute[] = withBothSpellings(
  makeRoutes<typeof rows>(rows, {
    create(
      world,
      { account, draft: { bolt11, onchain, targetCurrency = account.defaultCurrency } },
    ) {
      requireCurrency(account, 'targetCurrency', targetCurrency);
      const request: StoredRequest = {
        receiveRequestId: world.random.uuid(
          'receive-request',
          world.random.next('receive-request'),
        ),
        account,
        targetCurrency,
        bolt11: bolt11 && makeBolt11(world, account, bolt11),
        onchain: onchain && makeOnchain(world, account, onchain),
        created: world.stamp(),
        receives: [],
      };
      const { byId, byHash, byAddress } = requestStore(world);
      byId.set(request.receiveRequestId, request);
      if (request.bolt11) byHash.set(request.bolt11.paymentHash, request);
      if (request.onchain) byAddress.set(request.onchain.address, request);
      getRequests(world, account).list.push(request);
      return { body: show(request) };
    },
    get: (world, { account, where }) => ({
      body: show(ownRequest(world, account, where.receiveRequestId)),
    }),
    list: (world, { account, where }) => ({
      body: makePlainPage(
        getRequests(world, account).list.filter((request) => requestFits(request, where)),
        where,
        show,
      ),
    }),
    listReceives(world, { account, where }) {
      const { receives } = ownRequest(world, account, where.receiveRequestId);
      return { body: pageOfReceives(world, receives, where) };
    },
    listAllReceives: (world, { account, where }) => ({
      body: pageOfReceives(world, getRequests(world, account).receives, where),
    }),
  }),
);

/** Returns whether a filter contains a value. If the filter is absent, every value matches. */
function isOneOf(
  value: string | undefined,
  asked: string | readonly string[] | undefined,
): boolean {
  return (
    asked === undefined ||
    (value !== undefined && [asked].flat().some((one) => one.toLowerCase() === value.toLowerCase()))
  );
}

function requestFits(
  { bolt11, onchain }: StoredRequest,
  { onchainAddress, bolt11Invoice, paymentHash }: ReceiveRequestFilter,
): boolean {
  return (
    isOneOf(onchain?.address, onchainAddress) &&
    isOneOf(bolt11?.invoice, bolt11Invoice) &&
    isOneOf(bolt11?.paymentHash, paymentHash)
  );
}

interface ReceivesQuery extends ReceiveFilter, ListQuery {
  readonly requestId?: AllReceivesFilter['receiveRequestId'];
}

const FILTERED: Fields<StoredReceive, keyof typeof RECEIVE_FIELDS> = {
  kinds: RECEIVE_FIELDS,
  read: {
    receiveId: ({ receiveId }) => receiveId,
    receiveRequestId: ({ request }) => request.receiveRequestId,
    onchainAddress: ({ request }) => request.onchain?.address,
    bolt11Invoice: ({ request }) => request.bolt11?.invoice,
    paymentHash: ({ request }) => request.bolt11?.paymentHash,
  },
};

function pageOfReceives(
  world: World,
  receives: readonly StoredReceive[],
  query: ReceivesQuery,
): Page<Receive> {
  if (query.filter !== undefined) {
    if (readAssumption(world, 'receives.odata') === 'refused') throw badQuery('receives.odata');
    recordUse(world, 'receives.odata');
  }
  const fitting = receives.filter((receive) => receiveFits(receive, query));
  return makePage(fitting, query, FILTERED, showReceive);
}

function receiveFits({ receiveId, request }: StoredReceive, filter: ReceivesQuery): boolean {
  return (
    isOneOf(receiveId, filter.receiveId) &&
    isOneOf(request.receiveRequestId, filter.requestId) &&
    requestFits(request, filter)
  );
}
