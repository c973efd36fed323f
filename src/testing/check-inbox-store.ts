import type { InboxStore } from '../stores/inbox-store.ts';
import { runCases, same } from './check-cases.ts';
import { leaseCases } from './check-inbox-leases.ts';
import { queueCases } from './check-inbox-queue.ts';
import { type BesideInbox, newInboxCase } from './inbox-case.ts';

/**
 * Checks an inbox store of your own: whether webhooks may be kept in it. It looks for events that are
 * lost, doubled or taken for each other, leases that two processes get, and commits that are written
 * in part. What a power failure leaves it cannot see.
 *
 * @param open opens the inbox store as another process would: the same rows each time, none at first
 * @param beside how a handler writes in its transaction; without it that is not checked
 * @throws Error that lists everything that is wrong
 * @example
 * const store = memoryInboxStore();
 * await checkInboxStore(() => store, {
 *   write: (tx, key, value) => tx.put(key, value),
 *   read: (key) => store.valueOf(key) as string | undefined,
 * });
 */
export async function checkInboxStore<Tx>(
  open: () => InboxStore<Tx> | Promise<InboxStore<Tx>>,
  beside?: BesideInbox<Tx>,
): Promise<void> {
  const empty = await open();
  same(await empty.counts(), { open: 0, deadLetters: 0 }, 'give an inbox that is empty: counts');
  same(await empty.cursor(), undefined, 'give an inbox that is empty: cursor');
  await runCases({ ...queueCases, ...leaseCases }, async (number) =>
    newInboxCase(await open(), await open(), number, beside),
  );
}
