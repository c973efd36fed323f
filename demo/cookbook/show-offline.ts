// Show in a page how far it can trust the state: live, stale, offline or blocked.
import { createClient, type Invoice, type Snapshot, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const HINTS = {
  loading: 'One moment …',
  live: '',
  stale: 'The connection is bad. This may be old.',
  offline: 'You are offline. This may be old.',
  blocked: 'Too many requests. It goes on by itself.',
  failed: 'This cannot be shown any more.',
};

/** The text for the page. The last known state stays, with a hint beside it. */
export const textOf = ({ value, freshness }: Snapshot<Invoice>): string =>
  [value?.state, HINTS[freshness]].filter(Boolean).join(' – ');

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  const invoice = await sandbox.run(client.invoices.create(draft));
  const shown: string[] = [];
  const stop = watchInvoice(client, invoice).subscribe((snapshot) => shown.push(textOf(snapshot)));
  await sandbox.advance(5_000);
  const endOutage = sandbox.fault({ action: 'lost-before' });
  await sandbox.advance(90_000);
  endOutage();
  await sandbox.advance(60_000);
  stop();
  return shown;
}

if (import.meta.main) console.log(await example());
