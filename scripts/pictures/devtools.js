// The devtools beside a sale that goes on.
import { createClient, watchBalances } from '../../dist/index.js';
import { defineDevtools } from '../../dist/devtools/index.js';
import { checkout, pay } from '../../dist/flows/index.js';
import { createSandbox } from '../../dist/sandbox/index.js';
import { memoryStore } from '../../dist/stores/index.js';

const sandbox = createSandbox({ seed: 'pictures' });
sandbox.fund('shop', { amount: '100.00', currency: 'EUR' });
const client = createClient(sandbox.clientOptions);
const journal = memoryStore();
const element = document.createElement('paystate-devtools');
document.querySelector('main').append(element);
Object.assign(element, { client, journal });
defineDevtools();
await Promise.resolve();

const order = { amount: { amount: '16.80', currency: 'EUR' }, correlationId: 'QK-7F3A91C2' };
const { invoiceId } = await sandbox.run(client.invoices.create(order, { reason: 'an order' }));
element.invoiceId = invoiceId;
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
for (let count = 0; count < 150; count++) void client.invoices.get(crypto.randomUUID()).catch(() => {});
await sandbox.advance(20_000);
await sandbox.run(client.balances.list({ reason: 'after the rush' }));

const tabOf = (name) =>
  [...element.shadowRoot.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === name);
window.choose = async (name) => {
  tabOf(name).click();
  await sandbox.advance(1_000);
  if (name === 'Requests') element.shadowRoot.querySelector('details').open = true;
};
window.ready = true;
