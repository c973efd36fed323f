import { RefusedError } from '../core/errors.ts';
import type { ServiceCode } from '../core/service-codes.ts';
import { SERVICE_CODES } from '../core/service-codes.ts';
import { decodeInvoice } from '../lightning/index.ts';
import { ticksOfMillis } from './time/instants.ts';
import { allInvoices, moveInvoice, stateRefusal, type StoredInvoice, type StoredTransaction } from './nouns/invoice-book.ts';
import { makeQuote, quoteBook, type StoredQuote } from './nouns/quotes.ts';
import type { World } from './world.ts';

export interface PayOptions {
  /** Milliseconds that the payment stays PENDING; 0. */
  readonly hold?: number | undefined;
  /** The payment comes back in the end, and the invoice is UNPAID again. */
  readonly fails?: boolean | undefined;
}

/** What a payer has in the hand afterwards. */
export interface Receipt {
  readonly invoiceId: string;
  readonly quoteId: string;
  /** 32 bytes, hex. */
  readonly paymentHash: string;
  /** Proof of payment, hex; absent when the payment came back. */
  readonly preimage?: string;
}

/** Somebody with a wallet, outside of the service. */
export interface Payer {
  /**
   * Pays a BOLT11 text, a quote by its id, or an invoice by its id (its newest quote, or a new one when that has ended).
   * The invoice is PENDING when this returns; resolves when the payment has ended.
   *
   * @throws RefusedError `NOT_FOUND` for a hash that nobody waits for, `INVALID_STATE_FOR_INVOICE_EXPIRED` when the quote
   * has ended, `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`, or `PROCESSING_PAYMENT` while another payment runs
   * @example
   * await sandbox.run(sandbox.payer.pay(quote.lnInvoice, { hold: 2_000 }));
   */
  pay(target: string, options?: PayOptions): Promise<Receipt>;
  /**
   * Takes a payment back: the invoice becomes REVERSED.
   *
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` where the invoice is not paid
   */
  reverse(invoiceId: string): Promise<void>;
}

export function createPayer(world: World): Payer {
  return {
    async pay(target, { hold = 0, fails = false } = {}) {
      const { quote, transaction } = begin(world, quoteFor(world, target));
      const { invoice, quoteId, paymentHash, preimage } = quote;
      if (hold > 0) await world.clock.wait(hold);
      if (!fails) transaction.completed = world.stamp();
      else invoice.transactions.splice(invoice.transactions.indexOf(transaction), 1);
      moveInvoice(world, invoice, fails ? 'UNPAID' : 'PAID');
      return { invoiceId: invoice.invoiceId, quoteId, paymentHash, ...(!fails && { preimage }) };
    },
    async reverse(invoiceId) {
      const invoice = allInvoices(world).get(invoiceId);
      if (!invoice) throw refusal('NOT_FOUND', 'no invoice has this id');
      if (invoice.state !== 'PAID') throw refusal('UNPROCESSABLE_ENTITY', 'only a paid invoice can be reversed');
      moveInvoice(world, invoice, 'REVERSED');
    },
  };
}

/** The money is on its way: from here on the invoice takes no other payment. */
function begin(world: World, quote: StoredQuote): { quote: StoredQuote; transaction: StoredTransaction } {
  const { invoice } = quote;
  checkState(invoice);
  if (ticksOfMillis(world.clock.now()) >= quote.end) throw refusal('INVALID_STATE_FOR_INVOICE_EXPIRED', 'the quote has ended; ask for a new one');
  const purpose = `transaction/${invoice.invoiceId}`;
  const transactionId = world.random.uuid(purpose, world.random.next(purpose));
  const transaction: StoredTransaction = { transactionId, created: world.stamp(), completed: undefined };
  invoice.transactions.push(transaction);
  moveInvoice(world, invoice, 'PENDING');
  return { quote, transaction };
}

function quoteFor(world: World, target: string): StoredQuote {
  const invoice = allInvoices(world).get(target);
  if (invoice) return liveQuote(world, invoice);
  const { byId, byHash } = quoteBook(world);
  const quote = byId.get(target) ?? byHash.get(decodeInvoice(target).paymentHash);
  if (!quote) throw refusal('NOT_FOUND', 'nobody waits for a payment with this hash');
  return quote;
}

function liveQuote(world: World, invoice: StoredInvoice): StoredQuote {
  checkState(invoice);
  const newest = quoteBook(world).ofInvoice.get(invoice.invoiceId)?.at(-1);
  return newest && ticksOfMillis(world.clock.now()) < newest.end ? newest : makeQuote(world, invoice);
}

function checkState(invoice: StoredInvoice): void {
  const no = stateRefusal(invoice.state);
  if (no) throw refusal(no.code, `the invoice is ${invoice.state}`);
}

function refusal(code: ServiceCode, text: string): RefusedError {
  return new RefusedError(`payer: ${text}`, { code, outcome: 'not-done', status: SERVICE_CODES[code] });
}
