import type { Money } from '../../money/index.ts';
import * as rows from '../../generated/endpoints/invoices.ts';
import type { Invoice, InvoiceDraft, InvoiceTransaction } from '../../resources/invoices.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';
import { checkAmount } from '../ledger/amounts.ts';
import { readAssumption } from '../provenance/alternatives.ts';
import { textOfTicks } from '../time/instants.ts';
import {
  addInvoice,
  allInvoices,
  getInvoices,
  makeQuote,
  moveInvoice,
  listParties,
  requireUnpaid,
  showQuote,
  type StoredInvoice,
  type StoredTransaction,
} from './invoice-store.ts';
import { INVOICE_FIELDS } from '../query/odata.ts';
import { type Fields, makePage } from '../query/lists.ts';
import { requireLightning } from './destinations.ts';
import { notFound, ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';

function ownInvoice(world: World, account: Account, invoiceId: string): StoredInvoice {
  const invoice = allInvoices(world).get(invoiceId);
  if (!invoice || !listParties(invoice).has(account)) throw notFound(invoice);
  return invoice;
}

const FIELDS: Fields<StoredInvoice, keyof typeof INVOICE_FIELDS> = {
  kinds: INVOICE_FIELDS,
  read: {
    invoiceId: (invoice) => invoice.invoiceId,
    created: (invoice) => invoice.created,
    currency: (invoice) => invoice.amount.currency,
    state: (invoice) => invoice.state,
    issuerId: (invoice) => invoice.issuer.id,
    receiverId: (invoice) => invoice.receiver.id,
    payerId: () => undefined,
    correlationId: (invoice) => invoice.correlationId,
  },
};

function show(invoice: StoredInvoice): Invoice {
  const { invoiceId, amount, state, created, correlationId, description, issuer, receiver } =
    invoice;
  return {
    invoiceId,
    amount,
    state,
    created: textOfTicks(created),
    ...(correlationId !== undefined && { correlationId }),
    ...(description !== undefined && { description }),
    issuerId: issuer.id,
    receiverId: receiver.id,
  };
}

function showTransaction(
  { transactionId, created, completed }: StoredTransaction,
  amountReceived: Money,
): InvoiceTransaction {
  return {
    transactionId,
    state: completed === undefined ? 'PENDING' : 'COMPLETED',
    amountReceived,
    created: textOfTicks(created),
    ...(completed !== undefined && { completed: textOfTicks(completed) }),
  };
}

/** Amount and correlationId are checked, then the invoice is there. */
function make(
  world: World,
  issuer: Account,
  receiver: Account,
  { amount: asked, correlationId, description }: InvoiceDraft,
): StoredInvoice {
  const requireNew = (): void => {
    if (
      correlationId !== undefined &&
      getInvoices(world, issuer).byCorrelationId.has(correlationId)
    )
      throw new ServiceRefusal('DUPLICATE_INVOICE', { correlationId });
  };
  const isAmountFirst = readAssumption(world, 'invoices.checks') === 'amount';
  if (!isAmountFirst) requireNew();
  const amount = checkAmount(receiver, asked);
  if (isAmountFirst) requireNew();
  return addInvoice(world, { issuer, receiver, amount, correlationId, description });
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft }) {
    return { body: show(make(world, account, account, draft)) };
  },
  createFor(world, { account, where: { handle }, draft }) {
    const receiver = world.accounts.get(handle);
    if (!receiver || receiver.isPrivate) throw notFound();
    if (!receiver.canReceive) throw new ServiceRefusal('INVALID_RECIPIENT');
    return { body: show(make(world, account, receiver, draft)) };
  },
  get(world, { account, where }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    const transactions =
      where.includeTransactions &&
      invoice.transactions.map((one) => showTransaction(one, invoice.amount));
    return { body: { ...show(invoice), ...(transactions && { transactions }) } };
  },
  list: (world, { account, where }) => ({
    body: makePage(getInvoices(world, account).list, where, FIELDS, show),
  }),
  cancel(world, { account, where }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    requireUnpaid(invoice);
    moveInvoice(world, invoice, 'CANCELLED');
    return { body: show(invoice) };
  },
  quote(world, { account, where, draft }) {
    const invoice = ownInvoice(world, account, where.invoiceId);
    requireUnpaid(invoice);
    requireLightning(world);
    return { body: showQuote(makeQuote(world, invoice, draft.descriptionHash)) };
  },
});
