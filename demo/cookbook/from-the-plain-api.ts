// Move a program over from plain `fetch`, call by call. Both work side by side with the same key.
// Ids, texts and states are the same, and amounts stay decimal texts.
import { type Client, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

type Send = (url: string, init: RequestInit) => Promise<Response>;

interface Key {
  readonly baseUrl: string | URL;
  readonly apiKey: string;
}

/** Before. There's no retry and no time limit, and a lost response makes a second invoice. */
export async function before(send: Send, { baseUrl, apiKey }: Key): Promise<string> {
  const response = await send(`${baseUrl}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: { amount: '5.00', currency: 'EUR' } }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return ((await response.json()) as { invoiceId: string }).invoiceId;
}

/** After. */
export async function after(client: Client): Promise<string> {
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  return (await client.invoices.create(draft)).invoiceId;
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions); // yours: { baseUrl, apiKey }
  const old = await sandbox.run(before(sandbox.fetch, sandbox.clientOptions));
  const made = await sandbox.run(after(client));
  const invoices = await sandbox.run(client.invoices.list().toArray({ limit: 10 }));
  const ids = invoices.map(({ invoiceId }) => invoiceId);
  return ids.includes(old) && ids.includes(made);
}

if (import.meta.main) console.log(await example());
