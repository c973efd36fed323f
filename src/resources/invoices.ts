// Invoices, which request an amount from a payer.
import {
  badInput,
  checkArgument,
  checkOptions,
  type ErrorFacts,
  type Expected,
  type Id,
  type Open,
  RefusedError,
} from '../core/errors/index.ts';
import {
  type Call,
  CALL_OPTIONS,
  callBy,
  type CallOptions,
  canBeText,
  type Connection,
  type Endpoint,
  internals,
  isRounded,
  readEndpoint,
  send,
  withPriority,
} from '../core/http/index.ts';
import {
  buildCondition,
  checkFilter,
  type Condition,
  createdIn,
  equals,
  type List,
  LIST_QUERY,
  makeList,
  type ListOptions,
  type ListQuery,
  type OrderedTimeField,
  type Page,
  type TextField,
  textField,
  timeField,
} from '../core/lists/index.ts';
import { parseMillis } from '../core/time.ts';
import type { Money } from '../money/index.ts';
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
import { knownTexts, makeAnswer, makeShape, makeDraftShape, isPlain } from './wire.ts';
import { confirmMoved, existsUnread } from './lost-responses.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Invoice id. */
export type InvoiceId = Id<'invoice'>;

/** A request for payment of an amount. An invoice is paid once, through one of its quotes. */
export interface Invoice {
  /** The invoice's id. */
  readonly invoiceId: string;
  /** Amount that the receiver gets. */
  readonly amount: Money;
  /** The invoice's state. */
  readonly state: Open<InvoiceState>;
  /**
   * When the invoice was created, as an ISO 8601 date-time with offset and up to seven fractional
   * digits.
   */
  readonly created: string;
  /** Your own id for the invoice, with at most 40 characters. It's unique within the account. */
  readonly correlationId?: string | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** Id of the account that created the invoice. */
  readonly issuerId: string;
  /** Id of the account that the invoice credits. */
  readonly receiverId: string;
  /** Id of the payer, if only one account may pay the invoice. */
  readonly payerId?: string | undefined;
  /** Payments toward the invoice. Only present if you set `includeTransactions`. */
  readonly transactions?: readonly InvoiceTransaction[] | undefined;
}

/** A payment toward an invoice. */
export interface InvoiceTransaction {
  /** The transaction's id. */
  readonly transactionId: string;
  /** The payment's state. */
  readonly state: Open<'PENDING' | 'COMPLETED'>;
  /** Amount received. */
  readonly amountReceived: Money;
  /** When the payment was detected, as an ISO 8601 date-time. */
  readonly created?: string | undefined;
  /** When the payment completed, as an ISO 8601 date-time. */
  readonly completed?: string | undefined;
}

/** Input for creating an invoice. */
export interface InvoiceDraft extends Extendable {
  /** Amount that the receiver gets. */
  readonly amount: Money;
  /**
   * Your own id for the invoice, with at most 40 characters. If it's absent, the SDK generates one,
   * so a lost response never leads to a second invoice.
   */
  readonly correlationId?: string | undefined;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
}

/**
 * An offer to pay an invoice at a fixed exchange rate, valid for a short time. It contains a BOLT11
 * invoice.
 */
export interface InvoiceQuote {
  /** The quote's id. */
  readonly quoteId: string;
  /** Description shown to the payer. */
  readonly description?: string | undefined;
  /** BOLT11 invoice to pay. */
  readonly lnInvoice: string;
  /**
   * On-chain address of the invoice. Don't show it to payers, because it never expires and the
   * exchange rate isn't fixed.
   */
  readonly onchainAddress?: string | undefined;
  /** When the quote expires, as an ISO 8601 date-time. */
  readonly expiration: string;
  /** Seconds from the response until the quote expires. */
  readonly expirationInSec: number;
  /** Amount that is credited to the receiver. */
  readonly targetAmount: Money;
  /** Amount that the payer sends. */
  readonly sourceAmount: Money;
  /** Exchange rate between the sent and the credited amount. */
  readonly conversionRate: QuotedRate;
}

/** Options for creating an invoice quote. */
export interface InvoiceQuoteDraft extends Extendable {
  /** Hash that replaces the description in the BOLT11 invoice, as 64 hex digits. */
  readonly descriptionHash?: string | undefined;
}

/** Filter for invoices. All conditions must match. */
export interface InvoiceFilter {
  /** Selects invoices in this state. */
  readonly state?: Open<InvoiceState> | undefined;
  /** Selects the invoice with this correlationId. */
  readonly correlationId?: string | undefined;
  /** Selects invoices created after this time, given as a `Date` or an ISO 8601 date-time. */
  readonly createdAfter?: string | Date | undefined;
  /** Selects invoices created before this time, given as a `Date` or an ISO 8601 date-time. */
  readonly createdBefore?: string | Date | undefined;
}

