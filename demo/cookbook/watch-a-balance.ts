// Warn when a balance falls below a floor. Call the returned function to end the watch.
import { type Client, createClient, watchBalances } from 'paystate';
import { compareMoney, money, moneyIn } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export const warnBelow = (client: Client, floor: string, warn: (text: string) => void) =>
  watchBalances(client).subscribe(({ value }) => {
    const euros = value?.find(({ currency }) => currency === 'EUR');
    const left = euros && moneyIn(euros, 'available');
    if (left && compareMoney(left, money(floor, 'EUR')) < 0)
      warn(`only ${left.amount} ${left.currency} are left`);
  });

export async function example() {
  const sandbox = createSandbox({ accounts: [{ handle: 'shop', balances: { EUR: '60.00' } }] });
  const client = createClient(sandbox.clientOptions);
  const warnings: string[] = [];
  const stop = warnBelow(client, '50.00', (text) => warnings.push(text));
  await sandbox.advance(5_000);
  const before = warnings.length;
  const lnInvoice = sandbox.payer.createBolt11({ sat: '40000' });
  const draft = { lnInvoice, sourceCurrency: 'EUR' };
  const { paymentQuoteId } = await sandbox.run(client.paymentQuotes.createLightning(draft));
  await sandbox.run(client.paymentQuotes.execute(paymentQuoteId));
  await sandbox.advance(60_000);
  stop();
  return { before, after: warnings.length > 0 };
}

if (import.meta.main) console.log(await example());
