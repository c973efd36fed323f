import { sha256 } from '@noble/hashes/sha2.js';
import { type Ticks } from '../../core/time.ts';
import { encodeBolt11, encodeUnsignedBolt11 } from '../../lightning/signature.ts';
import { type ConversionRate, convertMoney, type Money, money, toMsat } from '../../money/index.ts';
import type { InvoiceQuote } from '../../resources/invoices.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import type { StoredInvoice } from './invoice-store.ts';
import { hexOf } from '../world/randomness.ts';
import { recordUse } from '../provenance/recorder.ts';
import { bitcoinPrice } from '../ledger/exchange-rates.ts';
import { ServiceRefusal } from '../world/refusals.ts';
import { storeOf, type World } from '../world/world.ts';

export interface StoredQuote {
  readonly quoteId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly invoice: StoredInvoice;
  readonly description: string | undefined;
  readonly lnInvoice: string;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly sourceAmount: Money<'BTC'>;
  readonly conversionRate: ConversionRate;
  /** Whole seconds, in milliseconds. */
  readonly lifetime: number;
  /** From here on it cannot be paid. */
  readonly end: Ticks;
}

interface QuoteStore {
  readonly byId: Map<string, StoredQuote>;
  readonly byHash: Map<string, StoredQuote>;
  /** By invoice, the oldest first. */
  readonly ofInvoice: Map<string, StoredQuote[]>;
}

export function quoteStore(world: World): QuoteStore {
  return storeOf(world, 'quotes', () => ({
    byId: new Map(),
    byHash: new Map(),
    ofInvoice: new Map(),
  }));
}

/** Makes a quote of an invoice at the rate of this moment. */
export function makeQuote(
  world: World,
  invoice: StoredInvoice,
  descriptionHash?: string,
): StoredQuote {
  if (descriptionHash !== undefined) recordUse(world, 'invoice-quotes.hash');
  if (invoice.amount.currency === 'BTC') recordUse(world, 'invoice-quotes.plain');
  const purpose = `quote/${invoice.invoiceId}`;
  const { byId, byHash, ofInvoice } = quoteStore(world);
  const earlier = ofInvoice.get(invoice.invoiceId) ?? [];
  const counter = earlier.length;
  const createdAt = world.clock.now();
  const { plain, converted } = world.quoteLifetimes;
  const preimage = world.random.bytes(`${purpose}/preimage`, counter);
  const draft = {
    createdAt,
    invoice,
    description: descriptionHash === undefined ? invoice.description : undefined,
    paymentHash: hexOf(sha256(preimage)),
    preimage: hexOf(preimage),
    ...priceOf(world, invoice.amount),
    lifetime: invoice.amount.currency === 'BTC' ? plain : converted,
  };
  const paymentSecret = hexOf(world.random.bytes(`${purpose}/secret`, counter));
  const quote: StoredQuote = {
    ...draft,
    quoteId: world.random.uuid(purpose, counter),
    lnInvoice: bolt11Of(world, draft, paymentSecret, descriptionHash),
    end: ticksOfMillis(createdAt + draft.lifetime),
  };
  ofInvoice.set(invoice.invoiceId, [...earlier, quote]);
  byId.set(quote.quoteId, quote);
  byHash.set(quote.paymentHash, quote);
  return quote;
}

function bolt11Of(
  world: World,
  {
    createdAt,
    sourceAmount,
    lifetime,
    paymentHash,
    description = '',
  }: Omit<StoredQuote, 'quoteId' | 'lnInvoice' | 'end'>,
  paymentSecret: string,
  descriptionHash: string | undefined,
): string {
  const encode = world.signed ? encodeBolt11 : encodeUnsignedBolt11;
  return encode(
    {
      network: 'testnet',
      amountMsat: toMsat(sourceAmount),
      timestamp: Math.floor(createdAt / 1_000),
      expirySeconds: lifetime / 1_000,
      paymentHash,
      paymentSecret,
      ...(descriptionHash === undefined ? { description } : { descriptionHash }),
    },
    world.random.bytes('node-key', 0),
  );
}

/** Whole satoshi, rounded up so that the receiver never gets less, and the rate behind them. */
function priceOf(
  world: World,
  { amount, currency }: Money,
): { sourceAmount: Money<'BTC'>; conversionRate: ConversionRate<'BTC'> } {
  const own = bitcoinPrice(world, currency);
  if (own === undefined) throw new ServiceRefusal('EXCHANGE_RATE_NOT_AVAILABLE');
  const conversionRate = { amount: own, sourceCurrency: 'BTC', targetCurrency: currency } as const;
  if (currency === 'BTC') return { sourceAmount: money(amount, 'BTC'), conversionRate };
  const { value } = convertMoney({ amount, currency }, conversionRate, {
    asOf: world.clock.now(),
    rounding: 'up',
  });
  return { sourceAmount: value as Money<'BTC'>, conversionRate };
}

export function showQuote(quote: StoredQuote): InvoiceQuote {
  const { quoteId, description, lnInvoice, end, lifetime, invoice, sourceAmount, conversionRate } =
    quote;
  return {
    quoteId,
    ...(description !== undefined && { description }),
    lnInvoice,
    expiration: textOfTicks(end),
    expirationInSec: lifetime / 1_000,
    targetAmount: invoice.amount,
    sourceAmount,
    conversionRate,
  };
}
