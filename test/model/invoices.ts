// Invoices and their quotes, as the model knows them.
import { invalid, ok, refused, type Said, unknown } from './answers.ts';
import { askable, requireText } from './amounts.ts';
import { per, type Sum, wire, type Wire } from './decimals.ts';
import type { Account, Entity, Line, Model } from './model.ts';
import { owned, requireLightning, touch } from './play.ts';

export interface Invoice extends Entity {
  readonly issuer: Account;
  readonly receiver: Account;
  readonly amount: Sum;
  readonly correlationId: string | undefined;
  readonly description: string | undefined;
  state: string;
  readonly transactions: { isOver: boolean }[];
  settled: readonly Line[];
  paidBy?: InvoiceQuote;
}

export interface InvoiceQuote extends Entity {
  readonly invoice: Invoice;
  readonly sats: Sum;
  readonly end: number;
  readonly description: string | undefined;
  text: string;
}

export const invoicesOf = (model: Model): Invoice[] => model.table('invoices', () => []);
export const quotesOf = (model: Model): InvoiceQuote[] => model.table('invoice quotes', () => []);

export const INVOICE_MOVES: Readonly<Record<string, readonly string[]>> = {
  UNPAID: ['PENDING', 'CANCELLED'],
  PENDING: ['UNPAID', 'CANCELLED', 'PAID'],
  CANCELLED: ['PAID'],
  PAID: ['REVERSED'],
  REVERSED: [],
};

const sides = ({ issuer, receiver }: Invoice): readonly Account[] => [
  ...new Set([issuer, receiver]),
];
const touched = (model: Model, invoice: Invoice): void =>
  touch(model, invoice, () =>
    sides(invoice).map((account) => ({
      account,
      path: `/v1/invoices/${invoice.id}?includeTransactions=true`,
      shown: {
        ...shown(invoice),
        transactions: invoice.transactions.map(({ isOver }) => ({
          state: isOver ? 'COMPLETED' : 'PENDING',
          amountReceived: wire(invoice.amount),
        })),
      },
    })),
  );

const shown = ({
  id,
  amount,
  state,
  correlationId,
  description,
  issuer,
  receiver,
}: Invoice): object => ({
  invoiceId: id,
  amount: wire(amount),
  state,
  correlationId,
  description,
  issuerId: issuer.id,
  receiverId: receiver.id,
});

export const addInvoice = (
  model: Model,
  given: Pick<Invoice, 'issuer' | 'receiver' | 'amount' | 'description' | 'correlationId'>,
): Invoice => {
  const invoice: Invoice = { id: '', ...given, state: 'UNPAID', transactions: [], settled: [] };
  invoicesOf(model).push(invoice);
  for (const side of sides(invoice)) model.tell(side, 'invoice.created', invoice);
  touched(model, invoice);
  return invoice;
};

/** Over Lightning: bitcoin comes in, and is exchanged where the invoice is in another currency. */
const fromNetwork = ({ receiver, amount }: Invoice, sent: Sum): readonly Line[] => {
  const to = `${receiver.handle}.free`;
  return amount.currency === 'BTC'
    ? [{ from: 'ln', to, money: amount }]
    : [
        { from: 'ln', to: 'fx', money: sent },
        { from: 'fx', to, money: amount },
      ];
};

export const moveInvoice = (
  model: Model,
  invoice: Invoice,
  to: string,
  came?: { readonly lines: readonly Line[]; readonly booked: boolean },
): void => {
  if (to === 'PAID') {
    invoice.settled =
      came?.lines ?? fromNetwork(invoice, model.convert(invoice.amount, 'BTC', 'up'));
    if (!came?.booked) model.post(invoice.settled);
  }
  if (to === 'REVERSED')
    model.post(
      [...invoice.settled]
        .reverse()
        .map(({ from, to: back, money }) => ({ from: back, to: from, money, debt: true })),
    );
  invoice.state = to;
  for (const side of sides(invoice)) model.tell(side, 'invoice.updated', invoice, ['state']);
  touched(model, invoice);
};

/** A payment towards it begins; the result ends it. */
export const beginPaying = (
  model: Model,
  quote: InvoiceQuote,
): ((came: { readonly lines: readonly Line[]; readonly booked: boolean } | undefined) => void) => {
  const { invoice } = quote;
  const transaction = { isOver: false };
  invoice.transactions.push(transaction);
  moveInvoice(model, invoice, 'PENDING');
  return (came) => {
    if (came) invoice.paidBy = quote;
    const to = came ? 'PAID' : 'UNPAID';
    if (!INVOICE_MOVES[invoice.state]!.includes(to)) return; // somebody moved it meanwhile
    drop(invoice, transaction);
    if (came) invoice.transactions.push({ isOver: true });
    moveInvoice(model, invoice, to, came);
  };
};

const drop = ({ transactions }: Invoice, transaction: { isOver: boolean } | undefined): void => {
  const at = transactions.findIndex((one) => one === transaction);
  if (at >= 0) transactions.splice(at, 1);
};

/** Somebody moves it: what was under way ends with it, and what is paid has a transaction. */
export const moveByHand = (model: Model, invoice: Invoice, to: string): void => {
  const open = invoice.transactions.find(({ isOver }) => !isOver);
  if (to === 'PENDING') invoice.transactions.push({ isOver: false });
  if (to === 'UNPAID' || to === 'CANCELLED') drop(invoice, open);
  if (to === 'PAID' && open) open.isOver = true;
  if (to === 'PAID' && !open) invoice.transactions.push({ isOver: true });
  moveInvoice(model, invoice, to);
};

