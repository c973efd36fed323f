// What watching many of one kind costs: requests, delays, and how long the feed was silent.
import { createClient, watchPayout, watchInvoice, watchReceives } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { termsOf } from './terms.mjs';

const MINUTES = 70;
const MINUTE = 60_000;
const EUR = { amount: '1.00', currency: 'EUR' };

async function readyMethod(client, { sandbox }) {
  const { id } = await client.bankPaymentMethods.create({
    transferType: 'ACH',
    accountNumber: '123456789',
    routingNumber: '021000021',
    accountType: 'CHECKING',
    beneficiaries: [{ type: 'INDIVIDUAL', name: 'Ada Byron' }],
  });
  sandbox.move('bankPaymentMethod', id, 'READY');
  return id;
}

/** How each kind is made, watched and changed; `isNews`: a watch shows the change. */
const KINDS = {
  invoice: {
    make: (client) => client.invoices.create({ amount: EUR }),
    idOf: ({ invoiceId }) => invoiceId,
    watch: watchInvoice,
    async change({ sandbox, client }, { invoiceId }) {
      const { lnInvoice } = await sandbox.run(client.invoices.quote(invoiceId));
      return () => sandbox.payer.pay(lnInvoice);
    },
    isNews: ({ value }) => value?.state === 'PAID',
  },
  receiveRequest: {
    make: (client) => client.receiveRequests.create({ onchain: {} }),
    idOf: ({ receiveRequestId }) => receiveRequestId,
    watch: watchReceives,
    change:
      async ({ sandbox }, { onchain }) =>
      () =>
        void sandbox.payer.pay(onchain.address, { amount: '0.0001' }),
    isNews: ({ value }) => value?.receives.length > 0,
  },
  payout: {
    async make(client, world) {
      world.methodId ??= await readyMethod(client, world);
      return client.payouts.create({ paymentMethodId: world.methodId, amount: '1.00' });
    },
    idOf: ({ id }) => id,
    watch: watchPayout,
    change:
      async ({ sandbox, client }, { id }) =>
      () =>
        sandbox.run(client.payouts.initiate(id)),
    isNews: ({ value }) => value !== undefined && value.state !== 'NEW',
  },
};

const kindOf = (item) => {
  if ('invoiceId' in item) return KINDS.invoice;
  return 'receiveRequestId' in item ? KINDS.receiveRequest : KINDS.payout;
};

/** Of ten, one is a payout and one a receive request. */
KINDS.mixed = {
  make(client, world) {
    const { made = 0 } = world;
    world.made = made + 1;
    const kind = { 3: 'payout', 7: 'receiveRequest' }[made % 10] ?? 'invoice';
    return KINDS[kind].make(client, world);
  },
  idOf: (item) => kindOf(item).idOf(item),
  watch: (client, item) => kindOf(item).watch(client, item),
  change: (world, item) => kindOf(item).change(world, item),
  isNews: (snapshot, item) => kindOf(item).isNews(snapshot),
};

/** A client whose reads are noted, and what it watches, made in the time that the limits ask for. */
async function openWorld({ count, kind, rateLimits, digits, width, hasFeed, between }) {
  const sandbox = createSandbox({ seed: count, signed: false, rateLimits });
  if (digits !== undefined) sandbox.fault({ method: 'GET', action: { rewrite: { digits } } });
  if (width) sandbox.fault({ method: 'GET', action: { rewrite: { page: width } } });
  const reads = [];
  const client = createClient({
    ...sandbox.clientOptions,
    callTimeout: 1_000 * MINUTE,
    capabilities: { feed: hasFeed },
    onRequest: ({ method, path, sentAt, reason }) =>
      method === 'GET' && reads.push({ path, sentAt, reason }),
  });
  const world = { sandbox, client, reads, others: [] };
  const make = async () => {
    const items = [];
    while (items.length < count) {
      items.push(await KINDS[kind].make(client, world));
      const isOther = world.others.length < (items.length / count) * between * MINUTES;
      if (isOther) world.others.push((await KINDS.invoice.make(client)).invoiceId);
    }
    return items;
  };
  world.items = await sandbox.run(make());
  return world;
}

