// Keep an invoice in TanStack Query: the query reads it once, the watch keeps it up to date.
// In a component: useQuery(invoiceQuery(client, id)), and keepUpToDate in an effect.
import { type Client, createClient, type Invoice, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** The part of a QueryClient that this recipe uses. */
export interface QueryCache {
  setQueryData(key: readonly string[], value: Invoice): unknown;
}

export const invoiceQuery = (client: Client, invoiceId: string) => ({
  queryKey: ['invoice', invoiceId],
  queryFn: ({ signal }: { signal: AbortSignal }) => client.invoices.get(invoiceId, { signal }),
  staleTime: Number.POSITIVE_INFINITY, // the watch updates it
  retry: false, // the client repeats safe requests by itself
});

/** Returns a function that ends it, for your effect. */
export const keepUpToDate = (client: Client, invoiceId: string, cache: QueryCache) =>
  watchInvoice(client, invoiceId).subscribe(({ value }) => {
    if (value) cache.setQueryData(invoiceQuery(client, invoiceId).queryKey, value);
  });

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  const states: string[] = [];
  const cache: QueryCache = { setQueryData: (_key, { state }) => states.push(state) };
  const stop = keepUpToDate(client, invoiceId, cache);
  await sandbox.run(sandbox.payer.pay(invoiceId));
  await sandbox.advance(5_000);
  stop();
  return states.at(-1);
}

if (import.meta.main) console.log(await example());
