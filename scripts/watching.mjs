// Prints what watching costs and how soon it sees a payment, for 1 to 10,000 invoices over 70 minutes of virtual time
// with the rate limits on, while one in a hundred is paid. `npm run watching [test]`: the limits of the test environment.
import { createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const MINUTES = 70;
const MINUTE = 60_000;
const [rateLimits = 'production'] = process.argv.slice(2);

/** A client whose reads are noted, and invoices that were made in the time that the limits ask for. */
async function opened(count) {
  const sandbox = createSandbox({ seed: count, signed: false, rateLimits });
  const reads = [];
  const client = createClient({
    ...sandbox.clientOptions,
    callTimeout: 1_000 * MINUTE,
    onRequest: ({ method, path, sentAt }) => method === 'GET' && reads.push({ path, sentAt }),
  });
  const make = async () => {
    const invoices = [];
    for (let n = 0; n < count; n++)
      invoices.push(await client.invoices.create({ amount: { amount: '1', currency: 'EUR' } }));
    return invoices;
  };
  return { sandbox, client, reads, invoices: await sandbox.run(make()) };
}

/** Watches all, pays one in a hundred at even intervals, and notes how late each payment is seen. */
async function watched({ sandbox, client, invoices }) {
  const { clock } = sandbox;
  const paidAt = new Map();
  const delays = [];
  const changes = Math.max(1, invoices.length / 100);
  const pause = ((MINUTES - 2) * MINUTE) / changes;
  const end = clock.now() + MINUTES * MINUTE;
  for (const invoice of invoices)
    watchInvoice(client, invoice).subscribe(({ value }) => {
      if (value?.state === 'PAID') delays.push(clock.now() - paidAt.get(value.invoiceId));
    });
  for (let n = 0; n < changes; n++) {
    await sandbox.advance(pause - ((n * 389) % 2_000));
    const { invoiceId } = invoices[(n * 97) % invoices.length];
    const { lnInvoice } = await sandbox.run(client.invoices.quote(invoiceId));
    paidAt.set(invoiceId, clock.now());
    await sandbox.payer.pay(lnInvoice);
  }
  await sandbox.advance(end - clock.now());
  return { delays: delays.sort((a, b) => a - b), missed: paidAt.size - delays.length };
}

/** Most of these times in any stretch of `ms`. */
function most(times, ms) {
  let from = 0;
  return times.reduce((largest, at, n) => {
    while (times[from] <= at - ms) from++;
    return Math.max(largest, n - from + 1);
  }, 0);
}

function longestPause(times) {
  return times.slice(1).reduce((longest, at, n) => Math.max(longest, at - times[n]), 0);
}

const seconds = (ms) => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`);

const rows = [];
for (const count of [1, 10, 200, 1_000, 10_000]) {
  const world = await opened(count);
  const { delays, missed } = await watched(world);
  const times = world.reads.map(({ sentAt }) => sentAt);
  const polls = world.reads.flatMap(({ path, sentAt }) => (path === '/v1/events' ? [sentAt] : []));
  rows.push({
    watched: count,
    'worst minute': most(times, MINUTE),
    'worst ten minutes': most(times, 10 * MINUTE),
    paid: delays.length + missed,
    missed,
    'seen, p50': seconds(delays[delays.length >> 1]),
    p99: seconds(delays[Math.floor(delays.length * 0.99)]),
    worst: seconds(delays.at(-1)),
    'feed silent, at most': polls.length > 1 ? seconds(longestPause(polls)) : 'by polling',
    blocks: world.sandbox.blocks,
  });
}
console.table(rows);
