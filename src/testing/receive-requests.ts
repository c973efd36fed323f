import { fallbackAddress } from '../lightning/address.ts';
import { bitcoinUri } from '../lightning/bitcoin-uri.ts';
import { type Money, money } from '../money/index.ts';
import type { ReceiveRequest } from '../resources/receive-requests.ts';
import { ReceiveRequestSchema } from '../resources/receive-requests.schemas.ts';
import { convert, moneyOf, rateOf } from './amounts.ts';
import { bolt11Of } from './bolt11.ts';
import { make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, type Origin, secretOf } from './origin.ts';
import { shapeOf } from '../resources/wire.ts';

const HOUR = 3_600;

/** An address of the test network without a known key. */
export function addressOf(id: string): string {
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
