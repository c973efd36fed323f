// Things that several scenes begin with.
import type { CurrencyExchangeQuote, PaymentQuote, Payout } from 'paystate';
import { type Heard, outcomeOf, type Stage } from '../stage.ts';

export const USD = (amount: string) => ({ amount, currency: 'USD' });
export const KEY = '11111111-2222-4333-8444-555555555555';
export const DAY_MS = 86_400_000;

/** Quotes a payment to Ada. */
export const lnurl = (stage: Stage, amount = '20.00', who = 'ada'): Promise<PaymentQuote> =>
  stage.run(
    stage.client.paymentQuotes.createLnurl({
      lnAddressOrUrl: `${who}@wallet.example`,
      sourceCurrency: 'USD',
      amount: USD(amount),
    }),
  );
export const exchanged = (stage: Stage, amount = '40.00'): Promise<CurrencyExchangeQuote> =>
  stage.client.currencyExchangeQuotes.create({ sell: 'USD', buy: 'EUR', amount: USD(amount) });
export const prepared = async (stage: Stage, amount = '25.00'): Promise<Payout> =>
  stage.run(
    stage.client.payouts.create({
      paymentMethodId: await stage.methodOf('SEPA'),
      amount,
      reference: 'R1',
    }),
  );

export const isUnknown = (heard: Heard<unknown>): boolean => outcomeOf(heard) === 'unknown';
export const notNo = (heard: Heard<unknown>): boolean => outcomeOf(heard) !== 'not-done';
