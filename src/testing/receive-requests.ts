import { fallbackAddress } from '../lightning/address.ts';
import { bitcoinUri } from '../lightning/bitcoin-uri.ts';
import { type Money, money } from '../money/index.ts';
import { ReceiveRequestSchema, ReceiveSchema } from '../resources/receive-requests.schemas.ts';
import type { Receive, ReceiveRequest } from '../resources/receive-requests.ts';
import { signBolt11 } from './invoices.ts';
import {
  absentProblems,
  after,
  chosenMoney,
  chosenRate,
  convert,
  makeId,
  maker,
  type Origin,
  secretFor,
} from './make.ts';
import type { Maker, Members } from './members.ts';

type Bolt11 = NonNullable<ReceiveRequest['bolt11']>;
type Onchain = NonNullable<ReceiveRequest['onchain']>;

const EXPIRY_SECONDS = 3_600;

/**
 * Creates a receive request. By default, it's for 5.00 EUR over Lightning and on-chain. If you only
 * set fields for one of these methods, the other is absent.
 *
 * @example
 * const onchain = makeReceiveRequest({ onchain: { requestedAmount: { amount: '20.00' } } });
 */
export const makeReceiveRequest: Maker<ReceiveRequest> = maker(
  'makeReceiveRequest',
  ReceiveRequestSchema,
  {
    usual({ receiveRequestId, created: chosen, bolt11, onchain }, { index, created: now, id }) {
      const requestId = receiveRequestId ?? id('receiveRequest');
      const created = chosen ?? now;
      const hasBoth = !bolt11 && !onchain;
      return {
        receiveRequestId: requestId,
        created,
        targetCurrency: 'EUR',
        ...((bolt11 || hasBoth) && {
          bolt11: bolt11Way(requestId, created, `Order ${index}`, bolt11 ?? {}),
        }),
        ...((onchain || hasBoth) && { onchain: onchainWay(requestId, onchain ?? {}) }),
      };
    },
  },
);

function bolt11Way(id: string, created: string, usual: string, chosen: Members<Bolt11>): Bolt11 {
  const { amount, ...asked } = askedAmounts(chosen);
  const description = 'description' in chosen ? chosen.description : usual;
  return {
    invoice: chosen.invoice ?? signBolt11(id, created, amount, description, EXPIRY_SECONDS),
    ...asked,
    description,
    paymentHash: secretFor(id).paymentHash,
    expires: after(created, EXPIRY_SECONDS * 1_000),
  };
}

function onchainWay(id: string, chosen: Members<Onchain>): Onchain {
  const { amount, ...asked } = askedAmounts(chosen);
  const address = chosen.address ?? testAddress(id);
  return { address, addressUri: chosen.addressUri ?? bitcoinUri({ address, amount }), ...asked };
}

/** Returns the requested amount, also in BTC. */
function askedAmounts(chosen: Members<Onchain>): {
  readonly amount: Money<'BTC'>;
  readonly requestedAmount: Money;
  readonly btcAmount: string;
} {
  const requestedAmount = chosenMoney(chosen.requestedAmount, '5.00');
  const { currency } = requestedAmount;
  const bitcoin =
    currency === 'BTC'
      ? requestedAmount
      : convert(requestedAmount, chosenRate(undefined, 'BTC', currency));
  const btcAmount = chosen.btcAmount ?? bitcoin.amount;
  return { amount: money(btcAmount, 'BTC'), requestedAmount, btcAmount };
}

function testAddress(id: string): string {
  const program = secretFor(`${id}/address`).paymentHash.slice(0, 40);
  return fallbackAddress({ version: 0, program }, 'testnet');
}

const WAYS: ReadonlyMap<string, 'lightning' | 'onchain' | 'p2p'> = new Map([
  ['LIGHTNING', 'lightning'],
  ['ONCHAIN', 'onchain'],
  ['P2P', 'p2p'],
]);

/**
 * Creates a received payment in state COMPLETED. By default, it arrives over Lightning and pays the
 * first receive request. With `onchain` or the state PENDING, it's on-chain, because only on-chain
 * payments are visible before they're credited. With `p2p`, it's from another user of the service.
 * The credited amount matches the received amount.
 *
 * @example
 * const seen = makeReceive({ state: 'PENDING' });
 * console.log(seen.type, seen.onchain?.numberOfConfirmations); // ONCHAIN 0
 */
export const makeReceive: Maker<Receive> = maker('makeReceive', ReceiveSchema, {
  usual(chosen, origin) {
    const { created: now, id } = origin;
    const type = receiveType(chosen);
    const { state = type === 'ONCHAIN' ? 'PENDING' : 'COMPLETED', created = now } = chosen;
    const received =
      type === 'P2P'
        ? chosenMoney(chosen.amountReceived, '5.00')
        : chosenMoney(chosen.amountReceived, '0.00008334', 'BTC');
    const target = chosen.amountCredited?.currency ?? 'EUR';
    const rate = chosenRate(chosen.conversionRate, received.currency, target);
    const isSame = received.currency === target;
    return {
      receiveId: id('receive'),
      receiveRequestId: makeId('receiveRequest'),
      type,
      state,
      amountReceived: received,
      created,
      ...(state === 'COMPLETED' && {
        amountCredited: isSame ? received : convert(received, rate),
        conversionRate: isSame ? undefined : rate,
        completed: after(created, 2_000),
      }),
      ...receivedWay(type, state, chosen, origin),
    };
  },
  problems(value) {
    const own = WAYS.get(value.type);
    const others = [...WAYS.values()].filter(
      (way) => own !== undefined && way !== own && value[way] !== undefined,
    );
    return {
      ...absentProblems(value, {
        amountCredited: ['PENDING'],
        conversionRate: ['PENDING'],
        completed: ['PENDING'],
      }),
      ...Object.fromEntries(
        others.map((way) => [way, `must be omitted when type is ${value.type}`]),
      ),
    };
  },
});

function receiveType({ type, state, onchain, p2p }: Members<Receive>): Receive['type'] {
  if (type !== undefined) return type;
  if (p2p) return 'P2P';
  return onchain || state === 'PENDING' ? 'ONCHAIN' : 'LIGHTNING';
}

function receivedWay(
  type: string,
  state: string,
  { receiveRequestId = makeId('receiveRequest'), lightning }: Members<Receive>,
  { startAt }: Origin,
): Partial<Receive> {
  if (type === 'P2P') return { p2p: { payerAccountId: makeId('account', 1) } };
  if (type === 'ONCHAIN')
    return {
      onchain: {
        address: testAddress(receiveRequestId),
        transactionId: secretFor(`${receiveRequestId}/transaction`).preimage,
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
      ...secretFor(receiveRequestId),
      description: bolt11!.description,
    },
  };
}