export const requireUnpaid = ({ state }: Invoice): void => {
  if (state !== 'UNPAID')
    throw refused(
      state === 'PENDING' ? 'PROCESSING_PAYMENT' : `INVALID_STATE_FOR_INVOICE_${state}`,
    );
};

export const makeQuote = (model: Model, invoice: Invoice, isHashed = false): InvoiceQuote => {
  const { amount, description } = invoice;
  const sats =
    amount.currency === 'BTC'
      ? amount
      : per(amount, model.rates.get(`BTC/${amount.currency}`)!, 'BTC', 'up');
  const quote: InvoiceQuote = {
    id: '',
    invoice,
    sats,
    text: '',
    description: isHashed ? undefined : description,
    end: model.now + (amount.currency === 'BTC' ? 3_600_000 : 30_000),
  };
  quotesOf(model).push(quote);
  return quote;
};

export interface InvoiceDraft {
  readonly amount?: Wire | undefined;
  readonly correlationId?: string | undefined;
  readonly description?: string | undefined;
}

export const invoiceShape =
  ({ amount, correlationId, description }: InvoiceDraft) =>
  (): void => {
    if (!amount) throw invalid('amount', 'INVALID_DATA_REQUIRED');
    requireText(amount.amount, 'amount.amount');
    if ((correlationId?.length ?? 0) > 40) throw invalid('correlationId', 'INVALID_DATA_MAXLENGTH');
    if ((description?.length ?? 0) > 200) throw invalid('description', 'INVALID_DATA_MAXLENGTH');
  };

export const createInvoice = (
  model: Model,
  issuer: Account,
  receiver: Account,
  { amount: given, correlationId, description }: InvoiceDraft,
): Said => {
  const amount = askable(receiver, given!);
  const isKnown = invoicesOf(model).some(
    (other) =>
      other.issuer === issuer &&
      correlationId !== undefined &&
      other.correlationId === correlationId,
  );
  if (isKnown) throw refused('DUPLICATE_INVOICE', { correlationId });
  const invoice = addInvoice(model, { issuer, receiver, amount, correlationId, description });
  return ok(
    () => shown(invoice),
    201,
    ({ invoiceId }: { invoiceId: string }) => {
      invoice.id = invoiceId;
    },
  );
};

export const createInvoiceFor = (
  model: Model,
  issuer: Account,
  handle: string,
  draft: InvoiceDraft,
): Said => {
  const receiver = model.accounts.get(handle);
  if (!receiver || receiver.isPrivate) throw unknown();
  if (!receiver.canReceive) throw refused('INVALID_RECIPIENT');
  return createInvoice(model, issuer, receiver, draft);
};

export const cancelInvoice = (model: Model, account: Account, found: Invoice | undefined): Said => {
  const invoice = own(account, found);
  requireUnpaid(invoice);
  moveInvoice(model, invoice, 'CANCELLED');
  return ok(shown(invoice));
};

export const quoteInvoice = (
  model: Model,
  account: Account,
  found: Invoice | undefined,
  isHashed: boolean,
): Said => {
  const invoice = own(account, found);
  requireUnpaid(invoice);
  requireLightning(model);
  const quote = makeQuote(model, invoice, isHashed);
  const expirationInSec = (quote.end - model.now) / 1_000;
  const conversionRate = {
    amount: model.rates.get(`BTC/${invoice.amount.currency}`) ?? '1.00000000',
    sourceCurrency: 'BTC',
    targetCurrency: invoice.amount.currency,
  };
  const body = {
    targetAmount: wire(invoice.amount),
    sourceAmount: wire(quote.sats),
    conversionRate,
    expirationInSec,
    description: quote.description,
  };
  return ok(body, 201, ({ quoteId, lnInvoice }: { quoteId: string; lnInvoice: string }) =>
    Object.assign(quote, { id: quoteId, text: lnInvoice }),
  );
};

export const findInvoice = (account: Account, found: Invoice | undefined): Said =>
  ok(shown(own(account, found)));

/** Newest first, of one state and currency. */
export const listInvoices = (
  model: Model,
  account: Account,
  keep: (invoice: Invoice) => boolean,
  top: number,
  skip: number,
): Said => {
  const all = invoicesOf(model)
    .filter((invoice) => sides(invoice).includes(account) && keep(invoice))
    .reverse();
  return ok({ count: all.length, items: all.slice(skip, skip + top).map(shown) });
};

const own = (account: Account, found: Invoice | undefined): Invoice =>
  owned(found, (invoice) => sides(invoice).includes(account));

/** The quote that a payer's id leads to: an invoice's newest, or a new one where that has ended. */
const payable = (model: Model, target: Invoice | InvoiceQuote): InvoiceQuote => {
  if ('invoice' in target) return target;
  requireUnpaid(target);
  const newest = quotesOf(model)
    .filter(({ invoice }) => invoice === target)
    .at(-1);
  return newest && model.now < newest.end ? newest : makeQuote(model, target);
};

/** Somebody outside pays an invoice, or a quote. */
export const payInvoice = (
  model: Model,
  target: Invoice | InvoiceQuote | undefined,
  { hold, fails }: { readonly hold: number; readonly fails: boolean },
): void => {
  if (!target) throw unknown();
  const quote = payable(model, target);
  requireUnpaid(quote.invoice);
  if (model.now >= quote.end) throw refused('INVALID_STATE_FOR_INVOICE_EXPIRED');
  const end = beginPaying(model, quote);
  const act = (): void =>
    end(fails ? undefined : { lines: fromNetwork(quote.invoice, quote.sats), booked: false });
  if (hold > 0) model.later(hold, act);
  else act();
};
