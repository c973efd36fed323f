// The script of a page that shows the devtools next to a sale.
import { createClient, watchBalances } from 'paystate';
import { defineDevtools } from 'paystate/devtools';
import { checkout, pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';

declare global {
  interface Window {
    /** Opens the tab of this name. */
    choose(name: string): Promise<void>;
    ready: boolean;
  }
}

const sandbox = createSandbox({ seed: 'pictures' });
sandbox.fund('shop', { amount: '100.00', currency: 'EUR' });
const client = createClient(sandbox.clientOptions);
const journal = memoryStore();
const element = document.createElement('paystate-devtools');
document.querySelector('main')!.append(element);
Object.assign(element, { client, journal });
defineDevtools();
await Promise.resolve();

const order = { amount: { amount: '16.80', currency: 'EUR' }, correlationId: 'QK-7F3A91C2' };
const { invoiceId } = await sandbox.run(client.invoices.create(order, { reason: 'an order' }));
Object.assign(element, { invoiceId });
watchBalances(client).subscribe(() => {});
checkout(client, { invoiceId, until: 'never' }).subscribe(() => {});
await sandbox.advance(45_000);
await sandbox.run(client.invoices.get(crypto.randomUUID()).catch(() => {}));
sandbox.fault({ nth: 1, action: 'lost-after' });
await sandbox.run(client.rates.list({ reason: 'the price tag' }));
const to = sandbox.payer.createBolt11({ sat: '1000' });
pay(client, { to, sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any', journal });
await sandbox.advance(200);
await sandbox.payer.pay(invoiceId);
await sandbox.advance(60_000);
for (let count = 0; count < 150; count++)
  void client.invoices.get(crypto.randomUUID()).catch(() => {});
await sandbox.advance(20_000);
await sandbox.run(client.balances.list({ reason: 'after the rush' }));

const tabOf = (name: string): HTMLElement | undefined =>
  [...element.shadowRoot!.querySelectorAll<HTMLElement>('[role=tab]')].find(
    ({ textContent }) => textContent === name,
  );
window.choose = async (name) => {
  tabOf(name)?.click();
  await sandbox.advance(1_000);
  if (name === 'Requests') element.shadowRoot!.querySelector('details')!.open = true;
};
window.ready = true;
