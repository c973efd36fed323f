import { fallbackAddress } from '../lightning/address.ts';
import { bitcoinUri } from '../lightning/bitcoin-uri.ts';
import { type Money, money } from '../money/index.ts';
import { ReceiveRequestSchema, ReceiveSchema } from '../resources/receive-requests.schemas.ts';
import type { Receive, ReceiveRequest } from '../resources/receive-requests.ts';
import { shapeOf } from '../resources/wire.ts';
import { bolt11Of } from './invoices.ts';
import {
  after,
  type Broken,
  convert,
  idOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  notYet,
  type Origin,
  rateOf,
  secretOf,
} from './make.ts';

const HOUR = 3_600;

/** An address of the test network without a known key. */
function addressOf(id: string): string {
  const program = secretOf(`${id}/address`).paymentHash.slice(0, 40);
  return fallbackAddress({ version: 0, program }, 'testnet');
}

/**
 * Makes a receive request: of 5.00 EUR, with a Lightning way and an on-chain way; with one of them
 * where only that is chosen.
 *
 * @param members what is to be chosen; amounts and texts fit each other
 * @param options which one, and when
 * @throws InputError naming the members that such a request cannot have
 * @example
 * const onchain = makeReceiveRequest({ onchain: { requestedAmount: { amount: '20.00' } } });
 */
export function makeReceiveRequest(
  members: Members<ReceiveRequest> = {},
  options: MakeOptions = {},
): ReceiveRequest {
  return make(
    { name: 'makeReceiveRequest', shape: shapeOf(ReceiveRequestSchema), usual: usualRequest },
    members,
    options,
  );
}

function usualRequest(
  { receiveRequestId, created: chosen, bolt11, onchain }: Members<ReceiveRequest>,
  { index, created: now, id: newId }: Origin,
): ReceiveRequest {
  const id = receiveRequestId ?? newId('receiveRequest');
  const created = chosen ?? now;
  const hasBoth = !bolt11 && !onchain;
  return {
    receiveRequestId: id,
    created,
    targetCurrency: 'EUR',
    ...((bolt11 || hasBoth) && { bolt11: bolt11Way(id, created, `Order ${index}`, bolt11 ?? {}) }),
    ...((onchain || hasBoth) && { onchain: onchainWay(id, onchain ?? {}) }),
  };
}

/** What is asked for, and the same in BTC. */
function askedOf(chosen: Members<NonNullable<ReceiveRequest['onchain']>>): {
  readonly requestedAmount: Money;
  readonly btcAmount: string;
} {
  const requestedAmount = moneyOf(chosen.requestedAmount, '5.00');
  const { currency } = requestedAmount;
  const bitcoin =
    currency === 'BTC'
      ? requestedAmount
      : convert(requestedAmount, rateOf('BTC', currency, undefined));
  return { requestedAmount, btcAmount: chosen.btcAmount ?? bitcoin.amount };
}

function bolt11Way(
  id: string,
  created: string,
  usual: string,
  chosen: Members<NonNullable<ReceiveRequest['bolt11']>>,
): NonNullable<ReceiveRequest['bolt11']> {
  const asked = askedOf(chosen);
  const description = 'description' in chosen ? chosen.description : usual;
  const amount = money(asked.btcAmount, 'BTC');
  return {
    invoice: chosen.invoice ?? bolt11Of(id, created, { amount, description, seconds: HOUR }),
    ...asked,
    description,
    paymentHash: secretOf(id).paymentHash,
    expires: after(created, HOUR * 1_000),
  };
}

function onchainWay(
  id: string,
  chosen: Members<NonNullable<ReceiveRequest['onchain']>>,
): NonNullable<ReceiveRequest['onchain']> {
  const asked = askedOf(chosen);
  const address = chosen.address ?? addressOf(id);
  const amount = money(asked.btcAmount, 'BTC');
  return { address, addressUri: chosen.addressUri ?? bitcoinUri({ address, amount }), ...asked };
}

