import { checkArgument } from '../core/errors/index.ts';
import { type Connection, internals } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import { isSameMoney } from '../money/index.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices.ts';
import { ensureSubscription } from '../resources/subscriptions.ensure.ts';
import type { SubscriptionDraft } from '../resources/subscriptions.ts';
import type { InboxStore, ReceivedEvent, SqlTransaction } from '../stores/index.ts';
import { readEvent, generateWebhookSecret } from '../webhooks/verify.ts';
import {
  type Handler,
  type HandlerContext,
  type Handlers,
  type Inbox,
  type InboxOptions,
  type InboxProblem,
  type NotOurs,
  createInbox,
} from '../webhooks/index.ts';
import { eventTypesFor, handlerNames, findResource } from '../webhooks/reads.ts';
import type { OrderRow } from './relay-store.ts';
import { secretHash } from './tokens.ts';

/**
 * An order and the invoice that paid it. The two have already been compared, so you can ship
 * without any further checks.
 */
export interface PaidOrder {
  /** The id returned by `createOrder`. */
  readonly orderId: string;
  /** The draft that your shop passed to `createOrder`. */
  readonly draft: InvoiceDraft;
  /** The invoice, read after it was paid. Its id, amount, currency and receiver match the order. */
  readonly invoice: Invoice;
}

/**
 * Handles a paid order, for example by shipping it. Runs at least once per paid order, always with
 * the same key.
 */
export type PaidOrderHandler<Tx = SqlTransaction> = Handler<PaidOrder, HandlerContext<Tx>>;

/**
 * Returns why an invoice isn't the one created for the order. If the response to the create request
 * was lost, the order has no invoice id or receiver yet, so these two aren't compared. An invoice
 * issued by another account never matches.
 */
export function findMismatch(
  { draft, invoiceId, receiverId }: Pick<OrderRow, 'draft' | 'invoiceId' | 'receiverId'>,
  invoice: Invoice,
): NotOurs | undefined {
  const receiver = receiverId ?? invoice.issuerId;
  if (invoiceId !== undefined && invoice.invoiceId !== invoiceId) return 'other-invoice';
  if (invoice.receiverId !== receiver || invoice.issuerId !== receiver) return 'receiver';
  return isSameMoney(invoice.amount, draft.amount) ? undefined : 'amount';
}

export interface PaidOrders<Tx> {
  paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs>;
  hold(paid: PaidOrder): void | Promise<void>;
  /** Releases the order in the transaction that completes the event. */
  release(paid: PaidOrder, tx: Tx): void;
}

interface PaidOptions<Tx> {
  readonly orders: PaidOrders<Tx>;
  readonly orderPaid: PaidOrderHandler<Tx>;
  readonly invoicePaid: Handler<Invoice, HandlerContext<Tx>> | undefined;
  readonly report: (problem: InboxProblem) => void;
}

/**
 * Creates a handler that receives the order that a paid invoice belongs to. The order is kept until
 * the handler has finished.
 */
function orderHandler<Tx>({
  orders,
  orderPaid,
  invoicePaid,
  report,
}: PaidOptions<Tx>): Handler<Invoice, HandlerContext<Tx>> {
  return async (invoice, context) => {
    await invoicePaid?.(invoice, context);
    const paid = await orders.paidBy(invoice);
    if (typeof paid === 'string')
      return report({ kind: 'not-ours', invoiceId: invoice.invoiceId, reason: paid });
    await orders.hold(paid);
    await orderPaid(paid, context);
    context.tx((tx) => orders.release(paid, tx));
  };
}

const NOTE = 'subscription';
/**
 * How long to wait before restoring the webhook subscription again after an operator has changed
 * it, in milliseconds.
 */
const DAY = 86_400_000;

interface SubscriptionNotes {
  note<T>(name: string): T | undefined | Promise<T | undefined>;
  setNote(name: string, value: object): void | Promise<void>;
}

interface Ensured {
  readonly at: number;
  readonly hash: string;
}

/**
 * Finds or creates the webhook subscription for the URL, with the event types of the handlers. Runs
 * once a day, and whenever the draft changes. After a failure, the next start tries again. Until
 * then, events come from the event feed.
 */
export async function keepSubscription<Tx>(
  options: AccountInboxOptions<Tx>,
  store: SubscriptionNotes,
): Promise<void> {
  const draft = makeDraft(options);
  if (!draft) return;
  const { client } = options;
  const { clock } = client[internals];
  const hash = await secretHash(JSON.stringify(draft), clock);
  const before = await store.note<Ensured>(NOTE);
  if (before?.hash === hash && clock.now() < before.at + DAY) return;
  try {
    await ensureSubscription(client, draft);
    await store.setNote(NOTE, { at: clock.now(), hash } satisfies Ensured);
  } catch {
    // the next start tries again
  }
}

function makeDraft<Tx>({
  webhookUrl,
  secrets,
  on: given,
}: AccountInboxOptions<Tx>): SubscriptionDraft | undefined {
  const on: AccountHandlers<Tx> = given ?? {};
  const [secret] = [secrets].flat();
  if (webhookUrl === undefined || secret === undefined) return undefined;
  const types = ['invoice.created', 'invoice.updated', ...eventTypesFor(on, on.event)];
  return {
    webhookUrl,
    webhookVersion: 'v1',
    secret,
    enabled: true,
    eventTypes: [...new Set(types)],
  };
}

