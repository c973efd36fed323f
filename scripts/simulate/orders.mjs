// Orders of a shop in one isolate: names that are used again, responses that are lost, three events for each payment, requests
// of the platform that end while others read the same. No order is given another's invoice, and no parcel is sent twice.
import { createClient } from 'paystate';
import { openDeafShop } from '../../test/unit/webhooks/shop.ts';
import { chanceOf } from '../adversary/chance.mjs';
import { straysOf } from './strays.mjs';

const MINUTE = 60_000;
const never = new Promise(() => {});

export const livesEach = 1;
export const groups = ['reuse', 'network', 'events', 'isolate'];
export const shares = [];

const ACTIONS = ['lost-before', 'lost-after', 'duplicated-last', 'cut-body'];

/** Orders of a seed, with these faults only. */
export const scheduleOf = (seed, faults) => {
  const chance = chanceOf(`orders/${seed}`);
  const has = (group, probability) => chance.hits(probability) && faults.includes(group);
  return {
    seed,
    orders: Array.from({ length: chance.between(2, 4) }, () => ({
      reuses: has('reuse', 0.4),
      fault: has('network', 0.6) ? chance.pick(ACTIONS) : undefined,
      isPaid: chance.hits(0.7),
      events: has('events', 0.7) ? 3 : 1,
      isLeft: has('isolate', 0.5),
    })),
  };
};

/** One client for several requests of a platform: what a request has begun never settles once it is over. */
const openIsolate = ({ clientOptions, clock }) => {
  const { dedupeReads: _, ...others } = clientOptions; // as the package chooses
  let request;
  const begin = () => {
    let end;
    const over = new Promise((resolve) => void (end = resolve));
    const mine = { isOver: false, over };
    request = mine;
    return () => {
      mine.isOver = true;
      end();
    };
  };
  const client = createClient({
    ...others,
    clock: {
      ...clock,
      external(work) {
        void clock.external(Promise.race([work.catch(() => {}), request.over]));
        return work;
      },
    },
    async fetch(url, init) {
      const mine = request;
      const response = await clientOptions.fetch(url, init);
      return mine.isOver ? never : response;
    },
  });
  return { client, begin };
};

/** Two requests read the same, and the first one is over before its response has come. */
const readTogether = async ({ sandbox }, { client, begin }, id) => {
  const end = sandbox.fault({ method: 'GET', nth: 1, action: { delay: 1_000 } });
  const endFirst = begin();
  void client.invoices.get(id).catch(() => {});
  await sandbox.advance(100);
  endFirst();
  begin();
  const read = client.invoices.get(id).then(() => true);
  const isRead = await sandbox.run(
    Promise.race([read, sandbox.clock.wait(5 * MINUTE).then(() => false)]),
  );
  end();
  return isRead;
};

/** Creates one; `undefined` where the client says that there is none. */
const create = async ({ sandbox, client }, { fault }, correlationId) => {
  const path = '/v1/invoices';
  const end = fault && sandbox.fault({ method: 'POST', path, nth: 1, action: fault });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, correlationId };
  const made = await sandbox.run(client.invoices.create(draft).catch(() => undefined));
  end?.();
  return made?.invoiceId;
};

/** Plays a schedule: how its orders ended, and what is wrong. */
export async function play(schedule) {
  const parcels = [];
  const on = { invoicePaid: ({ invoiceId }) => void parcels.push(invoiceId) };
  const shop = await openDeafShop(() => ({ on }));
  const isolate = openIsolate(shop.sandbox);
  const [ids, paid, problems] = [new Set(), new Set(), []];
  let name = 'order-0';
  for (const [n, order] of schedule.orders.entries()) {
    if (!order.reuses) name = `order-${n}`;
    const id = await create(shop, order, name);
    if (ids.has(id)) problems.push('an order was given the invoice of another');
    if (id !== undefined && !ids.has(id)) {
      ids.add(id);
      if (order.isPaid) {
        paid.add(id);
        await shop.pay(id);
      }
      for (let event = 0; event < order.events; event++) await shop.deliver('invoice.updated', id);
      if (order.isLeft && !(await readTogether(shop, isolate, id)))
        problems.push('a read waits for a request that is over');
    }
    await shop.live(5 * MINUTE);
  }
  for (const id of paid) {
    const count = parcels.filter((one) => one === id).length;
    if (count !== 1) problems.push(`${count} parcels for one payment`);
  }
  if (parcels.some((id) => !paid.has(id))) problems.push('a parcel for what was not paid');
  problems.push(...(await straysOf()));
  const counts = { paid: paid.size, parcels: parcels.length, made: ids.size };
  return { row: 'orders', lives: schedule.orders.length, counts, problems };
}

/** Smaller schedules. */
export function* smaller(schedule) {
  const { orders } = schedule;
  for (const index of orders.keys()) yield { ...schedule, orders: orders.toSpliced(index, 1) };
  const plain = { reuses: false, fault: undefined, isPaid: true, events: 1, isLeft: false };
  for (const [index, order] of orders.entries())
    for (const [member, value] of Object.entries(plain))
      yield { ...schedule, orders: orders.with(index, { ...order, [member]: value }) };
}

/** A test that brings it back; it belongs into test/long/. */
export const testOf = (schedule, problem) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../../scripts/simulate/orders.mjs';

describe('orders of a shop', () => {
  it('do not end with: ${problem}', async () => {
    const { problems } = await play(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;
