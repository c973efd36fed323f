import { isSameMoney, type Money } from '../../money/index.ts';
import type { Ticks } from '../../core/time.ts';
import type { EventType } from '../../resources/events.types.ts';
import type { QuotedRate } from '../../resources/amounts.ts';
import { receiveStates, type ReceiveState } from '../../resources/receive-requests.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { post, type Transfer, type ExternalAccount, listSubAccounts } from '../ledger/ledger.ts';
import { convertNow } from '../ledger/amounts.ts';
import { toHex, type Account, getStore, type World } from '../world/world.ts';
import { assumedRounding } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { emit } from './events.ts';

export interface StoredRequest {
  readonly receiveRequestId: string;
  readonly account: Account;
  readonly created: Ticks;
  readonly targetCurrency: string;
  readonly bolt11: StoredBolt11 | undefined;
  readonly onchain: StoredOnchain | undefined;
  /** Received payments in ascending order of `created`. */
  readonly receives: StoredReceive[];
}

/** A receive request's amount. Absent if the payer chooses it. */
export interface RequestedAmount {
  readonly requestedAmount: Money | undefined;
  /** Requested amount in BTC. */
  readonly sats: Money | undefined;
}

export interface StoredBolt11 extends RequestedAmount {
  readonly invoice: string;
  readonly description: string | undefined;
  readonly descriptionHash: string | undefined;
  readonly paymentHash: string;
  readonly preimage: string;
  /** Time when the BOLT11 invoice expires. */
  readonly end: Ticks;
  /**
   * State of the BOLT11 invoice. `running` means that a payment is in progress. Once it's `paid`,
   * it can't be paid again.
   */
  standing: 'open' | 'running' | 'paid';
}

export interface StoredOnchain extends RequestedAmount {
  readonly address: string;
  readonly addressUri: string;
}

export interface StoredReceive {
  readonly receiveId: string;
  readonly request: StoredRequest;
  readonly type: 'LIGHTNING' | 'ONCHAIN' | 'P2P';
  readonly amountReceived: Money;
  readonly created: Ticks;
  readonly payer: Account | undefined;
  readonly transactionId: string | undefined;
  state: ReceiveState;
  amountCredited: Money | undefined;
  conversionRate: QuotedRate | undefined;
  completed: Ticks | undefined;
  blockHeight: number | undefined;
}

interface RequestStore {
  readonly byId: Map<string, StoredRequest>;
  readonly byHash: Map<string, StoredRequest>;
  readonly byAddress: Map<string, StoredRequest>;
  readonly receives: Map<string, StoredReceive>;
}

export function requestStore(world: World): RequestStore {
  return getStore(world, 'receive-requests', () => ({
    byId: new Map(),
    byHash: new Map(),
    byAddress: new Map(),
    receives: new Map(),
  }));
}

/**
 * Returns an account's receive requests and received payments, each in ascending order of
 * `created`.
 */
export function getRequests(
  world: World,
  account: Account,
): { readonly list: StoredRequest[]; readonly receives: StoredReceive[] } {
  return getStore(world, `receive-requests/${account.id}`, () => ({ list: [], receives: [] }));
}

interface Origin extends Pick<StoredReceive, 'type' | 'amountReceived'> {
  readonly payer?: Account | undefined;
  /** Whether the payment is visible as pending before it's credited. */
  readonly isSeen?: boolean | undefined;
}

export function beginReceive(
  world: World,
  request: StoredRequest,
  { type, amountReceived, payer, isSeen }: Origin,
): StoredReceive {
  if (type !== 'P2P')
    recordUse(world, type === 'ONCHAIN' ? 'receives.onchain' : 'receives.lightning');
  const purpose = `receive/${request.receiveRequestId}`;
  const counter = world.random.next(purpose);
  const receive: StoredReceive = {
    receiveId: world.random.uuid(purpose, counter),
    request,
    type,
    amountReceived,
    created: world.stamp(),
    payer,
    transactionId:
      type === 'ONCHAIN' ? toHex(world.random.bytes(`${purpose}/transaction`, counter)) : undefined,
    state: 'PENDING',
    amountCredited: undefined,
    conversionRate: undefined,
    completed: undefined,
    blockHeight: undefined,
  };
  request.receives.push(receive);
  getRequests(world, request.account).receives.push(receive);
  requestStore(world).receives.set(receive.receiveId, receive);
  if (isSeen) tell(world, receive, 'receive-request.receive-pending');
  return receive;
}

/** Removes a payment that failed before it was credited. */
export function dropReceive(world: World, receive: StoredReceive): void {
  recordUse(world, 'receives.failed');
  for (const list of [
    receive.request.receives,
    getRequests(world, receive.request.account).receives,
  ])
    list.splice(list.indexOf(receive), 1);
  requestStore(world).receives.delete(receive.receiveId);
}

/** Returns the amount to credit for a payment, converted at the current exchange rate. */
export function creditFor(
  world: World,
  { targetCurrency }: StoredRequest,
  amount: Money,
): { readonly money: Money; readonly rate: QuotedRate | undefined } {
  if (amount.currency === targetCurrency) return { money: amount, rate: undefined };
  return convertNow(world, amount, targetCurrency, assumedRounding(world, 'receives.terms'));
}

const BLOCK = 600_000;

/**
 * Completes a received payment. Pass the credited amount as `booked` if another account's payment
 * has already posted it.
 */
export function endReceive(world: World, receive: StoredReceive, booked?: Money): void {
  if (!receiveStates.canMove(receive.state, 'COMPLETED'))
    throw new ServiceRefusal('UNPROCESSABLE_ENTITY');
  recordUse(world, 'receives.terms');
  recordUse(world, 'receives.events');
  const { request, type, amountReceived, receiveId } = receive;
  const { money, rate } = booked
    ? { money: booked, rate: rateBehind(world, amountReceived, booked) }
    : creditFor(world, request, amountReceived);
  if (!booked)
    post(
      world,
      'receive COMPLETED',
      receiveId,
      transfersFor(receive, type === 'ONCHAIN' ? 'chain' : 'ln', money),
    );
  receive.state = 'COMPLETED';
  receive.amountCredited = money;
  receive.conversionRate = rate;
  receive.completed = world.stamp();
  if (type === 'ONCHAIN') receive.blockHeight = Math.floor(world.clock.now() / BLOCK);
  tell(world, receive, 'receive-request.receive-completed');
}

/** Emits an event about a received payment. Its `entityId` is the id of the receive request. */
function tell(world: World, { request, receiveId }: StoredReceive, eventType: EventType): void {
  emit(world, request.account, eventType, { entityId: request.receiveRequestId, receiveId });
}

function rateBehind(world: World, from: Money, to: Money): QuotedRate | undefined {
  return from.currency === to.currency
    ? undefined
    : convertNow(world, from, to.currency, 'down').rate;
}

function transfersFor(
  { request, amountReceived }: StoredReceive,
  from: ExternalAccount,
  money: Money,
): readonly Transfer[] {
  const to = listSubAccounts(request.account).free;
  const credited: Transfer = { from: 'fx', to, money };
  if (amountReceived.currency === money.currency) return [{ ...credited, from }];
  const none = isSameMoney(money, { amount: '0', currency: money.currency });
  return [{ from, to: 'fx', money: amountReceived }, ...(none ? [] : [credited])];
}
