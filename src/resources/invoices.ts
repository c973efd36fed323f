// Invoices: amounts that others pay to the account.
import {
  badInput,
  type ErrorFacts,
  type Id,
  type Open,
  RefusedError,
} from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  internals,
  send,
  withPriority,
} from '../core/http/index.ts';
import {
  type Condition,
  createdWhere,
  equals,
  type List,
  LIST_QUERY,
  listOf,
  type ListOptions,
  type ListQuery,
  type OrderedTimeField,
  type Page,
  type TextField,
  textField,
  timeField,
} from '../core/lists/index.ts';
import { isSameMoney, type Money } from '../money/index.ts';
import type { CurrencyCode, QuotedRate } from './amounts.ts';
import {
  InvoiceDraftSchema,
  InvoicePageSchema,
  InvoiceQuoteDraftSchema,
  InvoiceQuoteSchema,
  InvoiceSchema,
  InvoiceStateSchema,
  TransactionStateSchema,
} from './invoices.schemas.ts';
import { knownTexts } from './known-texts.ts';
import { confirmMoved, existsUnread, READ_AFTER_LOSS } from './lost-responses.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
} from './resource.ts';
import { shapeOf } from './wire.ts';

/** Id of an invoice. */
export type InvoiceId = Id<'invoice'>;

/** A request for money: paid through one of its quotes, once. */
export interface Invoice {
  /** Id of the invoice. */
  readonly invoiceId: string;
  /** What the receiver is to get. */
  readonly amount: Money;
  /** Where it stands. */
  readonly state: Open<InvoiceState>;
  /** ISO 8601 date-time with offset, up to seven fraction digits. */
  readonly created: string;
  /** The caller's own name for it, at most 40 characters, unique in the account. */
  readonly correlationId?: string | undefined;
  /** What the payer is shown. */
  readonly description?: string | undefined;
  /** Account that made it. */
  readonly issuerId: string;
  /** Account that is credited. */
  readonly receiverId: string;
  /** Only where it was made for one payer. */
  readonly payerId?: string | undefined;
  /** Only when asked for with `includeTransactions`. */
  readonly transactions?: readonly InvoiceTransaction[] | undefined;
}

/** One payment towards an invoice. */
export interface InvoiceTransaction {
  /** Id of the transaction. */
  readonly transactionId: string;
  /** Where it stands. */
  readonly state: Open<'PENDING' | 'COMPLETED'>;
  /** What came in by it. */
  readonly amountReceived: Money;
  /** ISO 8601 date-time of its detection. */
  readonly created?: string | undefined;
  /** ISO 8601 date-time of its end. */
  readonly completed?: string | undefined;
}

/** What is needed to make an invoice. */
export interface InvoiceDraft {
  /** What the receiver is to get. */
  readonly amount: Money;
  /**
   * At most 40 characters; made when absent, so that a lost response never makes a second invoice.
   */
  readonly correlationId?: string | undefined;
  /** At most 200 characters, shown to the payer. */
  readonly description?: string | undefined;
}

/** A way to pay an invoice now: a BOLT11 text at a rate, for a short time. */
export interface InvoiceQuote {
  /** Id of the quote. */
  readonly quoteId: string;
  /** What the payer is shown. */
  readonly description?: string | undefined;
  /** BOLT11 text. */
  readonly lnInvoice: string;
  /** Never ends and has no rate: not for showing to a payer. */
  readonly onchainAddress?: string | undefined;
  /** ISO 8601 date-time. */
  readonly expiration: string;
  /** Seconds of validity, counted from the response. */
  readonly expirationInSec: number;
  /** What the receiver is credited. */
  readonly targetAmount: Money;
  /** What the payer sends. */
  readonly sourceAmount: Money;
  /** Rate between what is sent and what is credited. */
  readonly conversionRate: QuotedRate;
}

/** What a quote for an invoice may be asked with. */
export interface InvoiceQuoteDraft {
  /** 64 hex digits; replaces the description in the BOLT11 text. */
  readonly descriptionHash?: string | undefined;
}

/** Which invoices to list; all that is given must hold. */
export interface InvoiceFilter {
  /** Those in this state. */
  readonly state?: Open<InvoiceState> | undefined;
  /** The one with this name of the caller's own. */
  readonly correlationId?: string | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdAfter?: string | Date | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdBefore?: string | Date | undefined;
}