/**
 * Makes a receive of the first receive request: over Lightning and COMPLETED. On the chain where
 * `onchain` or the state PENDING is chosen, since only there a payment is seen before it is
 * credited; from another user where `p2p` is chosen.
 *
 * @param members what is to be chosen; the credit fits what was received
 * @param options which one, and when
 * @throws InputError naming the members that such a receive cannot have
 * @example
 * const seen = makeReceive({ state: 'PENDING' });
 * console.log(seen.type, seen.onchain?.numberOfConfirmations); // ONCHAIN 0
 */
export function makeReceive(members: Members<Receive> = {}, options: MakeOptions = {}): Receive {
  return make(
    {
      name: 'makeReceive',
      shape: shapeOf(ReceiveSchema),
      usual: usualReceive,
      broken: (value) => [
        ...notYet(value, { PENDING: ['amountCredited', 'conversionRate', 'completed'] }),
        ...otherWays(value),
      ],
    },
    members,
    options,
  );
}

const WAYS = { LIGHTNING: 'lightning', ONCHAIN: 'onchain', P2P: 'p2p' } as const;

/** A way that the type excludes. */
function otherWays(value: Receive): readonly (Broken | false)[] {
  return Object.entries(WAYS).map(
    ([type, way]): Broken | false =>
      Object.hasOwn(WAYS, value.type) &&
      type !== value.type &&
      value[way] !== undefined && [way, `must be absent: the type is ${value.type}`],
  );
}

function typeOf({ type, state, onchain, p2p }: Members<Receive>): Receive['type'] {
  if (type !== undefined) return type;
  return p2p ? 'P2P' : onchain || state === 'PENDING' ? 'ONCHAIN' : 'LIGHTNING';
}

function usualReceive(chosen: Members<Receive>, origin: Origin): Receive {
  const { created: now, id } = origin;
  const type = typeOf(chosen);
  const { state = type === 'ONCHAIN' ? 'PENDING' : 'COMPLETED', created = now } = chosen;
  const isOwn = type === 'P2P';
  const received = moneyOf(
    chosen.amountReceived,
    isOwn ? '5.00' : '0.00008334',
    isOwn ? 'EUR' : 'BTC',
  );
  const target = chosen.amountCredited?.currency ?? 'EUR';
  const rate = rateOf(received.currency, target, chosen.conversionRate);
  const isSame = received.currency === target;
  return {
    receiveId: id('receive'),
    receiveRequestId: idOf('receiveRequest'),
    type,
    state,
    amountReceived: received,
    created,
    ...(state === 'COMPLETED' && {
      amountCredited: isSame ? received : convert(received, rate),
      conversionRate: isSame ? undefined : rate,
      completed: after(created, 2_000),
    }),
    ...wayOf(type, state, chosen, origin),
  };
}

/** What is known of the way that it came. */
function wayOf(
  type: string,
  state: string,
  { receiveRequestId = idOf('receiveRequest'), lightning }: Members<Receive>,
  { startAt }: Origin,
): Partial<Receive> {
  if (type === 'P2P') return { p2p: { payerAccountId: idOf('account', 1) } };
  if (type === 'ONCHAIN')
    return {
      onchain: {
        address: addressOf(receiveRequestId),
        transactionId: secretOf(`${receiveRequestId}/transaction`).preimage,
        ...(state === 'COMPLETED'
          ? { blockHeight: 2_900_000, numberOfConfirmations: 1 }
          : { numberOfConfirmations: 0 }),
      },
    };
  if (type !== 'LIGHTNING') return {};
  const { bolt11 } = makeReceiveRequest({ receiveRequestId, bolt11: {} }, { startAt });
  return {
    lightning: {
      invoice: lightning?.invoice ?? bolt11!.invoice,
      ...secretOf(receiveRequestId),
      description: bolt11!.description,
    },
  };
}
