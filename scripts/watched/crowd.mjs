// So many other invoices beside those of a schedule that they are counted: three in four are watched, some are paid.
import { watchInvoice } from 'paystate';
import { chanceOf } from '../adversary/chance.mjs';
import { createRecord, listen } from './listener.mjs';

const SIZE = 120;
/** One of them is paid so often, milliseconds. */
const PAID_EVERY = 45_000;

/** Makes them, the first half now; the other half is made by what this returns. */
export const openCrowd = async ({ service }) => {
  const made = [];
  const makeHalf = async () => {
    for (let n = 0; n < SIZE / 2; n++) made.push(await service.create());
  };
  await makeHalf();
  return { made, makeHalf };
};

/** Watches them until `stops` are called, and says who pays when. */
export const attendCrowd = ({ service, clock }, client, { made }, seed, length) => {
  const chance = chanceOf(`crowd/${seed}`);
  const watched = made.filter((_, n) => n % 4 > 0);
  const records = watched.map(({ invoiceId }, n) =>
    createRecord(`crowd ${n}`, invoiceId, 'watch', clock),
  );
  const stops = records.map((record, n) =>
    listen(record, (to) => watchInvoice(client, watched[n]).subscribe(to)),
  );
  const acts = [];
  for (let at = PAID_EVERY; at < length; at += PAID_EVERY)
    acts.push({
      at: at + chance.between(0, 9_000),
      act: () =>
        service.pay(chance.pick(made).invoiceId, {
          pendingFor: chance.hits(0.3) ? 20_000 : 0,
          fails: chance.hits(0.1),
        }),
    });
  return { records, stops, acts };
};
