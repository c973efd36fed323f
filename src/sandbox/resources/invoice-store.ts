import { sha256 } from '@noble/hashes/sha2.js';
import type { Ticks } from '../../core/time.ts';
import { type Bolt11Draft, encodeBolt11, encodeUnsignedBolt11 } from '../../lightning/signature.ts';
import {
  compareMoney,
  type ConversionRate,
  convertMoney,
  type Money,
  money,
  toMsat,
} from '../../money/index.ts';
import {
  type InvoiceDraft,
  type InvoiceQuote,
  type InvoiceState,
  invoiceStates,
} from '../../resources/invoices.ts';
import { bitcoinPrice, convertNow } from '../ledger/amounts.ts';
import { post, reverseTransfers, listSubAccounts, type Transfer } from '../ledger/ledger.ts';
import { assumedRounding, assumedTime, readAssumption } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { toHex, type Account, getStore, type World } from '../world/world.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { emit } from './events.ts';

/** An invoice with all fields that the service stores. */
export interface StoredInvoice extends Omit<InvoiceDraft, 'extra'> {
  readonly invoiceId: string;
  readonly issuer: Account;
  readonly receiver: Account;
  readonly correlationId: string | undefined;
  readonly description: string | undefined;
  readonly created: Ticks;
  state: InvoiceState;
  readonly transactions: StoredTransaction[];
  /** Transfers that paid the invoice, which are needed to reverse it. */
  settledBy?: readonly Transfer[];
  /** The paid quote's payment hash. */
  paidBy?: string;
}

export interface StoredTransaction {
  readonly transactionId: string;
  readonly created: Ticks;
  completed: Ticks | undefined;
}

interface AccountInvoices {
  /** Invoices in ascending order of `created`. */
  readonly list: StoredInvoice[];
  readonly byCorrelationId: Map<string, StoredInvoice>;
}

export function getInvoices(world: World, account: Account): AccountInvoices {
  return getStore(world, `invoices/${account.id}`, () => ({
    list: [],
    byCorrelationId: new Map(),
  }));
}

export function allInvoices(world: World): Map<string, StoredInvoice> {
  return getStore(world, 'invoices', () => new Map());
}

export function addInvoice(
  world: World,
  {
    correlationId,
    ...given
  }: Omit<InvoiceDraft, 'extra'> & Pick<StoredInvoice, 'issuer' | 'receiver' | 'description'>,
): StoredInvoice {
  const invoiceId = world.random.uuid('invoice', world.random.next('invoice'));
  const invoice: StoredInvoice = {
    invoiceId,
    ...given,
    correlationId,
    created: world.stamp(),
    state: 'UNPAID',
    transactions: [],
  };
  allInvoices(world).set(invoiceId, invoice);
  for (const side of listParties(invoice)) getInvoices(world, side).list.push(invoice);
  if (correlationId !== undefined)
    getInvoices(world, given.issuer).byCorrelationId.set(correlationId, invoice);
  for (const side of listParties(invoice))
    emit(world, side, 'invoice.created', { entityId: invoiceId });
  return invoice;
}

interface InvoiceSettlement {
  readonly transfers: readonly Transfer[];
  /** Whether the transfers have already been posted as part of another account's payment. */
  readonly isPosted: boolean;
}

export function moveInvoice(
  world: World,
  invoice: StoredInvoice,
  to: InvoiceState,
  settlement?: InvoiceSettlement,
): void {
  if (!invoiceStates.canMove(invoice.state, to))
    throw new Error(`an invoice cannot move from ${invoice.state} to ${to}`);
  if (to === 'PAID')
    settle(
      world,
      invoice,
      settlement ?? { transfers: networkTransfers(world, invoice), isPosted: false },
    );
  if (to === 'REVERSED') reverse(world, invoice);
  invoice.state = to;
  if (to === 'PENDING' && readAssumption(world, 'invoices.events') === 'settled') return;
  for (const side of listParties(invoice))
    emit(world, side, 'invoice.updated', { entityId: invoice.invoiceId, changes: ['state'] });
}

function reverse(world: World, { invoiceId, settledBy = [] }: StoredInvoice): void {
  recordUse(world, 'invoices.reversed');
  recordUse(world, 'invoices.returned');
  post(world, 'invoice REVERSED', invoiceId, reverseTransfers(settledBy));
}

