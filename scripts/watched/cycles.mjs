// Subscribes and unsubscribes over and over, against answers that keep nothing themselves.
import { createClient, watchInvoice } from 'paystate';
import { heapNow, slopeOf } from './heap.mjs';
import { openService } from './service.mjs';

/** Rounds until the heap of a new process has its shape. */
const WARM = 10;
const POINTS = 12;
const CYCLES = 1_000;

/** Answers each read of an invoice, a list or the events with the same text. */
const answering = (invoice) => {
  const page = (items) => JSON.stringify({ items, count: items.length });
  const texts = [
    [/\/v1\/events/, page([])],
    [/\/v1\/invoices\?/, page([invoice])],
    [/./, JSON.stringify(invoice)],
  ];
  return async (url) =>
    new Response(texts.find(([path]) => path.test(url))[1], {
      headers: { 'content-type': 'application/json' },
    });
};

/** Bytes by which the heap grows over 1,000 subscriptions: half of one watch, half of a new one each. */
export const quietSubscriptions = async () => {
  const service = openService();
  const { sandbox } = service;
  const invoice = await service.create();
  const client = createClient({ ...sandbox.clientOptions, fetch: answering(invoice) });
  const same = watchInvoice(client, invoice);
  let emitted = 0;
  const points = [];
  for (let round = 0; round < WARM + POINTS; round++) {
    for (let n = 0; n < CYCLES; n++) {
      const watch = n % 2 === 0 ? same : watchInvoice(client, invoice.invoiceId);
      const stop = watch.subscribe(() => void emitted++);
      await sandbox.advance(n % 10 === 0 ? 5_000 : 100);
      stop();
      await sandbox.advance(10);
    }
    points.push(await heapNow());
  }
  if (emitted < WARM * CYCLES) throw new Error('nothing was said: nothing was measured');
  return slopeOf(points.slice(WARM));
};
