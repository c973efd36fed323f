import type { Connection } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import type { Invoice } from '../resources/invoices.ts';
import type { InboxStore, ReceivedEvent, SqlTransaction } from '../stores/index.ts';
import { readEvent } from '../webhooks/event.ts';
import {
  createInbox,
  type Handlers,
  type Inbox,
  type InboxOptions,
  type InboxProblem,
} from '../webhooks/index.ts';
import { handlerNames, resourceOf } from '../webhooks/resources.ts';
import { generateWebhookSecret } from '../webhooks/secret.ts';
import { orderHandler, type PaidOrderHandler, type PaidOrders } from './paid-order.ts';

const CREATED = 'invoice.created';

/** An inbox's own handlers, and one for the orders of the relay. */
export type AccountHandlers = Handlers<SqlTransaction> & {
  /**
   * An order was paid: by the invoice that was made for it, with the amount and currency that were
   * asked for, into this account. Everything else that is paid into the account is reported as the
   * problem `not-ours`. Ship here. `invoicePaid` beside it is called for any paid invoice of the
   * account, under the same key and before it.
   */
  readonly orderPaid?: PaidOrderHandler | undefined;
};

/** What an account object does with webhooks. */
export interface AccountInboxOptions {
  /** A client with the API key, made for this object. */
  readonly client: Connection;
  /**
   * Secrets of the account's webhooks, the new one first. Absent: no webhooks come, and what the
   * handlers are for is found by the event feed alone, within five minutes; a delivery is answered
   * with 503, so that it comes again.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * Where webhooks come in, such as `https://shop.example/hooks/main`; given: the subscription is
   * found or made at the start, once a day at most unless address, secret or handlers change.
   */
  readonly webhookUrl?: string | undefined;
  /** `orderPaid` for orders of the relay, and the handlers that `createInbox` takes. */
  readonly on?: AccountHandlers | undefined;
  /** As in `createInbox`: for events of types, and for states, that no handler in `on` is for. */
  readonly otherwise?: InboxOptions<SqlTransaction>['otherwise'];
  /**
   * As in `createInbox`: called with what goes wrong where no caller waits for it, `not-ours` among
   * it. Absent: nothing says so.
   */
  readonly onProblem?: InboxOptions<SqlTransaction>['onProblem'];
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
export function accountInbox(
  store: InboxStore<SqlTransaction>,
  options: AccountInboxOptions,
  orders: PaidOrders,
  readInvoice: (invoiceId: string) => Promise<Invoice>,
): Inbox | undefined {
  const { client, otherwise, onProblem, leaseDuration } = options;
  if (options.secrets === undefined && !options.on && !otherwise) return undefined;
  const secrets = options.secrets ?? generateWebhookSecret(); // one that no delivery is signed with
  const on = handlersOf(options, orders);
  const read = { invoice: readInvoice };
  return createInbox({ client, secrets, store, on, otherwise, onProblem, leaseDuration, read });
}

/** Whether no handler is for an invoice that is no order's. */
export function shipsOrdersOnly({ on = {}, otherwise }: AccountInboxOptions): boolean {
  const { orderPaid, event = {}, ...states } = on;
  const isForInvoices = Object.keys(event).some((type) => resourceOf(type) === 'invoice');
  const isForStates = handlerNames('invoice').some((name) => Object.hasOwn(states, name));
  return orderPaid !== undefined && !otherwise && !isForInvoices && !isForStates;
}

/** Whether nothing is to be done when an invoice is made: it is always made unpaid. */
export function ignoresCreations({ on = {}, otherwise }: AccountInboxOptions): boolean {
  const { event = {} } = on;
  return !otherwise && !Object.hasOwn(on, 'invoiceUnpaid') && !Object.hasOwn(event, CREATED);
}

/** Whether an event only says that an invoice was made. */
export function isCreation({ kind, body }: ReceivedEvent): boolean {
  return kind === 'event' && readEvent(body)?.eventType === CREATED;
}

function handlersOf(options: AccountInboxOptions, orders: PaidOrders): Handlers<SqlTransaction> {
  const { orderPaid, ...on } = options.on ?? {};
  if (!orderPaid) return on;
  const { invoicePaid } = on;
  const report = reporterOf(options);
  return { ...on, invoicePaid: orderHandler({ orders, orderPaid, invoicePaid, report }) };
}

/** Reports problems; what the listener throws fails nothing. */
export function reporterOf({
  onProblem,
}: Pick<AccountInboxOptions, 'onProblem'>): (problem: InboxProblem) => void {
  return (problem) => isolated(() => onProblem?.(problem));
}
