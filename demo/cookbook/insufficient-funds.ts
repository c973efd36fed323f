// Tell "the balance is too low" from every other end of a payment, and name the balance.
import { type Client, createClient, hasCode } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';

export async function send(client: Client, lnInvoice: string, journal: Store): Promise<string> {
  const draft = {
    to: lnInvoice,
    sourceCurrency: 'EUR',
    maxFee: { percent: '1' },
    maxTotal: { amount: '250.00', currency: 'EUR' }, // the payee chooses the amount of an invoice
    journal,
  } as const;
  const result = await pay(client, draft).result;
  if (result.phase === 'paid') return 'sent';
  if (result.phase === 'refused' && hasCode(result.error, 'BALANCE_TOO_LOW')) {
    const balances = await client.balances.list();
    const euros = balances.find(({ currency }) => currency === 'EUR');
    const available = euros?.available ?? '0.00';
    return `Nothing was sent. There are only ${available} EUR.`;
  }
  return result.phase; // failed, refused, stopped or unknown: see the guide to payments
}

export async function example() {
  const sandbox = createSandbox({ accounts: [{ handle: 'shop', balances: { EUR: '1.00' } }] });
  const client = createClient(sandbox.clientOptions);
  const journal = memoryStore(); // only with a sandbox
  const text = () => sandbox.payer.createBolt11({ sat: '100000' });
  const poor = await sandbox.run(send(client, text(), journal));
  sandbox.fund('shop', { amount: '500.00', currency: 'EUR' });
  return [poor, await sandbox.run(send(client, text(), journal))];
}

if (import.meta.main) console.log(await example());
