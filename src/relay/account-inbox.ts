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
 * An order and the invoice that paid it. They've already been compared, so you can ship without
 * another check.
 */
export interface PaidOrder {
  /** The id that `createOrder` returned. */
  readonly orderId: string;
  /** The draft your shop passed. */
  readonly draft: InvoiceDraft;
  /** The invoice, read after it was paid. Its id, amount, currency and receiver match the order. */
  readonly invoice: Invoice;
}

/** Ship here. Runs at least once per paid order, always under the same key. */
export type PaidOrderHandler<Tx = SqlTransaction> = Handler<PaidOrder, HandlerContext<Tx>>;

/**
 * Returns why this invoice isn't the one created for the order. If the response to its creation was
 * lost, the order has no id or receiver yet, and these aren't compared. An invoice that someone
 * else created for the account never matches.
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
  /** Releases the order in the transaction that ends the event. */
  release(paid: PaidOrder, tx: Tx): void;
}

interface PaidOptions<Tx> {
  readonly orders: PaidOrders<Tx>;
  readonly orderPaid: PaidOrderHandler<Tx>;
  readonly invoicePaid: Handler<Invoice, HandlerContext<Tx>> | undefined;
  readonly report: (problem: InboxProblem) => void;
}

/**
 * Passes a paid invoice on as the order it pays, and keeps the order until its handler has
 * finished.
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
/** An operator's change is undone at most once a day. Milliseconds. */
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
 * Finds or creates the subscription for the URL, with the event types of the handlers. Does so once
 * a day, and when the draft changes. After a failure it waits for the next start, because the event
 * feed is read anyway.
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

/** Handlers of an inbox, and one for the relay's orders. */
export type AccountHandlers<Tx = SqlTransaction> = Handlers<Tx> & {
  /**
   * Runs when an order is paid, meaning the invoice created for it was paid into this account, with
   * the order's amount and currency. Any other payment into the account is reported as the problem
   * `not-ours`. Ship here. `invoicePaid` runs before it under the same key, for any paid invoice of
   * the account.
   */
  readonly orderPaid?: PaidOrderHandler<Tx> | undefined;
};

/** The other handlers are checked by `createInbox`. */
export function checkAccountHandlers<Tx>(on: AccountHandlers<Tx> | undefined): void {
  checkArgument('on', on, 'object');
  checkArgument('on.orderPaid', on?.orderPaid, 'function');
  checkArgument('on.event', on?.event, 'object');
}

/** Options for the webhooks and handlers of an account object. */
export interface AccountInboxOptions<Tx = SqlTransaction> {
  /** A client with the API key, created for this object. */
  readonly client: Connection;
  /**
   * Secrets of the account's webhooks, newest first. Without them, your handlers rely on the event
   * feed, which lags by up to five minutes, and webhooks get a 503 response, so the service sends
   * them again.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * URL for webhooks, such as `https://shop.example/hooks/main`. If set, the subscription is found
   * or created at startup, at most once a day unless the URL, the secret or the handlers change.
   */
  readonly webhookUrl?: string | undefined;
  /** `orderPaid` for orders of the relay, and all handlers that `createInbox` accepts. */
  readonly on?: AccountHandlers<Tx> | undefined;
  /** As in `createInbox`, handles events and states without a handler in `on`. */
  readonly otherwise?: InboxOptions<Tx>['otherwise'];
  /**
   * As in `createInbox`, called with problems that no caller is waiting for, including `not-ours`.
   * Without it, problems aren't reported.
   */
  readonly onProblem?: InboxOptions<Tx>['onProblem'];
  /**
   * How long a handler may run, in milliseconds. Defaults to 300,000. If the object dies during a
   * run, the handler runs again after this time.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * How long a handler may run before it counts as slow, as in `createInbox`. In milliseconds,
   * defaults to 30,000.
   */
  readonly handlerTimeout?: number | undefined;
}

/** Creates the inbox if it's needed. Invoices come from `readInvoice`, so pages get them too. */
export function accountInbox<Tx>(
  store: InboxStore<Tx>,
  options: AccountInboxOptions<Tx>,
  orders: PaidOrders<Tx>,
  readInvoice: (invoiceId: string) => Promise<Invoice>,
): Inbox | undefined {
  const { client, otherwise, onProblem, leaseDuration, handlerTimeout } = options;
  if (options.secrets === undefined && !options.on && !otherwise) return undefined;
  const secrets = options.secrets ?? generateWebhookSecret(); // random, so no delivery is accepted
  const on = makeHandlers(options, orders);
  const read = { invoice: readInvoice };
  const times = { leaseDuration, handlerTimeout };
  return createInbox({ client, secrets, store, on, otherwise, onProblem, read, ...times });
}

/** Returns whether no handler is for an invoice without an order. */
export function shipsOrdersOnly<Tx>({ on, otherwise }: AccountInboxOptions<Tx>): boolean {
  const { orderPaid, event = {}, ...states }: AccountHandlers<Tx> = on ?? {};
  const isForInvoices = Object.keys(event).some((type) => findResource(type) === 'invoice');
  const isForStates = handlerNames('invoice').some((name) => Object.hasOwn(states, name));
  return orderPaid !== undefined && !otherwise && !isForInvoices && !isForStates;
}

/** Returns whether no handler runs for a new invoice, which is always unpaid. */
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

/** Reports problems. If the listener throws, that has no effect. */
export function makeReporter({
  onProblem,
}: Pick<AccountInboxOptions<never>, 'onProblem'>): (problem: InboxProblem) => void {
  return (problem) => isolated(() => onProblem?.(problem));
}