function settle(
  world: World,
  invoice: StoredInvoice,
  { transfers, isPosted }: InvoiceSettlement,
): void {
  recordUse(world, 'ledger.invoices');
  if (!isPosted) post(world, 'invoice PAID', invoice.invoiceId, transfers);
  invoice.settledBy = transfers;
}

/**
 * Returns the transfers for an incoming Lightning payment. Includes an exchange unless the invoice
 * is in bitcoin.
 */
export function networkTransfers(
  world: World,
  { receiver, amount }: StoredInvoice,
  sent: Money = convertNow(world, amount, 'BTC', 'up').money,
): readonly Transfer[] {
  const to = listSubAccounts(receiver).free;
  if (amount.currency === 'BTC') return [{ from: 'ln', to, money: amount }];
  return [
    { from: 'ln', to: 'fx', money: sent },
    { from: 'fx', to, money: amount },
  ];
}

/**
 * Changes an invoice's state for `Sandbox.move`. If it becomes PAID and no wallet has paid, adds a
 * transaction.
 */
export function moveInvoiceByHand(world: World, invoice: StoredInvoice, to: InvoiceState): void {
  if (to === 'PENDING') return void beginTransaction(world, invoice);
  const open = invoice.transactions.find(({ completed }) => completed === undefined);
  if (to === 'PAID') (open ?? addTransaction(world, invoice)).completed = world.stamp();
  else if (open) dropTransaction(invoice, open);
  moveInvoice(world, invoice, to);
}

/**
 * Starts a payment for an invoice. The invoice becomes PENDING and doesn't accept other payments.
 */
export function beginTransaction(world: World, invoice: StoredInvoice): StoredTransaction {
  recordUse(world, 'invoices.order');
  const transaction = addTransaction(world, invoice);
  moveInvoice(world, invoice, 'PENDING');
  return transaction;
}

function addTransaction(world: World, invoice: StoredInvoice): StoredTransaction {
  const purpose = `transaction/${invoice.invoiceId}`;
  const transactionId = world.random.uuid(purpose, world.random.next(purpose));
  const transaction: StoredTransaction = {
    transactionId,
    created: world.stamp(),
    completed: undefined,
  };
  invoice.transactions.push(transaction);
  return transaction;
}

/** Ends a payment for an invoice. If `settlement` is absent, the payment has failed. */
export function endTransaction(
  world: World,
  invoice: StoredInvoice,
  transaction: StoredTransaction,
  settlement: InvoiceSettlement | undefined,
): void {
  const to = settlement ? 'PAID' : 'UNPAID';
  if (!invoiceStates.canMove(invoice.state, to)) return; // `Sandbox.move` changed the state first
  dropTransaction(invoice, transaction);
  if (!settlement) recordUse(world, 'invoices.back');
  if (settlement) {
    transaction.completed = world.stamp();
    invoice.transactions.push(transaction);
  }
  moveInvoice(world, invoice, to, settlement);
}

function dropTransaction({ transactions }: StoredInvoice, transaction: StoredTransaction): void {
  const at = transactions.indexOf(transaction);
  if (at >= 0) transactions.splice(at, 1);
}

export function listParties({ issuer, receiver }: StoredInvoice): ReadonlySet<Account> {
  return new Set([issuer, receiver]);
}

/** Rejects payments, quotes and cancellations for an invoice that isn't UNPAID. */
export function requireUnpaid({ state }: StoredInvoice): void {
  if (state === 'PENDING') throw new ServiceRefusal('PROCESSING_PAYMENT');
  if (state !== 'UNPAID') throw new ServiceRefusal(`INVALID_STATE_FOR_INVOICE_${state}`);
}

export interface StoredQuote {
  readonly quoteId: string;
  /** Creation time in milliseconds since 1970. */
  readonly createdAt: number;
  readonly invoice: StoredInvoice;
  readonly description: string | undefined;
  readonly lnInvoice: string;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly sourceAmount: Money<'BTC'>;
  readonly conversionRate: ConversionRate;
  /** Lifetime of the quote in milliseconds. Always a multiple of 1,000. */
  readonly lifetime: number;
  /** Time when the quote expires. */
  readonly end: Ticks;
}

interface QuoteStore {
  readonly byId: Map<string, StoredQuote>;
  readonly byHash: Map<string, StoredQuote>;
  /** Quotes by invoice id, oldest first. */
  readonly ofInvoice: Map<string, StoredQuote[]>;
}

