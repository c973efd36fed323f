import { parseMillis } from '../core/time.ts';
import { encodeBolt11 } from '../lightning/signature.ts';
import { type Money, toMsat } from '../money/index.ts';
import { InvoiceQuoteSchema, InvoiceSchema } from '../resources/invoices.schemas.ts';
import type { Invoice, InvoiceQuote } from '../resources/invoices.ts';
import { after, chosenMoney, chosenRate, convert, makeId, maker, secretFor } from './make.ts';
import type { Maker } from './members.ts';

/**
 * Creates an invoice in state UNPAID. By default, it's for 12.50 EUR and belongs to the first
 * account. If its state implies a payment, it includes transactions, as if read with
 * `includeTransactions`. Pass `transactions: undefined` to omit them.
 *
 * @example
 * const paid = makeInvoice({ state: 'PAID', correlationId: 'order-7781' });
 * const three = [0, 1, 2].map((index) => makeInvoice({}, { index }));
 */
export const makeInvoice: Maker<Invoice> = maker('makeInvoice', InvoiceSchema, {
  usual({ state = 'UNPAID', amount, created, issuerId }, { index, created: now, id }) {
    const account = issuerId ?? makeId('account');
    const asked = chosenMoney(amount, '12.50');
    const transaction = {
      transactionId: id('transaction'),
      amountReceived: asked,
      created: after(created ?? now, 1_000),
    };
    const completed = after(created ?? now, 2_000);
    return {
      invoiceId: id('invoice'),
      amount: asked,
      state,
      created: now,
      correlationId: `order-${index}`,
      description: `Order ${index}`,
      issuerId: account,
      receiverId: account,
      ...(state === 'PENDING' && { transactions: [{ ...transaction, state }] }),
      ...(isSettled(state) && {
        transactions: [{ ...transaction, state: 'COMPLETED', completed }],
      }),
    };
  },
  problems({ state, transactions }) {
    if (!transactions) return {};
    const hasMoney = transactions.some((one) => one.state === 'COMPLETED');
    const isOpen = ['UNPAID', 'PENDING', 'CANCELLED'].includes(state);
    const early = transactions.map(
      (one, at) =>
        [
          `transactions.${at}.completed`,
          one.state === 'PENDING' &&
            one.completed !== undefined &&
            'must be omitted when state is PENDING',
        ] as const,
    );
    return {
      transactions:
        (isSettled(state) && !hasMoney && `must include a COMPLETED one when state is ${state}`) ||
        (isOpen && hasMoney && `must not include a COMPLETED one when state is ${state}`),
      ...Object.fromEntries(early),
    };
  },
});

function isSettled(state: string): boolean {
  return state === 'PAID' || state === 'REVERSED';
}

/**
 * Creates an invoice quote, with a signed BOLT11 invoice for the test network. It's valid for 30
 * seconds. The amounts, rate, times and description match each other.
 *
 * @example
 * const quote = makeInvoiceQuote({ targetAmount: { amount: '3.00', currency: 'EUR' } });
 * console.log(decodeBolt11(quote.lnInvoice).amountMsat); // '5000000'
 */
export const makeInvoiceQuote: Maker<InvoiceQuote> = maker('makeInvoiceQuote', InvoiceQuoteSchema, {
  usual(chosen, { index, created, id }) {
    const quoteId = chosen.quoteId ?? id('invoiceQuote');
    const description = 'description' in chosen ? chosen.description : `Order ${index}`;
    const targetAmount = chosenMoney(chosen.targetAmount, '12.50');
    const conversionRate = chosenRate(chosen.conversionRate, 'BTC', targetAmount.currency);
    const isBitcoin = targetAmount.currency === 'BTC';
    const { amount, currency } = isBitcoin ? targetAmount : convert(targetAmount, conversionRate);
    const sourceAmount = chosenMoney(chosen.sourceAmount, amount, currency);
    const seconds = chosen.expirationInSec ?? secondsUntil(created, chosen.expiration) ?? 30;
    return {
      quoteId,
      description,
      lnInvoice:
        chosen.lnInvoice ?? signBolt11(quoteId, created, sourceAmount, description, seconds),
      expiration: after(created, seconds * 1_000),
      expirationInSec: seconds,
      targetAmount,
      sourceAmount,
      conversionRate: isBitcoin ? { ...conversionRate, amount: '1' } : conversionRate,
    };
  },
});

function secondsUntil(created: string, end: string | undefined): number | undefined {
  const from = parseMillis(created);
  const to = parseMillis(end ?? '');
  return from === undefined || to === undefined
    ? undefined
    : Math.max(0, Math.round((to - from) / 1_000));
}

/** Private key for signatures in tests. */
const TEST_KEY = '17'.repeat(32);

/** Creates a signed BOLT11 invoice for the test network. Its secrets are derived from the id. */
export function signBolt11(
  id: string,
  created: string,
  amount: Money,
  description: string | undefined,
  expirySeconds: number,
): string {
  return encodeBolt11(
    {
      network: 'testnet',
      timestamp: Math.floor((parseMillis(created) ?? 0) / 1_000),
      amountMsat: amount.currency === 'BTC' ? toMsat(amount as Money<'BTC'>) : undefined,
      paymentHash: secretFor(id).paymentHash,
      paymentSecret: secretFor(`${id}/secret`).preimage,
      expirySeconds,
      description: description ?? '',
    },
    TEST_KEY,
  );
}
