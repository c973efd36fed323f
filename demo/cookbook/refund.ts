// Give back a part of a customer's payment, and never more than came in.
import { type Client, createClient } from 'paystate';
import { refund } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';

export async function giveBack(
  client: Client,
  journal: Store,
  { invoiceId, to, amount, intent }: Record<'invoiceId' | 'to' | 'amount' | 'intent', string>,
): Promise<string> {
  const run = refund(client, {
    invoiceId,
    to, // from the customer, because you can't send money back the way it came
    amount: { amount, currency: 'EUR' },
    intent, // the same name is never paid twice, so use one for each refund
    sourceCurrency: 'EUR',
    maxFee: { percent: '2' },
    journal,
  });
  const result = await run.result;
  return result.phase === 'refused'
    ? `refused: ${result.guard ?? result.error.code}`
    : result.phase;
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '20.00', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  await sandbox.run(sandbox.payer.pay(invoiceId));
  const journal = memoryStore(); // only with a sandbox
  const part = { invoiceId, to: 'ada@wallet.example', amount: '15.00' };
  const first = await sandbox.run(giveBack(client, journal, { ...part, intent: 'return-1' }));
  return [first, await sandbox.run(giveBack(client, journal, { ...part, intent: 'return-2' }))];
}

if (import.meta.main) console.log(await example());
