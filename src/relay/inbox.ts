import type { Connection } from '../core/connection.ts';
import type { DurableStorage, SqlStorage } from '../core/platform.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { ensureSubscription } from '../resources/subscriptions/ensure.ts';
import { durableObjectInbox } from '../stores/index.ts';
import { createInbox, type Handlers, type Inbox, type InboxOptions, type Noun } from '../webhooks/index.ts';

/** What an account's feed does with webhooks. */
export interface HookParts {
  /** A client with the API key, made for this object. */
  readonly client: Connection;
  /** Secrets of the account's webhooks, the new one first; absent: no webhooks come, the service is only asked. */
  readonly secrets?: string | readonly string[] | undefined;
  /** Where webhooks come in, such as `https://shop.example/hooks/main`; given: the subscription is found or made at the start. */
  readonly webhookUrl?: string | undefined;
  /** What to do when something is so; see `createInbox`. */
  readonly on?: Handlers<SqlStorage> | undefined;
  readonly otherwise?: InboxOptions<SqlStorage>['otherwise'];
  readonly onTrouble?: InboxOptions<SqlStorage>['onTrouble'];
  /** Longest run of a handler, milliseconds; 300,000. What was under way when the object died begins again after it. */
  readonly claimFor?: number | undefined;
}

/** The feed's inbox; what it reads comes from `fresh`, so that pages hear of it too. */
export function inboxIn(storage: DurableStorage, parts: HookParts, fresh: (invoiceId: string) => Promise<Invoice>): Inbox | undefined {
  const { client, secrets, on = {}, otherwise, onTrouble, claimFor } = parts;
  if (secrets === undefined) return undefined;
  const look = (_noun: Noun, id: string): Promise<Invoice> => fresh(id);
  return createInbox({ client, secrets, store: durableObjectInbox(storage), on, otherwise, onTrouble, claimFor, look });
}

/** One subscription for the address, whoever made it. Trouble is left to the next start: the event feed is read anyway. */
export async function subscribe({ client, webhookUrl, secrets }: HookParts): Promise<void> {
  const [secret] = [secrets].flat();
  if (webhookUrl === undefined || secret === undefined) return;
  const draft = { webhookUrl, webhookVersion: 'v1', secret, enabled: true, eventTypes: ['invoice.created', 'invoice.updated'] };
  await ensureSubscription(client, draft).catch(() => {});
}
