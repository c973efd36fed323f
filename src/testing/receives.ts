import type { Receive } from '../resources/receive-requests.ts';
import { ReceiveSchema } from '../resources/receive-requests.schemas.ts';
import { convert, moneyOf, rateOf } from './amounts.ts';
import { type Broken, make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, idOf, type Origin, secretOf } from './origin.ts';
import { addressOf, makeReceiveRequest } from './receive-requests.ts';
import { shapeOf } from '../resources/wire.ts';

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
