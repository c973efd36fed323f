import type { Connection } from '../core/http/index.ts';
import type { SqlStorage } from '../core/platform/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { ensureSubscription } from '../resources/subscriptions/ensure.ts';
import type { InboxStore } from '../stores/index.ts';
import {
  createInbox,
  type Handlers,
  type Inbox,
  type InboxOptions,
  type HandledResource,
  type InboxProblem,
} from '../webhooks/index.ts';
import { orderHandler, type PaidOrderHandler, type PaidOrders } from './paid-order.ts';

/** What to do when something is so: an inbox's own handlers, and one for the orders of the relay. */
export type AccountHandlers = Handlers<SqlStorage> & {
  /**
   * An order was paid: by the invoice that was made for it, with the amount and currency that were asked for, into this
   * account. Everything else that is paid into the account is told as trouble, `not-ours`. Ship here. `invoicePaid` beside it
   * hears of any paid invoice of the account, under the same key and before it.
   */
  readonly orderPaid?: PaidOrderHandler | undefined;
};

/** What an account's feed does with webhooks. */
export interface AccountInboxOptions {
  /** A client with the API key, made for this object. */
  readonly client: Connection;
  /** Secrets of the account's webhooks, the new one first; absent: no webhooks come, the service is only asked. */
  readonly secrets?: string | readonly string[] | undefined;
  /** Where webhooks come in, such as `https://shop.example/hooks/main`; given: the subscription is found or made at the start. */
  readonly webhookUrl?: string | undefined;
  /** What to do when something is so: `orderPaid` for orders of the relay, and what `createInbox` takes. */
  readonly on?: AccountHandlers | undefined;
  readonly otherwise?: InboxOptions<SqlStorage>['otherwise'];
  readonly onProblem?: InboxOptions<SqlStorage>['onProblem'];
  /** Longest run of a handler, milliseconds; 300,000. What was under way when the object died begins again after it. */
  readonly leaseDuration?: number | undefined;
}

/** The feed's inbox; what it reads comes from `fresh`, so that pages hear of it too. */
export function inboxIn(
  store: InboxStore<SqlStorage>,
  parts: AccountInboxOptions,
  orders: PaidOrders,
  fresh: (invoiceId: string) => Promise<Invoice>,
): Inbox | undefined {
  const { client, secrets, otherwise, onProblem: onTrouble, leaseDuration: claimFor } = parts;
  if (secrets === undefined) return undefined;
  const look = (_noun: HandledResource, id: string): Promise<Invoice> => fresh(id);
  return createInbox({
    client,
    secrets,
    store,
    on: handlersOf(parts, orders),
    otherwise,
    onProblem: onTrouble,
    leaseDuration: claimFor,
    read: look,
  });
}

function handlersOf(
  { on: { orderPaid, ...on } = {}, onProblem: onTrouble }: AccountInboxOptions,
  orders: PaidOrders,
): Handlers<SqlStorage> {
  return orderPaid
    ? {
        ...on,
        invoicePaid: orderHandler({
          orders,
          orderPaid,
          invoicePaid: on.invoicePaid,
          tell: quietly(onTrouble),
        }),
      }
    : on;
}

/** What a listener throws is its own business: no effect fails for it. */
function quietly(listener: InboxOptions<SqlStorage>['onProblem']): (trouble: InboxProblem) => void {
  return (trouble) => {
    try {
      listener?.(trouble);
    } catch {
      // nobody waits for it
    }
  };
}

/** One subscription for the address, whoever made it. Trouble is left to the next start: the event feed is read anyway. */
export async function subscribe({
  client,
  webhookUrl,
  secrets,
}: AccountInboxOptions): Promise<void> {
  const [secret] = [secrets].flat();
  if (webhookUrl === undefined || secret === undefined) return;
  const draft = {
    webhookUrl,
    webhookVersion: 'v1',
    secret,
    enabled: true,
    eventTypes: ['invoice.created', 'invoice.updated'],
  };
  await ensureSubscription(client, draft).catch(() => {});
}