/** The states that are known; the service may add others. */
export type InvoiceState = 'UNPAID' | 'PENDING' | 'CANCELLED' | 'PAID' | 'REVERSED';

/**
 * The states of an invoice. It does not expire; its quotes do. PAID after CANCELLED is a race that
 * the payer won.
 */
export const invoiceStates: StateMachine<InvoiceState> = stateMachine(
  {
    UNPAID: ['PENDING', 'CANCELLED'],
    PENDING: ['UNPAID', 'CANCELLED', 'PAID'],
    CANCELLED: ['PAID'],
    PAID: ['REVERSED'],
    REVERSED: [],
  },
  ['CANCELLED', 'PAID', 'REVERSED'],
);

/** What invoices can be listed by. */
export interface InvoiceFields {
  /** Its id. */
  readonly invoiceId: TextField<'invoice', InvoiceId>;
  /** Where it stands. */
  readonly state: TextField<'invoice', Open<InvoiceState>>;
  /** The caller's own name for it. */
  readonly correlationId: TextField<'invoice', string>;
  /** Currency of its amount. */
  readonly currency: TextField<'invoice', Open<CurrencyCode>>;
  /** Account that made it. */
  readonly issuerId: TextField<'invoice', string>;
  /** Account that is credited. */
  readonly receiverId: TextField<'invoice', string>;
  /** Account that it was made for. */
  readonly payerId: TextField<'invoice', string>;
  /** When it was made. */
  readonly created: OrderedTimeField<'invoice'>;
}

/**
 * Makes a condition for `client.invoices.list`: values stay values, whatever they hold. Nothing is
 * sent.
 *
 * @param build gets the fields, returns what must hold
 * @throws InputError for a date that is none
 * @example
 * const late = whereInvoice((f) =>
 *   f.created.lt('2026-03-04T09:15:00Z').and(f.state.eq('UNPAID').or(f.state.eq('PENDING'))),
 * );
 * for await (const invoice of client.invoices.list(late)) console.log(invoice.invoiceId);
 */
export function whereInvoice(
  build: (fields: InvoiceFields) => Condition<'invoice'>,
): Condition<'invoice'> {
  return build({
    invoiceId: textField('invoiceId'),
    state: textField('state'),
    correlationId: textField('correlationId'),
    currency: textField('currency'),
    issuerId: textField('issuerId'),
    receiverId: textField('receiverId'),
    payerId: textField('payerId'),
    created: timeField('created'),
  });
}

/** POST /v1/invoices @source documented */
export const createEndpoint: Endpoint<{}, InvoiceDraft, Invoice> = {
  operation: 'invoices.create',
  method: 'POST',
  path: '/v1/invoices',
  scope: 'partner.invoice.create',
  bucket: 'invoices',
  idempotency: 'client-id',
  statuses: [201, 200],
  input: shapeOf(InvoiceDraftSchema),
  output: shapeOf(InvoiceSchema),
  agrees: { exact: { correlationId: 'correlationId' }, amount: { amount: 'amount' } },
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
};

/** POST /v1/invoices/handle/{handle} @source public */
export const createForEndpoint: Endpoint<{ handle: string }, InvoiceDraft, Invoice> = {
  operation: 'invoices.createFor',
  method: 'POST',
  path: '/v1/invoices/handle/{handle}',
  scope: 'partner.invoice.create-for-receiver',
  bucket: 'invoices',
  idempotency: 'client-id',
  statuses: [201, 200],
  input: shapeOf(InvoiceDraftSchema),
  output: shapeOf(InvoiceSchema),
  agrees: { exact: { correlationId: 'correlationId' }, amount: { amount: 'amount' } },
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
};

/** GET /v1/invoices/{invoiceId} @source documented */
export const getEndpoint: Endpoint<
  { invoiceId: InvoiceId; includeTransactions?: true | undefined },
  void,
  Invoice
> = {
  operation: 'invoices.get',
  method: 'GET',
  path: '/v1/invoices/{invoiceId}',
  scope: 'partner.invoice.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(InvoiceSchema),
  query: { includeTransactions: 'includeTransactions' },
  echo: { invoiceId: 'invoiceId' },
};