const INVOICE_FILTER: Expected<InvoiceFilter> = {
  state: 'string',
  correlationId: 'string',
  createdAfter: 'any',
  createdBefore: 'any',
};

/** A known invoice state. The service may add more. */
export type InvoiceState = 'UNPAID' | 'PENDING' | 'CANCELLED' | 'PAID' | 'REVERSED';

/**
 * State machine for invoices. Only an invoice's quotes expire, not the invoice itself. A CANCELLED
 * invoice can become PAID if the payer paid while it was being cancelled.
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

/** Fields that you can filter invoices by. */
export interface InvoiceFields {
  /** The invoice's id. */
  readonly invoiceId: TextField<'invoice', InvoiceId>;
  /** The invoice's state. */
  readonly state: TextField<'invoice', Open<InvoiceState>>;
  /** Your own id for the invoice. */
  readonly correlationId: TextField<'invoice', string>;
  /** Currency of the invoice's amount. */
  readonly currency: TextField<'invoice', Open<CurrencyCode>>;
  /** Id of the account that created the invoice. */
  readonly issuerId: TextField<'invoice', string>;
  /** Id of the account that the invoice credits. */
  readonly receiverId: TextField<'invoice', string>;
  /** Id of the payer, if only one account may pay the invoice. */
  readonly payerId: TextField<'invoice', string>;
  /** When the invoice was created. */
  readonly created: OrderedTimeField<'invoice'>;
}

/**
 * Builds a condition for `client.invoices.list` without sending a request. Values are escaped, so
 * they can contain any characters.
 *
 * @param build a function that takes the fields and returns the condition
 * @throws InputError for an invalid date
 *
 * @example
 * const late = whereInvoice((f) =>
 *   f.created.lt('2026-03-04T09:15:00Z').and(f.state.eq('UNPAID').or(f.state.eq('PENDING'))),
 * );
 * for await (const invoice of client.invoices.list(late)) console.log(invoice.invoiceId);
 */
