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
import { eventTypesFor, handlerNames, resourceOf } from '../webhooks/reads.ts';
import type { OrderRow } from './relay-store.ts';
import { secretHash } from './tokens.ts';

/**
 * An order of the shop and the invoice that paid it, compared: it can be shipped without another
 * check.
 */
export interface PaidOrder {
  /** As `createOrder` returned it. */
  readonly orderId: string;
  /** The draft of the shop. */
  readonly draft: InvoiceDraft;
  /**
   * The invoice as read after it was paid: id, amount, currency and receiver are those of the
   * order.
   */
  readonly invoice: Invoice;
}

/** Is called for a paid order, at least once, always under the same key; the shop ships here. */
export type PaidOrderHandler<Tx = SqlTransaction> = Handler<PaidOrder, HandlerContext<Tx>>;

/**
 * Why an invoice is not the one that was made for an order. What the order does not know yet,
 * because the response to its creation was lost, is not compared; an invoice that others have made
 * for the account never fits.
 */
export function mismatchOf(
  { draft, invoiceId, receiverId }: Pick<OrderRow, 'draft' | 'invoiceId' | 'receiverId'>,
  invoice: Invoice,
): NotOurs | undefined {
  const receiver = receiverId ?? invoice.issuerId;
  if (invoiceId !== undefined && invoice.invoiceId !== invoiceId) return 'other-invoice';
  if (invoice.receiverId !== receiver || invoice.issuerId !== receiver) return 'receiver';
  return isSameMoney(invoice.amount, draft.amount) ? undefined : 'amount';
}

/** Knows which order an invoice pays, and keeps the order until it was handled. */
export interface PaidOrders<Tx> {
  paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs>;
  hold(paid: PaidOrder): void | Promise<void>;
  /** Ends that, in the transaction that ends the event. */
  release(paid: PaidOrder, tx: Tx): void;
}

/** The handling of a paid invoice. */
interface PaidOptions<Tx> {
  readonly orders: PaidOrders<Tx>;
  readonly orderPaid: PaidOrderHandler<Tx>;
  readonly invoicePaid: Handler<Invoice, HandlerContext<Tx>> | undefined;
  readonly report: (problem: InboxProblem) => void;
}

/**
 * Passes a paid invoice on as the order that it pays. The order is kept until its handler has
 * ended.
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
/** A change by an operator is not undone more often, milliseconds. */
const DAY = 86_400_000;

/** The note of it. */
interface SubscriptionNotes {
  note<T>(name: string): T | undefined | Promise<T | undefined>;
  setNote(name: string, value: object): void | Promise<void>;
}

/** The latest subscription that was ensured. */
interface Ensured {
  readonly at: number;
  /** SHA-256 of what was asked for, secret included. */
  readonly hash: string;
}

/**
 * Finds or makes one subscription for the address, for invoices and for what the handlers are for:
 * once a day, and when something of it has changed. A failure is left to the next start: the event
 * feed is read anyway.
 */
