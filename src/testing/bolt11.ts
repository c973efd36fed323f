import { millisOf } from '../core/time.ts';
import { encodeBolt11 } from '../lightning/signature.ts';
import { type Money, toMsat } from '../money/index.ts';
import { secretOf } from './origin.ts';

/** A key for tests; what it signs is money nowhere. */
const TEST_KEY = '17'.repeat(32);

/** A signed BOLT11 text of the test network. */
export function bolt11Of(
  id: string,
  created: string,
  {
    amount,
    description = '',
    seconds,
  }: {
    readonly amount: Money | undefined;
    readonly description?: string | undefined;
    readonly seconds: number;
  },
): string {
  return encodeBolt11(
    {
      network: 'testnet',
      timestamp: Math.floor((millisOf(created) ?? 0) / 1_000),
      amountMsat: amount?.currency === 'BTC' ? toMsat(amount as Money<'BTC'>) : undefined,
      paymentHash: secretOf(id).paymentHash,
      paymentSecret: secretOf(`${id}/secret`).preimage,
      expirySeconds: seconds,
      description,
    },
    TEST_KEY,
  );
}