/** GET /v1/invoices @source documented */
export const listEndpoint: Endpoint<ListQuery, void, Page<Invoice>> = {
  operation: 'invoices.list',
  method: 'GET',
  path: '/v1/invoices',
  scope: 'partner.invoice.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(InvoicePageSchema),
  query: LIST_QUERY,
};

/** PATCH /v1/invoices/{invoiceId}/cancel @source documented */
export const cancelEndpoint: Endpoint<{ invoiceId: InvoiceId }, void, Invoice> = {
  operation: 'invoices.cancel',
  method: 'PATCH',
  path: '/v1/invoices/{invoiceId}/cancel',
  scope: 'partner.invoice.cancel',
  bucket: 'others',
  idempotency: 'same-request',
  statuses: [200],
  output: shapeOf(InvoiceSchema),
  echo: { invoiceId: 'invoiceId' },
  original: { code: 'INVALID_STATE_FOR_INVOICE_CANCELLED', id: 'invoiceId', by: 'get' },
};

/** POST /v1/invoices/{invoiceId}/quote @source documented */
export const quoteEndpoint: Endpoint<{ invoiceId: InvoiceId }, InvoiceQuoteDraft, InvoiceQuote> = {
  operation: 'invoices.quote',
  method: 'POST',
  path: '/v1/invoices/{invoiceId}/quote',
  scope: 'partner.invoice.quote.generate',
  bucket: 'invoice-quotes',
  idempotency: 'pure',
  statuses: [201, 200],
  input: shapeOf(InvoiceQuoteDraftSchema),
  output: shapeOf(InvoiceQuoteSchema),
};

/**
 * Creates an invoice. `draft.correlationId` is made when absent, so a lost response is asked for
 * again and never makes a second one; a duplicate that this call did not make is an error, and says
 * `outcome: 'unknown'`: an invoice with this id is there. Resolves to the invoice with its
 * correlationId. `POST /v1/invoices` (documented).
 *
 * @throws InputError for a bad field · RefusedError `DUPLICATE_INVOICE` with `values.existing` ·
 * UnreachableError with `outcome: 'unknown'` and `correlationId` when no response came
 * @example
 * const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
 */
export function create(
  connection: Connection,
  draft: InvoiceDraft,
  options: CallOptions = {},
): Call<Invoice> {
  return createOnce(connection, draft, {}, options).call;
}

/**
 * Creates an invoice that credits another account, found by its handle; else as `create`. Resolves
 * to the invoice: `issuerId` is yours, `receiverId` the other's. `POST
 * /v1/invoices/handle/{handle}` (public).
 *
 * A call whose outcome stays unknown is settled by `ensure(draft, { handle })`, also by another
 * process.
 *
 * @param handle public name of the account that is to be credited
 * @throws RefusedError `NOT_FOUND` for an unknown or private handle, `INVALID_RECIPIENT`,
 * `USER_CURRENCY_UNAVAILABLE` · else as `create`
 * @example
 * const invoice = await client.invoices.createFor('friend', {
 *   amount: { amount: '12.50', currency: 'EUR' },
 * });
 */
export function createFor(
  connection: Connection,
  handle: string,
  draft: InvoiceDraft,
  options: CallOptions = {},
): Call<Invoice> {
  return createOnce(connection, draft, { handle }, options).call;
}

/**
 * Creates an invoice, or finds the one that has this `correlationId` and asks for the same.
 * Resolves to the invoice as it is now and whether it existed: look at its state before you show
 * it. `POST /v1/invoices`, `GET /v1/invoices` (documented).
 *
 * @param options `handle`: the public name of the account that is to be credited, as of `createFor`.
 * The service does not tell whose name it is: where other names may have had this `correlationId`,
 * compare `receiverId`
 * @throws InputError without correlationId · RefusedError `DUPLICATE_INVOICE` when the existing one
 * differs
 * @example
 * const { invoice, existed } = await client.invoices.ensure({
 *   correlationId: 'order-7781', amount: { amount: '12.50', currency: 'EUR' },
 * });
 */
