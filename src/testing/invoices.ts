import { millisOf } from '../core/time.ts';
import { encodeBolt11 } from '../lightning/signature.ts';
import { type Money, toMsat } from '../money/index.ts';
import { InvoiceQuoteSchema, InvoiceSchema } from '../resources/invoices.schemas.ts';
import type { Invoice, InvoiceQuote, InvoiceTransaction } from '../resources/invoices.ts';
import { shapeOf } from '../resources/wire.ts';
import {
  after,
  type Broken,
  convert,
  idOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  type Origin,
  rateOf,
  secretOf,
} from './make.ts';

/**
 * Makes an invoice: UNPAID, of 12.50 EUR, of the first account. With a state in which something
 * came in it has its transactions, as the service shows them with `includeTransactions`; leave them
 * out with `transactions: undefined`.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such an invoice cannot have
 * @example
 * const paid = makeInvoice({ state: 'PAID', correlationId: 'order-7781' });
 * const three = [0, 1, 2].map((index) => makeInvoice({}, { index }));
 */
export function makeInvoice(members: Members<Invoice> = {}, options: MakeOptions = {}): Invoice {
  return make(
    {
      name: 'makeInvoice',
      shape: shapeOf(InvoiceSchema),
      usual: usualInvoice,
      broken: brokenInvoice,
    },
    members,
    options,
  );
}

function usualInvoice(
  { state = 'UNPAID', amount, created, issuerId }: Members<Invoice>,
  { index, created: now, id }: Origin,
): Invoice {
  const account = issuerId ?? idOf('account');
  const asked = moneyOf(amount, '12.50');
  const transaction = {
    transactionId: id('transaction'),
    amountReceived: asked,
    created: after(created ?? now, 1_000),
  };
  const completed = after(created ?? now, 2_000);
  const isSettled = state === 'PAID' || state === 'REVERSED';
  return {
    invoiceId: id('invoice'),
    amount: asked,
    state,
    created: now,
    correlationId: `order-${index}`,
    description: `Order ${index}`,
    issuerId: account,
    receiverId: account,
    ...(state === 'PENDING' && { transactions: [{ ...transaction, state: 'PENDING' }] }),
    ...(isSettled && { transactions: [{ ...transaction, state: 'COMPLETED', completed }] }),
  };
}

/** What came in decides the state, as far as both are known. */
function brokenInvoice({ state, transactions }: Invoice): readonly (Broken | false)[] {
  if (!transactions) return [];
  const has = (wanted: InvoiceTransaction['state']): boolean =>
    transactions.some((one) => one.state === wanted);
  const isSettled = state === 'PAID' || state === 'REVERSED';
  const isOpen = ['UNPAID', 'PENDING', 'CANCELLED'].includes(state);
  return [
    isSettled &&
      !has('COMPLETED') && ['transactions', `must have a COMPLETED one in the state ${state}`],
    isOpen && has('COMPLETED') && ['transactions', `must have no COMPLETED one in ${state}`],
    ...transactions.map(
      (one, at): Broken | false =>
        one.state === 'PENDING' &&
        one.completed !== undefined && [
          `transactions.${at}.completed`,
          'must be absent: it does not belong to the state PENDING',
        ],
    ),
  ];
}

/**
 * Makes a quote of an invoice: a signed BOLT11 text of the test network for its amount, valid for
 * 30 seconds.
 *
 * @param members what is to be chosen; amounts, rate, times and text fit each other
 * @param options which one, and when
 * @throws InputError naming the members that such a quote cannot have
 * @example
 * const quote = makeInvoiceQuote({ targetAmount: { amount: '3.00', currency: 'EUR' } });
 * console.log(decodeBolt11(quote.lnInvoice).amountMsat); // '5000000'
 */
export function makeInvoiceQuote(
  members: Members<InvoiceQuote> = {},
  options: MakeOptions = {},
): InvoiceQuote {
  return make(
    { name: 'makeInvoiceQuote', shape: shapeOf(InvoiceQuoteSchema), usual: usualQuote },
    members,
    options,
  );
}

function usualQuote(chosen: Members<InvoiceQuote>, { index, created, id }: Origin): InvoiceQuote {
  const quoteId = chosen.quoteId ?? id('invoiceQuote');
  const description = 'description' in chosen ? chosen.description : `Order ${index}`;
  const targetAmount = moneyOf(chosen.targetAmount, '12.50');
  const conversionRate = rateOf('BTC', targetAmount.currency, chosen.conversionRate);
  const isBitcoin = targetAmount.currency === 'BTC';
  const { amount, currency } = isBitcoin ? targetAmount : convert(targetAmount, conversionRate);
  const sourceAmount = moneyOf(chosen.sourceAmount, amount, currency);
  const seconds = chosen.expirationInSec ?? secondsUntil(created, chosen.expiration) ?? 30;
  return {
    quoteId,
    description,
    lnInvoice:
      chosen.lnInvoice ??
      bolt11Of(quoteId, created, { amount: sourceAmount, description, seconds }),
    expiration: after(created, seconds * 1_000),
    expirationInSec: seconds,
    targetAmount,
    sourceAmount,
    conversionRate: isBitcoin ? { ...conversionRate, amount: '1' } : conversionRate,
  };
}

function secondsUntil(created: string, end: string | undefined): number | undefined {
  const [from, to] = [millisOf(created), millisOf(end ?? '')];
  return from === undefined || to === undefined
    ? undefined
    : Math.max(0, Math.round((to - from) / 1_000));
}

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
