import { internals } from '../core/http/index.ts';
import { ensureSubscription } from '../resources/subscriptions.ensure.ts';
import type { SubscriptionDraft } from '../resources/subscriptions.ts';
import { eventTypesFor } from '../webhooks/resources.ts';
import type { AccountInboxOptions } from './account-inbox.ts';
import type { AccountStore } from './account-store.ts';
import { secretHash } from './order-secret.ts';

const NOTE = 'subscription';
/** What an operator has changed is not undone more often, milliseconds. */
const DAY = 86_400_000;

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
export async function keepSubscription(
  options: AccountInboxOptions,
  store: AccountStore,
): Promise<void> {
  const draft = draftOf(options);
  if (!draft) return;
  const { client } = options;
  const { clock } = client[internals];
  const hash = await secretHash(JSON.stringify(draft), clock);
  const before = store.note<Ensured>(NOTE);
  if (before?.hash === hash && clock.now() < before.at + DAY) return;
  try {
    await ensureSubscription(client, draft);
    store.setNote(NOTE, { at: clock.now(), hash } satisfies Ensured);
  } catch {
    // the next start tries again
  }
}

function draftOf({
  webhookUrl,
  secrets,
  on = {},
}: AccountInboxOptions): SubscriptionDraft | undefined {
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