/** Invoices that nobody watches, made between those that are watched, are paid: so many a minute. */
function payOthers({ sandbox, others }, perMinute) {
  for (const [n, invoiceId] of others.entries())
    sandbox.clock.after(((n + 1) * MINUTE) / perMinute, () => {
      for (const state of ['PENDING', 'PAID']) sandbox.move('invoice', invoiceId, state);
    });
}

/** Events of an invoice that nobody watches: so many a second. */
async function beginForeign({ sandbox, client }, perSecond) {
  if (perSecond === 0) return;
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR }));
  const next = (state) => {
    sandbox.move('invoice', invoiceId, state);
    sandbox.clock.after(1_000 / perSecond, () => next(state === 'PENDING' ? 'UNPAID' : 'PENDING'));
  };
  next('PENDING');
}

/** Watches all, changes one in a hundred at even intervals, and notes how late each change is seen. */
async function watchAll(world, { kind, isById }) {
  const { sandbox, client, items } = world;
  const { clock } = sandbox;
  const { change, idOf, isNews, watch } = KINDS[kind];
  const changedAt = new Map();
  const delays = [];
  let stale = 0;
  const changes = Math.max(1, items.length / 100);
  const pause = ((MINUTES - 2) * MINUTE) / changes;
  const end = clock.now() + MINUTES * MINUTE;
  for (const item of items) {
    const id = idOf(item);
    let isSeen = false;
    watch(client, isById ? id : item).subscribe((snapshot) => {
      if (snapshot.freshness === 'stale') stale++;
      if (isSeen || !changedAt.has(id) || !isNews(snapshot, item)) return;
      isSeen = true;
      delays.push(clock.now() - changedAt.get(id));
    });
  }
  for (let n = 0; n < changes; n++) {
    await sandbox.advance(pause - ((n * 389) % 2_000));
    const item = items[(n * 97) % items.length];
    const act = await change(world, item);
    changedAt.set(idOf(item), clock.now());
    await act();
  }
  await sandbox.advance(end - clock.now());
  return { delays: delays.sort((a, b) => a - b), missed: changedAt.size - delays.length, stale };
}

/** Most of these times in any stretch of `ms`. */
function most(times, ms) {
  let from = 0;
  return times.reduce((largest, at, n) => {
    while (times[from] <= at - ms) from++;
    return Math.max(largest, n - from + 1);
  }, 0);
}

const longestPause = (times) =>
  times.slice(1).reduce((longest, at, n) => Math.max(longest, at - times[n]), 0);

const seconds = (ms) => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`);

/** Plays one row of the table. */
export async function playCosts(given) {
  const cell = {
    kind: 'invoice',
    rateLimits: 'production',
    foreign: 0,
    between: 0,
    ids: 15,
    hasFeed: true,
    ...given,
  };
  const world = await openWorld(cell);
  world.reads.length = 0;
  await beginForeign(world, cell.foreign);
  payOthers(world, cell.between);
  const begin = world.sandbox.clock.now();
  const { delays, missed, stale } = await watchAll(world, cell);
  const times = world.reads.map(({ sentAt }) => sentAt);
  const polls = world.reads.flatMap(({ path, sentAt }) => (path === '/v1/events' ? [sentAt] : []));
  return {
    watched: `${cell.count} ${cell.name}`,
    'worst minute': most(times, MINUTE),
    'worst ten minutes': most(times, 10 * MINUTE),
    changed: delays.length + missed,
    missed,
    'seen, p50': seconds(delays[delays.length >> 1]),
    p99: seconds(delays[Math.floor(delays.length * 0.99)]),
    worst: seconds(delays.at(-1)),
    stale,
    'feed silent, at most': polls.length > 1 ? seconds(longestPause(polls)) : 'by polling',
    blocks: world.sandbox.blocks,
    requests: times.length,
    ...termsOf(cell, world.reads, begin, MINUTES, delays.length),
  };
}