export async function keepSubscription<Tx>(
  options: AccountInboxOptions<Tx>,
  store: SubscriptionNotes,
): Promise<void> {
  const draft = draftOf(options);
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

function draftOf<Tx>({
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

/** An inbox's own handlers, and one for the orders of the relay. */
export type AccountHandlers<Tx = SqlTransaction> = Handlers<Tx> & {
  /**
   * An order was paid: by the invoice that was made for it, with the amount and currency that were
   * asked for, into this account. Everything else that is paid into the account is reported as the
   * problem `not-ours`. Ship here. `invoicePaid` is called for any paid invoice of the
   * account, under the same key and before it.
   */
  readonly orderPaid?: PaidOrderHandler<Tx> | undefined;
};

/** Checks what `createInbox` does not see; it checks the names of all others. */
export function checkAccountHandlers<Tx>(on: AccountHandlers<Tx> | undefined): void {
  checkArgument('on', on, 'object');
  checkArgument('on.orderPaid', on?.orderPaid, 'function');
  checkArgument('on.event', on?.event, 'object');
}

/** The work of an account object with webhooks. */
export interface AccountInboxOptions<Tx = SqlTransaction> {
  /** A client with the API key, made for this object. */
  readonly client: Connection;
  /**
   * Secrets of the account's webhooks, the new one first. Absent: no webhooks come, and what the
   * handlers are for is found by the event feed alone, within five minutes; a delivery is answered
   * with 503, so that it comes again.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * The address for webhooks, such as `https://shop.example/hooks/main`; given: the subscription is
   * found or made at the start, once a day at most unless address, secret or handlers change.
   */
  readonly webhookUrl?: string | undefined;
  /** `orderPaid` for orders of the relay, and the handlers that `createInbox` takes. */
  readonly on?: AccountHandlers<Tx> | undefined;
  /** As in `createInbox`: for events of types, and for states, that no handler in `on` is for. */
  readonly otherwise?: InboxOptions<Tx>['otherwise'];
  /**
   * As in `createInbox`: called with what goes wrong where no caller waits for it, `not-ours` among
   * it. Absent: nothing says so.
   */
  readonly onProblem?: InboxOptions<Tx>['onProblem'];
  /**
   * Longest run of a handler, milliseconds; 300,000. A run that was under way when the object died
   * begins again after it.
   */
  readonly leaseDuration?: number | undefined;
}

/**
 * The account object's inbox, where there is anything for it to do; invoices come from
 * `readInvoice`, so that pages get them too.
 */
export function accountInbox<Tx>(
  store: InboxStore<Tx>,
  options: AccountInboxOptions<Tx>,
  orders: PaidOrders<Tx>,
  readInvoice: (invoiceId: string) => Promise<Invoice>,
): Inbox | undefined {
  const { client, otherwise, onProblem, leaseDuration } = options;
  if (options.secrets === undefined && !options.on && !otherwise) return undefined;
  const secrets = options.secrets ?? generateWebhookSecret(); // one that no delivery is signed with
  const on = handlersOf(options, orders);
  const read = { invoice: readInvoice };
  return createInbox({ client, secrets, store, on, otherwise, onProblem, leaseDuration, read });
}

/** True if no handler is for an invoice that is no order's. */
export function shipsOrdersOnly<Tx>({ on, otherwise }: AccountInboxOptions<Tx>): boolean {
  const { orderPaid, event = {}, ...states }: AccountHandlers<Tx> = on ?? {};
  const isForInvoices = Object.keys(event).some((type) => resourceOf(type) === 'invoice');
  const isForStates = handlerNames('invoice').some((name) => Object.hasOwn(states, name));
  return orderPaid !== undefined && !otherwise && !isForInvoices && !isForStates;
}

/** True if nothing is to be done when an invoice is made: it is always made unpaid. */
export function ignoresCreations<Tx>(options: AccountInboxOptions<Tx>): boolean {
  const { otherwise } = options;
  const on: AccountHandlers<Tx> = options.on ?? {};
  const { event = {} } = on;
  return !otherwise && !Object.hasOwn(on, 'invoiceUnpaid') && !Object.hasOwn(event, CREATED);
}

/** True if an event only says that an invoice was made. */
export function isCreation({ kind, body }: ReceivedEvent): boolean {
  return kind === 'event' && readEvent(body)?.eventType === CREATED;
}

function handlersOf<Tx>(options: AccountInboxOptions<Tx>, orders: PaidOrders<Tx>): Handlers<Tx> {
  const given: AccountHandlers<Tx> = options.on ?? {};
  const { orderPaid, ...rest } = given;
  const on = rest as Handlers<Tx>;
  if (!orderPaid) return on;
  const { invoicePaid } = on as { invoicePaid?: Handler<Invoice, HandlerContext<Tx>> };
  const report = reporterOf(options);
  return { ...on, invoicePaid: orderHandler<Tx>({ orders, orderPaid, invoicePaid, report }) };
}

/** Reports problems; what the listener throws fails nothing. */
export function reporterOf({
  onProblem,
}: Pick<AccountInboxOptions<never>, 'onProblem'>): (problem: InboxProblem) => void {
  return (problem) => isolated(() => onProblem?.(problem));
}