export function quoteStore(world: World): QuoteStore {
  return getStore(world, 'quotes', () => ({
    byId: new Map(),
    byHash: new Map(),
    ofInvoice: new Map(),
  }));
}

const CONVERTED_LIFETIME_MS = 30_000;

/** Lifetime of the quote in milliseconds. Always a multiple of 1,000. */
function chooseLifetime(world: World, { amount: { currency } }: StoredInvoice): number {
  const { plain, converted } = world.quoteLifetimes;
  return currency === 'BTC'
    ? (plain ?? assumedTime(world, 'invoice-quotes.plain'))
    : (converted ?? CONVERTED_LIFETIME_MS);
}

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
  const preimage = world.random.bytes(`${purpose}/preimage`, counter);
  const paymentHash = toHex(sha256(preimage));
  const description = descriptionHash === undefined ? invoice.description : undefined;
  const priced = computePrice(world, invoice.amount);
  const lifetime = chooseLifetime(world, invoice);
  const lnInvoice = writeBolt11(world, 'node-key', {
    amountMsat: toMsat(priced.sourceAmount),
    expirySeconds: lifetime / 1_000,
    paymentHash,
    paymentSecret: toHex(world.random.bytes(`${purpose}/secret`, counter)),
    ...(descriptionHash === undefined ? { description: description ?? '' } : { descriptionHash }),
  });
  const quote: StoredQuote = {
    quoteId: world.random.uuid(purpose, counter),
    createdAt,
    invoice,
    description,
    lnInvoice,
    paymentHash,
    preimage: toHex(preimage),
    ...priced,
    lifetime,
    end: ticksOfMillis(createdAt + lifetime),
  };
  ofInvoice.set(invoice.invoiceId, [...earlier, quote]);
  byId.set(quote.quoteId, quote);
  byHash.set(quote.paymentHash, quote);
  return quote;
}

/**
 * The sandbox's Bitcoin network. Its BOLT11 invoices start with `lntb`, and its addresses start
 * with `tb1`.
 */
export const NETWORK = 'testnet';

export type BareBolt11 = Omit<Bolt11Draft, 'network' | 'timestamp'> &
  Partial<Pick<Bolt11Draft, 'network'>>;

/** Encodes a BOLT11 invoice. The invoice is unsigned if the `signed` option is false. */
export function writeBolt11(world: World, node: string, draft: BareBolt11): string {
  const encode = world.signed ? encodeBolt11 : encodeUnsignedBolt11;
  const timestamp = Math.floor(world.clock.now() / 1_000);
  const written = { network: NETWORK, ...draft, ...shortenDescription(draft), timestamp } as const;
  return encode(written, world.random.bytes(node, 0));
}

/**
 * Replaces a description of more than 639 bytes with its hash, because BOLT11 has no room for
 * longer descriptions.
 */
function shortenDescription({ description = '' }: BareBolt11): Partial<BareBolt11> | undefined {
  const bytes = new TextEncoder().encode(description);
  if (bytes.length <= 639) return undefined;
  return { description: undefined, descriptionHash: toHex(sha256(bytes)) };
}

const SATOSHI: Money<'BTC'> = { amount: '0.00000001', currency: 'BTC' };

/** Returns an invoice's bitcoin amount, which is at least one satoshi, and the exchange rate. */
function computePrice(
  world: World,
  { amount, currency }: Money,
): { sourceAmount: Money<'BTC'>; conversionRate: ConversionRate<'BTC'> } {
  const own = bitcoinPrice(world, currency);
  if (own === undefined) throw new ServiceRefusal('EXCHANGE_RATE_NOT_AVAILABLE');
  const conversionRate = { amount: own, sourceCurrency: 'BTC', targetCurrency: currency } as const;
  if (currency === 'BTC') return { sourceAmount: money(amount, 'BTC'), conversionRate };
  const { value } = convertMoney({ amount, currency }, conversionRate, {
    asOf: world.clock.now(),
    rounding: assumedRounding(world, 'invoice-quotes.rounding'),
  });
  const isLess = compareMoney(value, SATOSHI) < 0;
  return { sourceAmount: isLess ? SATOSHI : (value as Money<'BTC'>), conversionRate };
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