export async function ensure(
  connection: Connection,
  draft: InvoiceDraft & { readonly correlationId: string },
  options: CallOptions & { readonly handle?: string | undefined } = {},
): Promise<{ readonly invoice: Invoice; readonly existed: boolean }> {
  if (!draft?.correlationId)
    throw badInput('correlationId', 'is required to find the invoice again', {
      validation: 'INVALID_DATA_REQUIRED',
    });
  const named = { handle: options.handle, adopts: true };
  const { call, existed } = createOnce(connection, draft, named, options);
  return { invoice: await call, existed: existed() };
}

/**
 * Reads one invoice. Resolves to the invoice. `GET /v1/invoices/{invoiceId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.invoices.get(invoice.invoiceId);
 */
export function get(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions & { readonly includeTransactions?: boolean | undefined } = {},
): Call<Invoice> {
  const includeTransactions = options.includeTransactions || undefined;
  return send(connection, getEndpoint, { where: { invoiceId, includeTransactions } }, options);
}

/**
 * Lists invoices, oldest first, each exactly once though others come and go. Returns a list to
 * iterate, to page or to count; nothing is sent before that. `whereInvoice` makes filters of more
 * than these four. `GET /v1/invoices` (documented).
 *
 * @throws InputError for a date that is none
 * @example
 * for await (const invoice of client.invoices.list({ state: 'UNPAID' }))
 *   console.log(invoice.invoiceId);
 */
export function list(
  connection: Connection,
  filter: InvoiceFilter | Condition<'invoice'> = {},
  options: ListOptions = {},
): List<Invoice> {
  const { state, correlationId, createdAfter, createdBefore, text } = filter as InvoiceFilter &
    Partial<Condition<'invoice'>>;
  const terms = [
    text,
    equals('state', state),
    equals('correlationId', correlationId),
    createdWhere('gt', 'createdAfter', createdAfter),
    createdWhere('lt', 'createdBefore', createdBefore),
  ];
  return listOf(connection, listEndpoint, (invoice) => invoice.invoiceId, terms, options);
}

/**
 * Cancels an unpaid invoice. Resolves to the invoice, CANCELLED; after a lost response the invoice
 * is read. `PATCH /v1/invoices/{invoiceId}/cancel` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID` when it is paid, `PROCESSING_PAYMENT` while
 * a payment runs
 * @example
 * const cancelled = await client.invoices.cancel(invoice.invoiceId);
 */
export function cancel(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions = {},
): Call<Invoice> {
  const resolve = (refusal: ErrorFacts, rest: CallOptions): Promise<Invoice> =>
    confirmMoved(
      refusal,
      get(connection, invoiceId, { ...rest, reason: READ_AFTER_LOSS }),
      ({ state }) => state !== 'UNPAID' && state !== 'PENDING',
    );
  return send(connection, cancelEndpoint, { where: { invoiceId }, resolve }, options);
}

/**
 * Makes a way to pay the invoice now: a BOLT11 text with amount, rate and end. Resolves to the
 * quote; count its validity from `expirationInSec`, never from your own clock. `POST
 * /v1/invoices/{invoiceId}/quote` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`
 * @example
 * const { lnInvoice, expirationInSec } = await client.invoices.quote(invoice.invoiceId);
 */
export function quote(
  connection: Connection,
  invoiceId: InvoiceId,
  draft: InvoiceQuoteDraft = {},
  options: CallOptions = {},
): Call<InvoiceQuote> {
  const { input: _, ...bare } = quoteEndpoint; // without a hash there is no body
  return draft?.descriptionHash === undefined
    ? send(connection, bare, { where: { invoiceId } }, options)
    : send(connection, quoteEndpoint, { where: { invoiceId }, draft }, options);
}

/** The service's clock and ours may differ by this much. */
const CLOCK_MARGIN_MS = 120_000;

/** A draft with its correlationId, as every creation sends it. */
type NamedDraft = InvoiceDraft & { readonly correlationId: string };

/** How an invoice is created. */
interface CreateMode {
  /** The account that is credited; the caller's own when absent. */
  readonly handle?: string | undefined;
  /** Returns an equal invoice with this correlationId, whoever created it. */
  readonly adopts?: boolean;
}

/** A creation that was sent. */
interface Creation {
  readonly call: Call<Invoice>;
  /** Whether the invoice was there before this call; known once the call has ended. */
  readonly existed: () => boolean;
}