export function whereInvoice(
  build: (fields: InvoiceFields) => Condition<'invoice'>,
): Condition<'invoice'> {
  return buildCondition<'invoice', InvoiceFields>(build, {
    invoiceId: textField('invoiceId'),
    state: textField('state'),
    correlationId: textField('correlationId'),
    currency: textField('currency', ({ amount }: Invoice) => amount.currency),
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
  input: makeDraftShape(InvoiceDraftSchema),
  output: makeAnswer(InvoiceSchema),
  agrees: {
    exact: { correlationId: 'correlationId' },
    text: { description: 'description' },
    amount: { amount: 'amount' },
  },
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId' },
};

/** POST /v1/invoices/handle/{handle} @source public */
export const createForEndpoint: Endpoint<{ handle: string }, InvoiceDraft, Invoice> = Object.assign(
  {},
  createEndpoint,
  {
    operation: 'invoices.createFor',
    path: '/v1/invoices/handle/{handle}',
    scope: 'partner.invoice.create-for-receiver',
  },
);

/** GET /v1/invoices/{invoiceId} @source documented */
export const getEndpoint: Endpoint<
  { invoiceId: InvoiceId; includeTransactions?: true | undefined },
  void,
  Invoice
> = readEndpoint({
  operation: 'invoices.get',
  path: '/v1/invoices/{invoiceId}',
  scope: 'partner.invoice.read',
  output: makeAnswer(InvoiceSchema),
  query: { includeTransactions: 'includeTransactions' },
  echo: { invoiceId: 'invoiceId' },
});

/** GET /v1/invoices @source documented */
export const listEndpoint: Endpoint<ListQuery, void, Page<Invoice>> = readEndpoint({
  operation: 'invoices.list',
  path: '/v1/invoices',
  scope: 'partner.invoice.read',
  priority: 'low',
  output: makeAnswer(InvoicePageSchema),
  query: LIST_QUERY,
});

/** PATCH /v1/invoices/{invoiceId}/cancel @source documented */
export const cancelEndpoint: Endpoint<{ invoiceId: InvoiceId }, void, Invoice> = {
  operation: 'invoices.cancel',
  method: 'PATCH',
  path: '/v1/invoices/{invoiceId}/cancel',
  scope: 'partner.invoice.cancel',
  bucket: 'others',
  idempotency: 'same-request',
  statuses: [200],
  output: makeAnswer(InvoiceSchema),
  echo: { invoiceId: 'invoiceId' },
  original: { code: 'INVALID_STATE_FOR_INVOICE_CANCELLED', id: 'invoiceId' },
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
  input: makeDraftShape(InvoiceQuoteDraftSchema),
  output: makeAnswer(InvoiceQuoteSchema),
};

/**
 * Creates an invoice. If `draft.correlationId` is absent, the SDK generates one. After a lost
 * response, the SDK repeats the request with the same correlationId, so it never creates a second
 * invoice. If another call has already created an invoice with this correlationId, the call rejects
 * with `outcome: 'unknown'`. Resolves to the invoice with its correlationId. `POST /v1/invoices`
 * (documented).
 *
 * @throws InputError for a bad field · RefusedError `DUPLICATE_INVOICE` with `values.existing` ·
 * UnreachableError with `outcome: 'unknown'` and `correlationId` if there was no response
 *
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
 * Creates an invoice that credits another account, identified by its handle. Otherwise, it works
 * like `create`. Resolves to the invoice, with your account as `issuerId` and the credited account
 * as `receiverId`. `POST /v1/invoices/handle/{handle}` (public).
 *
 * If the outcome of a call remains unknown, call `ensure(draft, { handle })` to resolve it. You can
 * do that in another process.
 *
 * @param handle public handle of the account to credit
 * @throws RefusedError `NOT_FOUND` for an unknown or private handle, `INVALID_RECIPIENT`,
 * `USER_CURRENCY_UNAVAILABLE` · the errors of `create`
 *
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
  return callBy(() => {
    // Without a handle, the invoice would credit your own account.
    checkArgument('handle', handle, 'string!');
    return createOnce(connection, draft, { handle }, options).call;
  });
}

/**
 * Creates an invoice, or returns the existing invoice with the same `correlationId`, amount and
 * description. Resolves to the current invoice and whether it already existed. Check the invoice's
 * state before you show it. `POST /v1/invoices`, `GET /v1/invoices` (documented).
 *
 * @param options `handle` is the public handle of the account to credit, as in `createFor`. The
 * service doesn't return the handle, so compare `receiverId` if you may have used the
 * `correlationId` with other handles
 * @throws InputError if `correlationId` is missing · RefusedError `DUPLICATE_INVOICE` if the
 * existing invoice differs
 *
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
  checkOptions(options, ENSURE_OPTIONS);
  const { handle, ...rest } = options;
  const named = { handle, adopts: true };
  const { call, existed } = createOnce(connection, draft, named, rest);
  return { invoice: await call, existed: existed() };
}

const ENSURE_OPTIONS: Expected<CallOptions & { readonly handle?: string | undefined }> =
  /* @__PURE__ */ Object.assign({ handle: 'string' } as const, CALL_OPTIONS);

/**
 * Reads one invoice. `GET /v1/invoices/{invoiceId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.invoices.get(invoice.invoiceId);
 */
export function get(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions & { readonly includeTransactions?: boolean | undefined } = {},
): Call<Invoice> {
  return callBy(() => {
    checkOptions(options, GET_OPTIONS);
    const { includeTransactions: isWanted, ...call } = options;
    const where = { invoiceId, includeTransactions: isWanted || undefined };
    return send(connection, getEndpoint, { where }, call);
  });
}

const GET_OPTIONS: Expected<Parameters<typeof get>[2] & {}> = /* @__PURE__ */ Object.assign(
  { includeTransactions: 'boolean' } as const,
  CALL_OPTIONS,
);

/**
 * Lists invoices, oldest first. Each invoice appears exactly once, even if others are added or
 * removed meanwhile. No request is sent until you read the list. Use `whereInvoice` to filter by
 * other fields. `GET /v1/invoices` (documented).
 *
 * @throws InputError for an invalid date
 *
 * @example
 * for await (const invoice of client.invoices.list({ state: 'UNPAID' }))
 *   console.log(invoice.invoiceId);
 */
export function list(
  connection: Connection,
  filter: InvoiceFilter | Condition<'invoice'> = {},
  options: ListOptions = {},
): List<Invoice> {
  const condition = checkFilter(filter, INVOICE_FILTER);
  const { state, correlationId } = filter as InvoiceFilter;
  const terms = [
    condition,
    equals('state', state),
    equals('correlationId', correlationId),
    createdIn(filter as InvoiceFilter),
  ];
  return makeList(connection, listEndpoint, (invoice) => invoice.invoiceId, terms, options);
}

/**
 * Cancels an unpaid invoice. Resolves to the CANCELLED invoice. If the response was lost, the SDK
 * reads the invoice. `PATCH /v1/invoices/{invoiceId}/cancel` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID` if the invoice is already paid,
 * `PROCESSING_PAYMENT` while a payment is in progress
 *
 * @example
 * const cancelled = await client.invoices.cancel(invoice.invoiceId);
 */
export function cancel(
  connection: Connection,
  invoiceId: InvoiceId,
  options: CallOptions = {},
): Call<Invoice> {
  const resolve = confirmMoved(
    (rest) => get(connection, invoiceId, rest),
    ({ state }) => state !== 'UNPAID' && state !== 'PENDING',
  );
  return send(connection, cancelEndpoint, { where: { invoiceId }, resolve }, options);
}

/**
 * Creates a quote for paying the invoice, which contains a BOLT11 invoice with an amount, an
 * exchange rate and an expiry. Resolves to the quote. Use `expirationInSec` to compute how long
 * it's valid, because your clock may be wrong. `POST /v1/invoices/{invoiceId}/quote` (documented).
 *
 * @throws RefusedError `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`
 *
 * @example
 * const { lnInvoice, expirationInSec } = await client.invoices.quote(invoice.invoiceId);
 */
export function quote(
  connection: Connection,
  invoiceId: InvoiceId,
  draft: InvoiceQuoteDraft = {},
  options: CallOptions = {},
): Call<InvoiceQuote> {
  const { input: _, ...bare } = quoteEndpoint; // without a hash, the request has no body
  const isEmpty = isPlain(draft) && Object.values(draft).every((member) => member === undefined);
  return isEmpty
    ? send(connection, bare, { where: { invoiceId } }, options)
    : send(connection, quoteEndpoint, { where: { invoiceId }, draft }, options);
}

/** Maximum difference between the service's clock and the local clock. */
const CLOCK_MARGIN_MS = 120_000;

/** A draft whose correlationId is set. */
type NamedDraft = InvoiceDraft & { readonly correlationId: string };

interface Creation {
  readonly call: Call<Invoice>;
  /** Returns whether the invoice existed before this call. Only valid after the call has ended. */
  readonly existed: () => boolean;
}

/**
 * Creates an invoice with the draft's correlationId, or with a generated one. If an invoice with
 * this correlationId already exists, reads it and compares it with the draft. Returns the existing
 * invoice if this call may have created it, either because it generated the correlationId or
 * because an earlier response was lost. If `adopts` is set, returns any existing invoice that
 * matches the draft.
 */
function createOnce(
  connection: Connection,
  given: InvoiceDraft | undefined,
  { handle, adopts = false }: { readonly handle?: string | undefined; readonly adopts?: boolean },
  options: CallOptions,
): Creation {
  const endpoint: Endpoint<{ handle: string }, InvoiceDraft, Invoice> =
    handle === undefined ? createEndpoint : createForEndpoint;
  const { correlationId } = given ?? {};
  const isOwn = correlationId === undefined;
  const draft: NamedDraft = {
    ...given!,
    correlationId: isOwn ? connection?.[internals]?.uuid() : correlationId,
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
        const isLater =
          since !== undefined && (parseMillis(found.created) ?? NaN) >= since - CLOCK_MARGIN_MS;
        const isOurs = isOwn || isLater;
        existed = !isOurs || attempts === 1; // the first attempt can't have created the invoice
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
 * Reads the invoice with the draft's correlationId. If the read fails, throws `EXISTS_UNREAD` with
 * an `unknown` outcome, because the invoice may exist.
 */
async function readOriginal(
  connection: Connection,
  operation: string | undefined,
  { correlationId }: NamedDraft,
  options: CallOptions,
): Promise<Invoice> {
  const where = { filter: equals('correlationId', correlationId), top: 100 };
  const fail: (thrown?: Partial<ErrorFacts>) => never = existsUnread(
    'the invoice with this correlationId',
    { operation, correlationId },
  );
  const { items } = await send(
    withPriority(connection, connection[internals].priority ?? 'high'), // the caller is waiting
    listEndpoint,
    { where },
    { ...options, reason: 'find the original' },
  ).catch(fail); // reports that the invoice exists, even if the caller has aborted
  // The service may compare the correlationId case-insensitively.
  const [invoice, another = items.unreadable] = items.filter(
    (one) => one.correlationId === correlationId,
  );
  return invoice && !another ? invoice : fail();
}

/**
 * Returns the existing invoice if `isAllowed` is set and its amount and description match the
 * draft. Otherwise throws an error that includes the invoice.
 */
function acceptOriginal(
  operation: string | undefined,
  draft: NamedDraft,
  found: Invoice,
  isAllowed: boolean,
): Invoice {
  const isSame =
    isAllowed &&
    isRounded(draft.amount, found.amount) &&
    canBeText(draft.description ?? '', found.description ?? '');
  if (isSame) return found;
  throw new RefusedError(
    `${operation}: another invoice has this correlationId and may still be paid; cancel it, wait for CANCELLED, then use a new id (DUPLICATE_INVOICE)`,
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
    shape: makeShape(InvoiceSchema),
    page: makeShape(InvoicePageSchema),
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
