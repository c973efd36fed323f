// Creates an order, waits until it's paid, and ends by itself.
//   deno run --allow-net=HOST:PORT demo/deno/pay.ts http://HOST:PORT KEY
import { createClient, watchInvoice } from 'paystate';
import { formatMoney } from 'paystate/money';

declare const Deno: { readonly args: readonly string[] };

const [baseUrl, apiKey] = Deno.args;
if (!baseUrl || !apiKey) throw new Error('Give the address of the service and a key.');

const client = createClient({ baseUrl, apiKey });
const invoice = await client.invoices.create({
  amount: { amount: '4.20', currency: 'EUR' },
  description: 'A pot of coffee',
});
const { lnInvoice, sourceAmount } = await client.invoices.quote(invoice.invoiceId);
console.log(
  `To pay: ${formatMoney(invoice.amount, { locale: 'en' })}, ${formatMoney(sourceAmount, { locale: 'en', bitcoinUnit: 'sat' })}`,
);
console.log(lnInvoice);

for await (const { value, freshness } of watchInvoice(client, invoice))
  if (value) console.log(`${value.state} (${freshness})`);
console.log('Done.');
