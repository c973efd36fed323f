// Prints what watching costs: requests a minute for 1, 200 and 1,000 invoices over ten minutes of virtual time with
// the rate table on, and beside it what one timer a watch (due = now + period) would cost before any stretching.
import { createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const MINUTES = 10;
const MINUTE = 60_000;

async function measured(count) {
  const sandbox = createSandbox({ seed: count, signed: false });
  let requests = 0;
  const client = createClient({
    ...sandbox.clientOptions,
    queueTimeout: 600_000,
    onRequest: () => void requests++,
  });
  const invoices = [];
  await sandbox.run(
    (async () => {
      for (let n = 0; n < count; n++)
        invoices.push(await client.invoices.create({ amount: { amount: '1', currency: 'EUR' } }));
    })(),
  );
  for (const invoice of invoices) watchInvoice(client, invoice).subscribe(() => {});
  const minutes = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    requests = 0;
    await sandbox.advance(MINUTE);
    minutes.push(requests);
  }
  return { minutes, blocks: sandbox.blocks };
}

/** Polling alone, before stretching: watches that began at any time, each due one period after its last look or on the grid. */
function polls(count, isGrid, period = 2_000, width = 15) {
  const due = new Map();
  for (let n = 0; n < count; n++) {
    const begun = (n * 7_919) % period;
    for (let at = isGrid ? 0 : begun; at < MINUTE; at += period)
      due.set(at, (due.get(at) ?? 0) + 1);
  }
  return [...due.values()].reduce(
    (requests, together) => requests + Math.ceil(together / width),
    0,
  );
}

const rows = [];
for (const count of [1, 200, 1_000]) {
  const { minutes, blocks } = await measured(count);
  rows.push({
    watched: count,
    'requests a minute': minutes.join(' '),
    blocks,
    'polling on the grid': polls(count, true),
    'polling, due = now + period': polls(count, false),
  });
}
console.table(rows);
