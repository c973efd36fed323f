// A program under SES, where all that the language brings is frozen: it watches an invoice until it is paid.
// Only `test:all` installs the package, so no tool finds it by its name.
const oldest = new URL('../oldest/', import.meta.url);
await import(new URL('node_modules/ses/index.js', oldest).href);

lockdown();
const { createClient } = await import('paystate');
const { createSandbox } = await import('paystate/sandbox');

const sandbox = createSandbox();
const client = createClient(sandbox.clientOptions);
const amount = { amount: '12.50', currency: 'EUR' };
const invoice = await sandbox.run(client.invoices.create({ amount }));
const seen = [];
async function read() {
  for await (const { value, freshness } of client.invoices.watch(invoice)) {
    seen.push(`${value?.state} ${freshness}`);
    if (value) break;
  }
}
await sandbox.run(read());
console.log(JSON.stringify(seen));