const CREATED = 'invoice.created';

/** The inbox handlers, plus a handler for the relay's orders. */
export type AccountHandlers<Tx = SqlTransaction> = Handlers<Tx> & {
  /**
   * Runs when an order is paid. This means that the invoice created for the order was paid into
   * this account, in the order's amount and currency. Any other payment into the account is
   * reported as a `not-ours` problem. Ship the order here. `invoicePaid` runs before it under the
   * same key, for any paid invoice in the account.
   */
  readonly orderPaid?: PaidOrderHandler<Tx> | undefined;
};

/** Checks the handlers for orders and events. `createInbox` checks the other handlers. */
export function checkAccountHandlers<Tx>(on: AccountHandlers<Tx> | undefined): void {
  checkArgument('on', on, 'object');
  checkArgument('on.orderPaid', on?.orderPaid, 'function');
  checkArgument('on.event', on?.event, 'object');
}

/** Options for the webhooks and handlers of an account object. */
export interface AccountInboxOptions<Tx = SqlTransaction> {
  /** A client with the API key. Use a separate client for each account object. */
  readonly client: Connection;
  /**
   * The secrets of the account's webhooks, newest first. Without them, your handlers rely on the
   * event feed, which lags by up to five minutes. Webhook deliveries then get a 503 response, so
   * the service sends them again.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * The URL for webhooks, such as `https://shop.example/hooks/main`. If set, the webhook
   * subscription is found or created at startup. That happens at most once a day, unless the URL,
   * the secret or the handlers change.
   */
  readonly webhookUrl?: string | undefined;
  /** An `orderPaid` handler for the relay's orders, and all handlers that `createInbox` accepts. */
  readonly on?: AccountHandlers<Tx> | undefined;
  /** Handles events and states without a handler in `on`, as in `createInbox`. */
  readonly otherwise?: InboxOptions<Tx>['otherwise'];
  /**
   * Called with problems that no caller is waiting for, as in `createInbox`. `not-ours` is one of
   * them. If absent, problems aren't reported.
   */
  readonly onProblem?: InboxOptions<Tx>['onProblem'];
  /**
   * How long a handler may run, in milliseconds. Defaults to 300,000. If the object crashes during
   * a run, the handler runs again after this time.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * How long a handler may run before it's reported as slow, as in `createInbox`. The value is in
   * milliseconds and defaults to 30,000.
   */
  readonly handlerTimeout?: number | undefined;
}

/**
 * Creates the inbox if any option requires it. Invoices are read with `readInvoice`, so that pages
 * receive them too.
 */
export function accountInbox<Tx>(
  store: InboxStore<Tx>,
  options: AccountInboxOptions<Tx>,
  orders: PaidOrders<Tx>,
  readInvoice: (invoiceId: string) => Promise<Invoice>,
): Inbox | undefined {
  const { client, otherwise, onProblem, leaseDuration, handlerTimeout } = options;
  if (options.secrets === undefined && !options.on && !otherwise) return undefined;
  // with a random secret, no delivery is accepted
  const secrets = options.secrets ?? generateWebhookSecret();
  const on = makeHandlers(options, orders);
  const read = { invoice: readInvoice };
  const times = { leaseDuration, handlerTimeout };
  return createInbox({ client, secrets, store, on, otherwise, onProblem, read, ...times });
}

/** Returns whether the handlers only handle invoices that belong to orders. */
export function shipsOrdersOnly<Tx>({ on, otherwise }: AccountInboxOptions<Tx>): boolean {
  const { orderPaid, event = {}, ...states }: AccountHandlers<Tx> = on ?? {};
  const isForInvoices = Object.keys(event).some((type) => findResource(type) === 'invoice');
  const isForStates = handlerNames('invoice').some((name) => Object.hasOwn(states, name));
  return orderPaid !== undefined && !otherwise && !isForInvoices && !isForStates;
}

/** Returns true if no handler runs for a new invoice, which is always unpaid. */
export function ignoresCreations<Tx>(options: AccountInboxOptions<Tx>): boolean {
  const { otherwise } = options;
  const on: AccountHandlers<Tx> = options.on ?? {};
  const { event = {} } = on;
  return !otherwise && !Object.hasOwn(on, 'invoiceUnpaid') && !Object.hasOwn(event, CREATED);
}

export function isCreation({ kind, body }: ReceivedEvent): boolean {
  return kind === 'event' && readEvent(body)?.eventType === CREATED;
}

function makeHandlers<Tx>(options: AccountInboxOptions<Tx>, orders: PaidOrders<Tx>): Handlers<Tx> {
  const given: AccountHandlers<Tx> = options.on ?? {};
  const { orderPaid, ...rest } = given;
  const on = rest as Handlers<Tx>;
  if (!orderPaid) return on;
  const { invoicePaid } = on as { invoicePaid?: Handler<Invoice, HandlerContext<Tx>> };
  const report = makeReporter(options);
  return { ...on, invoicePaid: orderHandler<Tx>({ orders, orderPaid, invoicePaid, report }) };
}

/** Creates a function that reports problems. Errors thrown by `onProblem` are ignored. */
export function makeReporter({
  onProblem,
}: Pick<AccountInboxOptions<never>, 'onProblem'>): (problem: InboxProblem) => void {
  return (problem) => isolated(() => onProblem?.(problem));
}
