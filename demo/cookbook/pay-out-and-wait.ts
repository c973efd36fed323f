// Send money to a bank account, once, and wait until it has left.
import { type Client, createClient } from 'paystate';
import { payOut } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';

export async function payRent(
  client: Client,
  journal: Store,
  { month, bankPaymentMethodId }: Record<'month' | 'bankPaymentMethodId', string>,
): Promise<string> {
  const run = payOut(client, {
    intent: `rent-${month}`, // the same month is never paid twice, even after a crash
    bankPaymentMethodId,
    amount: '850.00', // in the currency of the bank account
    reference: `RENT ${month}`,
    maxFee: { percent: '1' },
    journal,
  });
  return (await run.result).phase; // completed: it has left, but a bank may still send it back
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const method = client.bankPaymentMethods.create({
    transferType: 'SEPA',
    accountNumber: 'DE00000000000000000000',
    beneficiaries: [{ type: 'COMPANY', name: 'Sample GmbH' }],
  });
  const rent = { month: '2026-01', bankPaymentMethodId: (await sandbox.run(method)).id };
  const journal = memoryStore(); // only with a sandbox
  const first = await sandbox.run(payRent(client, journal, rent));
  const again = await sandbox.run(payRent(client, journal, rent));
  return { first, again, payouts: sandbox.settlements('RENT 2026-01').length };
}

if (import.meta.main) console.log(await example());
