// Watch an invoice in a React Native app. It has no key, and uses your own relay with a token. When
// it comes back from the background, it reads at once.
import { type Client, createClient, invalidate, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** The part of AppState of 'react-native' that this recipe uses. */
export interface AppState {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
}

export const readWhenShown = (client: Client, invoiceId: string, appState: AppState) =>
  appState.addEventListener('change', (state) => {
    if (state === 'active') invalidate(client, 'invoice', invoiceId);
  });

export async function example() {
  const sandbox = createSandbox();
  const { apiKey: token, ...relay } = sandbox.clientOptions; // yours: { baseUrl } of your relay
  const reasons: string[] = [];
  const onRequest = ({ reason }: { reason: string }) => reasons.push(reason);
  const client = createClient({ ...relay, onRequest, token: async () => token });
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  const invoice = await sandbox.run(client.invoices.create(draft));
  const stop = watchInvoice(client, invoice).subscribe(() => {}); // draw it
  await sandbox.advance(10_000);
  readWhenShown(client, invoice.invoiceId, {
    addEventListener: (_type, listener) => ({ remove: () => listener('active') }),
  }).remove(); // the app comes back
  await sandbox.advance(500);
  stop();
  return reasons.at(-1);
}

if (import.meta.main) console.log(await example());
