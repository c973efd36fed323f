// Show an invoice in a page of Next: app/invoices/[id]/page.tsx calls stateIn with the `connection`
// of next/server, so that Next renders the page for each request.
// Rethrow errors that aren't the SDK's, because Next controls its pages by errors of its own.
import { type Client, createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** Next 14 has none. Its page exports `dynamic = 'force-dynamic'` and passes an empty function. */
type Connection = () => Promise<void>;

export async function stateIn(client: Client, connection: Connection, id: string): Promise<string> {
  await connection();
  try {
    const { state } = await client.invoices.get(id);
    return state;
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return 'not known'; // which isn't "not paid"
  }
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount }));
  const show = (id: string) => sandbox.run(stateIn(client, async () => {}, id));
  const before = await show(invoiceId);
  await sandbox.payer.pay(invoiceId);
  await sandbox.advance(40_000);
  return [before, await show(invoiceId), await show('00000000-0000-4000-8000-000000000000')];
}

if (import.meta.main) console.log(await example());
