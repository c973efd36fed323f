// From a webhook to the pages that look at its invoice, in real workerd on the loopback, the service's limits on.
import { createClient } from 'paystate';
import { makeEvent } from 'paystate/testing';
import { openRelay, ORIGIN } from '../test/edge/relay-harness.ts';

const SETTINGS = [
  { rooms: 1, sockets: 1, payments: 40 },
  { rooms: 1, sockets: 100, payments: 20 },
  { rooms: 1, sockets: 1_000, payments: 5 },
  { rooms: 1_000, sockets: 1, payments: 40 },
];
const DRAFT = { amount: { amount: '12.50', currency: 'EUR' } };
/** Invoices that one address makes, below the limit of a minute. */
const MADE_BY_ONE = 200;
/** Pages that open at once. */
const AT_ONCE = 50;
const LONGEST = 20_000;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isOpen = (socket) =>
  new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('close', ({ code }) => reject(new Error(`closed: ${code}`)));
  });

/** A page's socket; `paid` resolves to when it has heard of the payment, or to never. */
async function openPage(world, invoiceId, token) {
  const headers = { origin: ORIGIN };
  const url = world.at('/pay/live').href.replace('http', 'ws');
  const socket = new WebSocket(url, { protocols: ['paystate.v1', token], headers });
  const paid = new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      if (data.includes('"state":"PAID"')) resolve(performance.now());
    });
    setTimeout(resolve, 10 * 60_000, Infinity).unref();
  });
  await isOpen(socket);
  socket.send('{"resume":null}');
  return { socket, paid };
}

/** An invoice with its pages. */
async function openRoom(world, sockets, number) {
  const address = `198.51.100.${Math.floor(number / MADE_BY_ONE)}`;
  const shop = createClient(world.sandbox.clientOptionsFor({ address }));
  const invoice = await shop.invoices.create(DRAFT);
  const token = await world.token(invoice.invoiceId);
  const pages = [];
  while (pages.length < sockets) {
    const more = Math.min(AT_ONCE, sockets - pages.length);
    const opened = Array.from({ length: more }, () => openPage(world, invoice.invoiceId, token));
    pages.push(...(await Promise.all(opened)));
  }
  return { invoice, pages };
}

const eventOf = ({ invoiceId }, eventType) =>
  makeEvent({
    id: crypto.randomUUID(),
    eventType,
    data: { entityId: invoiceId },
    created: new Date().toISOString(),
  });

/** Pays, delivers the webhook, and waits for all pages. */
async function payIn(world, { invoice, pages }) {
  await world.pay(invoice);
  const begun = performance.now();
  await world.deliver(eventOf(invoice, 'invoice.updated'));
  const answer = performance.now() - begun;
  const late = wait(LONGEST).then(() => Infinity);
  const heard = await Promise.all(pages.map(({ paid }) => Promise.race([paid, late])));
  for (const { socket } of pages) socket.close();
  return { answer, times: heard.map((at) => at - begun) };
}

async function measure({ rooms, sockets, payments }) {
  const { world, close } = await openRelay();
  try {
    const first = await world.invoice();
    await world.deliver(eventOf(first, 'invoice.created')); // webhooks come
    const open = [];
    for (let number = 0; rooms > 1 && open.length < rooms; number += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, at) => number + at);
      open.push(...(await Promise.all(numbers.map((one) => openRoom(world, sockets, one)))));
    }
    world.requests();
    const runs = [];
    for (let run = 0; run < payments; run++) {
      const room =
        open.splice(Math.floor(open.length / 2), 1)[0] ?? (await openRoom(world, sockets, run));
      runs.push(await payIn(world, room));
    }
    const { blocks } = world.sandbox;
    for (const { pages } of open) for (const { socket } of pages) socket.close();
    return { runs, asked: world.requests().filter((one) => one.startsWith('GET')).length, blocks };
  } finally {
    await close();
  }
}

const partOf = (times, part) => {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
};

/** One row for each setting: milliseconds from the delivery to the pages. */
export async function roomLatencies() {
  const rows = [];
  for (const setting of SETTINGS) {
    const { runs, asked, blocks } = await measure(setting);
    const times = runs.flatMap((run) => run.times);
    const answers = runs.map(({ answer }) => answer);
    rows.push({
      rooms: setting.rooms,
      'sockets in one': setting.sockets,
      webhooks: setting.payments,
      'pages told': times.filter((time) => time < Infinity).length,
      'median ms': Math.round(partOf(times, 0.5)),
      'p99 ms': Math.round(partOf(times, 0.99)),
      'worst ms': Math.round(partOf(times, 1)),
      'answer p99 ms': Math.round(partOf(answers, 0.99)),
      'reads a webhook': (asked / setting.payments).toFixed(2),
      blocks,
    });
  }
  return rows;
}