/**
 * Creates an invoice under the draft's correlationId, or under a new one. If the service answers
 * that this correlationId is taken, reads the invoice that has it and compares it with the draft.
 * Returns that invoice if this call may have created it: the correlationId was made here, or an
 * earlier response was lost. With `adopts` it returns any equal invoice.
 */
function createOnce(
  connection: Connection,
  given: InvoiceDraft | undefined,
  { handle, adopts = false }: CreateMode,
  options: CallOptions,
): Creation {
  const endpoint: Endpoint<{ handle: string }, InvoiceDraft, Invoice> =
    handle === undefined ? createEndpoint : createForEndpoint;
  const { correlationId } = given ?? {};
  const isOwn = correlationId === undefined;
  const draft: NamedDraft = {
    ...given!,
    correlationId: correlationId ?? connection[internals].uuid(),
  };
  let existed = false;
  const call = send(
    connection,
    endpoint,
    {
      where: { handle: handle! },
      draft,
      correlationId: draft.correlationId,
      adopts,
      isOwn,
      async resolve({ operation, attempts }, rest, since) {
        const found = await readOriginal(connection, operation, draft, rest);
        const isOurs = isOwn || (since !== undefined && isMadeSince(found, since));
        existed = !isOurs || attempts === 1; // the first attempt cannot have created it
        return acceptOriginal(
          operation,
          draft,
          found,
          (isOurs || adopts) && (found.receiverId === found.issuerId) === (handle === undefined),
        );
      },
    },
    options,
  );
  return { call, existed: () => existed };
}

/**
 * Reads the invoice that has the draft's correlationId. A read that fails throws `EXISTS_UNREAD`
 * with outcome `unknown`, never "not created".
 */
async function readOriginal(
  connection: Connection,
  operation: string | undefined,
  { correlationId }: NamedDraft,
  options: CallOptions,
): Promise<Invoice> {
  const where = { filter: equals('correlationId', correlationId), top: 100 };
  const fail: (thrown?: Partial<ErrorFacts>) => never = existsUnread(
    'an invoice has this correlationId and',
    { operation, correlationId },
  );
  const { items } = await send(
    withPriority(connection, connection[internals].priority ?? 'high'), // the caller waits for it
    listEndpoint,
    { where },
    { ...options, reason: 'find the original' },
  ).catch(fail); // also when the caller gave up: something exists
  // the filter may ignore case
  const [invoice, another] = items.filter((one) => one.correlationId === correlationId);
  return invoice && !another ? invoice : fail();
}

/** Whether the invoice was created after `since`, a time of the service. */
function isMadeSince(found: Invoice, since: number): boolean {
  return Date.parse(found.created) >= since - CLOCK_MARGIN_MS;
}

/** Returns the found invoice if it may be returned and equals the draft, else throws an error with it. */
function acceptOriginal(
  operation: string | undefined,
  draft: NamedDraft,
  found: Invoice,
  isAllowed: boolean,
): Invoice {
  const isSame =
    isAllowed &&
    isSameMoney(found.amount, draft.amount) &&
    (found.description ?? '') === (draft.description ?? '');
  if (isSame) return found;
  throw new RefusedError(
    `${operation}: another invoice has this correlationId and may still be paid; cancel it, read CANCELLED, then take a new id (DUPLICATE_INVOICE)`,
    {
      operation,
      code: 'DUPLICATE_INVOICE',
      outcome: 'unknown',
      status: 409,
      next: 'read-first',
      correlationId: draft.correlationId,
      values: { correlationId: draft.correlationId, existing: found },
    },
  );
}

export const resource: WatchedResource<'invoice', Invoice> = {
  name: 'invoice',
  events: 'invoice',
  states: invoiceStates,
  idOf: ({ invoiceId }) => invoiceId,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    list: { endpoint: listEndpoint, id: 'invoiceId' },
    shape: shapeOf(InvoiceSchema),
    page: shapeOf(InvoicePageSchema),
    bare(invoice) {
      const { transactions: _, ...bare } = invoice;
      return bare;
    },
  },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(InvoiceStateSchema, invoiceStates.transitions),
    knownTexts(TransactionStateSchema, { PENDING: true, COMPLETED: true }),
  ];
}
