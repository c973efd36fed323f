// Orders of a shop in one isolate: no order is given another's invoice, and no parcel is sent twice.
// Names are used again, responses are lost, three events come for each payment, and requests of the platform end while others
// read the same.
import { type Client, createClient } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import { openDeafShop, type Shop } from '../../unit/webhooks/shop.ts';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { anyPlan, type Played, testText } from './plan.ts';
import { straysOf } from './strays.ts';

const MINUTE_MS = 60_000;
const READ_DELAY_MS = 1_000;
const LEFT_AFTER_MS = 100;
const groups = ['reuse', 'network', 'events', 'isolate'] as const;
const ACTIONS = ['lost-before', 'lost-after', 'duplicated-last', 'cut-body'] as const;

interface Order {
  /** Its name is that of the order before it. */
  readonly reuses: boolean;
  readonly fault: (typeof ACTIONS)[number] | undefined;
  readonly isPaid: boolean;
  readonly events: number;
  /** A request that reads it is over before its response has come. */
  readonly isLeft: boolean;
}

interface OrdersSchedule {
  readonly seed: number;
  readonly orders: readonly Order[];
}

function scheduleOf(seed: number, faults: readonly string[]): OrdersSchedule {
  const chance: Chance = chanceOf(`orders/${seed}`);
  const has = (group: (typeof groups)[number], probability: number): boolean =>
    chance.hits(probability) && faults.includes(group);
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
}

/** A request of the platform; what it has begun never settles once it is over. */
class PlatformRequest {
  isOver = false;
  readonly #end = Promise.withResolvers<void>();

  get over(): Promise<void> {
    return this.#end.promise;
  }

  readonly end = (): void => {
    this.isOver = true;
    this.#end.resolve();
  };
}

/** One client for several requests of a platform. */
class Isolate {
  readonly client: Client;
  readonly #clock: Sandbox['clock'];
  #request = new PlatformRequest();

  constructor({ clientOptions, clock }: Sandbox) {
    this.#clock = clock;
    const { dedupeReads: _, ...options } = clientOptions; // as the package chooses
    this.client = createClient({
      ...options,
      clock: {
        ...clock,
        after: (ms, act) => this.#after(ms, act),
        wait: (ms, signal) =>
          new Promise((resolve) => {
            const cancel = this.#after(ms, resolve);
            signal?.addEventListener('abort', () => {
              cancel();
              resolve();
            });
          }),
        external: (work) => {
          const { over } = this.#request;
          void clock.external(Promise.race([work.catch(() => {}), over]));
          return work;
        },
      },
      fetch: async (url, init) => {
        const mine = this.#request;
        const response = await clientOptions.fetch(url, init);
        return mine.isOver ? new Promise(() => {}) : response;
      },
    });
  }

  #after(ms: number, act: () => void): () => void {
    const mine = this.#request;
    return this.#clock.after(ms, () => void (mine.isOver || act()));
  }

  /** Begins a request; returns what ends it. */
  begin(): () => void {
    this.#request = new PlatformRequest();
    return this.#request.end;
  }
}

/** Two requests read the same, and the first one is over before its response has come. */
async function readTogether({ sandbox }: Shop, isolate: Isolate, id: string): Promise<boolean> {
  const { client } = isolate;
  const end = sandbox.fault({ method: 'GET', nth: 1, action: { delay: READ_DELAY_MS } });
  const endFirst = isolate.begin();
  void client.invoices.get(id).catch(() => {});
  await sandbox.advance(LEFT_AFTER_MS);
  endFirst();
  isolate.begin();
  const read = client.invoices.get(id).then(() => true);
  const late = sandbox.clock.wait(5 * MINUTE_MS).then(() => false);
  const isRead = await sandbox.run(Promise.race([read, late]));
  end();
  return isRead;
}

/** Creates one; `undefined` where the client says that there is none. */
async function create(
  { sandbox, client }: Shop,
  { fault }: Order,
  correlationId: string,
): Promise<string | undefined> {
  const path = '/v1/invoices';
  const end = fault && sandbox.fault({ method: 'POST', path, nth: 1, action: fault });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, correlationId };
  const made = await sandbox.run(client.invoices.create(draft).catch(() => undefined));
  end?.();
  return made?.invoiceId;
}

/** Plays a schedule: how its orders ended, and what is wrong. */
export async function play({ orders }: OrdersSchedule): Promise<Played> {
  const parcels: string[] = [];
  const on = {
    invoicePaid: ({ invoiceId }: { readonly invoiceId: string }) => void parcels.push(invoiceId),
  };
  const shop = await openDeafShop(() => ({ on }));
  const isolate = new Isolate(shop.sandbox);
  const [ids, paid] = [new Set<string>(), new Set<string>()];
  const problems: string[] = [];
  let name = 'order-0';
  for (const [n, order] of orders.entries()) {
    if (!order.reuses) name = `order-${n}`;
    const id = await create(shop, order, name);
    if (id !== undefined && ids.has(id)) problems.push('an order was given the invoice of another');
    else if (id !== undefined) {
      ids.add(id);
      if (order.isPaid) {
        paid.add(id);
        await shop.pay(id);
      }
      for (let event = 0; event < order.events; event++) await shop.deliver('invoice.updated', id);
      if (order.isLeft && !(await readTogether(shop, isolate, id)))
        problems.push('a read waits for a request that is over');
    }
    await shop.live(5 * MINUTE_MS);
  }
  for (const id of paid) {
    const count = parcels.filter((one) => one === id).length;
    if (count !== 1) problems.push(`${count} parcels for one payment`);
  }
  if (parcels.some((id) => !paid.has(id))) problems.push('a parcel for what was not paid');
  problems.push(...(await straysOf()));
  const counts = { paid: paid.size, parcels: parcels.length, made: ids.size };
  return { row: 'orders', lives: orders.length, counts, problems };
}

const PLAIN: Order = { reuses: false, fault: undefined, isPaid: true, events: 1, isLeft: false };

function* smaller(schedule: OrdersSchedule): Iterable<OrdersSchedule> {
  const { orders } = schedule;
  for (const index of orders.keys()) yield { ...schedule, orders: orders.toSpliced(index, 1) };
  for (const [index, order] of orders.entries())
    for (const [member, value] of Object.entries(PLAIN))
      yield { ...schedule, orders: orders.with(index, { ...order, [member]: value }) };
}

const testOf = (schedule: OrdersSchedule, problem: string): string =>
  testText('orders of a shop', 'orders', schedule, problem);

export const plan = anyPlan({
  groups,
  livesEach: 1,
  shares: [],
  scheduleOf,
  play,
  smaller,
  testOf,
});
