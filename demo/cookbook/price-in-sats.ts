// Show a price in sats beside the price in euros. To show only: what is paid is the quote's amount.
import { type Client, createClient, type Money } from 'paystate';
import { convertMoney, formatMoney } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export async function inSats(client: Client, price: Money, now: number): Promise<string> {
  const rates = await client.rates.list();
  const rate = rates.find(
    (one) => one.sourceCurrency === 'BTC' && one.targetCurrency === price.currency,
  );
  const shown = formatMoney(price, { locale: 'en' });
  if (!rate) return shown;
  const { value } = convertMoney(price, rate, { asOf: now, rounding: 'up' });
  return `${shown} (about ${formatMoney(value, { locale: 'en', bitcoinUnit: 'sat' })})`;
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const price = { amount: '4.20', currency: 'EUR' };
  return sandbox.run(inSats(client, price, sandbox.clock.now()));
}

if (import.meta.main) console.log(await example());
