import type { Breach } from '../../core/row.ts';
import { compareMoney, roundMoney, sameMoney } from '../../money/index.ts';
import { CURRENCIES, type MoneyDraft, type WireMoney } from '../../resources/amounts/model.ts';
import type * as rows from '../../resources/invoices/endpoints.ts';
import type { Invoice, InvoiceTransaction } from '../../resources/invoices/model.ts';
import { emit } from './events.ts';
import type { Handlers } from '../http/handlers.ts';
import { printed } from '../time/instants.ts';
import { allInvoices, invoicesOf, moveInvoice, sides, stateRefusal, type StoredInvoice, type StoredTransaction } from './invoice-book.ts';
import { type Field, pageOf } from '../http/lists.ts';
import { makeQuote, showQuote } from './quotes.ts';
import { invalidData, Refusal } from '../http/refusals.ts';
import type { Account, World } from '../world.ts';

/** Largest amounts; the service's own are not known. */
const HIGHEST: Readonly<Record<string, string>> = { BTC: '20.00000000', USDT: '1000000.000000' };
const HIGHEST_FIAT = '1000000.00';

function requireUnpaid(invoice: StoredInvoice): void {
  const refusal = stateRefusal(invoice.state);
  if (refusal) throw refusal;
}

function ownInvoice(world: World, account: Account, invoiceId: string): StoredInvoice {
  const invoice = allInvoices(world).get(invoiceId);
  if (!invoice || !sides(invoice).has(account)) throw new Refusal('NOT_FOUND', { id: invoiceId });
  return invoice;
}

/** Checks an amount for an account that wants to be paid; returns it with the digits of its currency. */
function checkAmount(account: Account, { amount, currency }: MoneyDraft): WireMoney {
  if (!(CURRENCIES as readonly string[]).includes(currency))
    throw invalidData([{ field: 'amount.currency', code: 'INVALID_DATA_CURRENCY', advice: 'is not supported', values: { currency } }]);
  if (!account.currencies.includes(currency)) throw new Refusal('USER_CURRENCY_UNAVAILABLE', { currency });
  const fitted = roundMoney({ amount, currency }, { rounding: 'down' });
  if (!sameMoney(fitted, { amount, currency })) throw invalidData([TOO_FINE]);
  if (sameMoney(fitted, { amount: '0', currency })) throw new Refusal('INVALID_AMOUNT');
  const limit = { amount: HIGHEST[currency] ?? HIGHEST_FIAT, currency };
  if (compareMoney(fitted, limit) > 0) throw new Refusal('AMOUNT_TOO_HIGH', { limit });
  return fitted;
}

const TOO_FINE: Breach = { field: 'amount.amount', code: 'INVALID_DATA_VALUE', advice: 'has more fraction digits than its currency' };

const FIELDS: Readonly<Record<string, Field<StoredInvoice>>> = {
  invoiceId: { kind: 'id', of: (invoice) => invoice.invoiceId },
  created: { kind: 'time', of: (invoice) => invoice.created },
  currency: { kind: 'text', of: (invoice) => invoice.amount.currency },
  state: { kind: 'text', of: (invoice) => invoice.state },
  issuerId: { kind: 'id', of: (invoice) => invoice.issuer.id },
  receiverId: { kind: 'id', of: (invoice) => invoice.receiver.id },
  payerId: { kind: 'id', of: () => undefined },
  correlationId: { kind: 'text', of: (invoice) => invoice.correlationId },
};

function show(invoice: StoredInvoice): Invoice {
  const { invoiceId, amount, state, created, correlationId, description, issuer, receiver } = invoice;
  return {
    invoiceId, amount, state, created: printed(created),
    ...(correlationId !== undefined && { correlationId }),
    ...(description !== undefined && { description }),
    issuerId: issuer.id, receiverId: receiver.id,
  };
}

function showTransaction({ transactionId, created, completed }: StoredTransaction, amountReceived: WireMoney): InvoiceTransaction {
  return {
    transactionId, state: completed === undefined ? 'PENDING' : 'COMPLETED', amountReceived, created: printed(created),
    ...(completed !== undefined && { completed: printed(completed) }),
  };
}

export const invoiceHandlers: Handlers<typeof rows> = {
  create(world, { account, draft }) {
    const amount = checkAmount(account, draft.amount);
    const { correlationId, description } = draft;
    const { list, byCorrelationId } = invoicesOf(world, account);
    if (correlationId !== undefined && byCorrelationId.has(correlationId)) throw new Refusal('DUPLICATE_INVOICE', { correlationId });
    const invoice: StoredInvoice = {
      invoiceId: world.random.uuid('invoice', world.random.next('invoice')), issuer: account, receiver: account,
      amount, correlationId, description, created: world.stamp(), state: 'UNPAID', transactions: [],
    };
    allInvoices(world).set(invoice.invoiceId, invoice);
    list.push(invoice);
    if (correlationId !== undefined) byCorrelationId.set(correlationId, invoice);
    emit(world, account, 'invoice.created', invoice.invoiceId);
    return { body: show(invoice) };
  },
  find(world, { account, where }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    const transactions = where.includeTransactions && invoice.transactions.map((one) => showTransaction(one, invoice.amount));
    return { body: { ...show(invoice), ...(transactions && { transactions }) } };
  },
  list: (world, { account, where }) => ({ body: pageOf(invoicesOf(world, account).list, where, FIELDS, show) }),
  cancel(world, { account, where }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    requireUnpaid(invoice);
    moveInvoice(world, invoice, 'CANCELLED');
    return { body: show(invoice) };
  },
  quote(world, { account, where, draft }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    requireUnpaid(invoice);
    return { body: showQuote(makeQuote(world, invoice, draft.descriptionHash)) };
  },
};
