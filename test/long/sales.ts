// A shop with pages in virtual time: many orders a minute before the relay's real objects, and a service that goes away.
import { type Client, createClient, type Invoice, watchInvoice } from 'paystate';
import { openObjects, type RelayObjects } from './relay-objects.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
};
/** A page opens so long before its order is paid. */
const LEAD = 20 * SECOND;
/** Orders that a shop opens in a minute, below the share of the service's limit that pages have. */
const MOST_OPENED = 190;

export interface SalesOptions {
  /** Orders paid in a minute. */
  readonly rate: number;
  readonly minutes: number;
  /** Free invoices that strangers make meanwhile. */
  readonly strangers: number;
}

export interface SalesFigures {
  readonly paid: number;
  /** Pages that have shown it. */
  readonly shown: number;
  /** Orders that the shop was told to ship, each counted as often as it was told. */
  readonly shipped: number;
  /** From the payment to the page, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly events: number;
  readonly deliveries: number;
  /** Reads of the relay for an event; lists have many. */
  readonly eventReads: number;
  /** Other reads of the relay: the event feed, watches, payments, pages that open. */
  readonly otherReads: number;
  /** What pages have asked the relay after they had opened. */
  readonly asked: number;
  readonly blocks: number;
}

interface SalePage {
  readonly client: Client;
  readonly asked: string[];
}

/** The order opened, its page shown, and paid, each at its time. */
class SalesDay {
  readonly waits: number[] = [];
  shipped: number = 0;
  paid: number = 0;
  readonly #pages: { readonly asked: readonly string[]; opening: number }[] = [];
  readonly world: RelayObjects;

  constructor() {
    const on = { orderPaid: () => void this.shipped++ };
    this.world = openObjects(undefined, { ...HOOKED, on });
    this.world.sandbox.fault({ delivery: 'duplicated', probability: 0.5 });
  }

  get asked(): number {
    return this.#pages.reduce((sum, { asked, opening }) => sum + asked.length - opening, 0);
  }

  async openOrder(): Promise<string> {
    const { relay, exchange } = this.world;
    const { orderId, orderSecret } = await relay.createOrder(DRAFT);
    const { body } = await exchange(orderId, orderSecret);
    return body.invoiceId;
  }

  /** Shows the order, and pays it when the page has been open for a while. */
  async sell(invoiceId: string): Promise<void> {
    const { sandbox } = this.world;
    const { client, asked }: SalePage = this.world.page(invoiceId);
    const page = { asked, opening: 0, isPaid: false };
    this.#pages.push(page);
    let paidAt = Infinity;
    watchInvoice(client, invoiceId).subscribe({
      next: ({ value }) => {
        if (value?.state !== 'PAID' || page.isPaid) return;
        page.isPaid = true;
        this.waits.push(sandbox.clock.now() - paidAt);
      },
    });
    await sandbox.clock.wait(LEAD);
    page.opening = asked.length;
    paidAt = sandbox.clock.now();
    this.paid++;
    await sandbox.payer.pay(invoiceId);
  }
}

/** Runs the work at even times, beside everything else that happens. */
async function evenly(
  { sandbox: { clock } }: RelayObjects,
  count: number,
  every: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  const start = clock.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    await clock.wait(start + index * every - clock.now());
    all.push(work(index));
  }
  await Promise.all(all);
}

/** Sells so many orders a minute, each with a page, half of all deliveries twice. */
export async function playSales({ rate, minutes, strangers }: SalesOptions): Promise<SalesFigures> {
  const day = new SalesDay();
  const { world } = day;
  const { sandbox } = world;
  const total = rate * minutes;
  const orders: Promise<string>[] = [];
  const opening = MINUTE / Math.min(rate, MOST_OPENED);
  const ahead = 10 * SECOND + Math.max(0, total * (opening - MINUTE / rate));
  const opened = evenly(world, total, opening, async () => {
    orders.push(day.openOrder());
    await orders.at(-1);
  });
  await sandbox.advance(ahead);
  const [begun, first] = [sandbox.clock.now(), world.sent.length];
  const sold = evenly(world, total, MINUTE / rate, async (index) => day.sell(await orders[index]!));
  const noise = evenly(world, strangers, (minutes * MINUTE) / strangers, async (index) => {
    const address = `198.51.100.${index % 250}`;
    await createClient(sandbox.clientOptionsFor({ address })).invoices.create(DRAFT);
  });
  await sandbox.run(Promise.all([opened, sold, noise]));
  await sandbox.advance(MINUTE);
  return figuresOf(day, begun, first);
}

/** @param first of the relay's requests that count */
function figuresOf(day: SalesDay, begun: number, first: number): SalesFigures {
  const { sandbox, sent: requests } = day.world;
  const reads = requests.slice(first).filter(({ method }) => method === 'GET');
  const forEvents = reads.filter(({ reason = '' }) => /^(an event|events of )/.test(reason)).length;
  const sent = sandbox.deliveries.filter(({ at }) => at >= begun);
  const waits = [...day.waits].sort((one, other) => one - other);
  const part = (of: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * of))] ?? Infinity;
  return {
    paid: day.paid,
    shown: waits.length,
    shipped: day.shipped,
    p50: part(0.5),
    p99: part(0.99),
    worst: part(1),
    events: new Set(sent.map(({ eventId }) => eventId)).size,
    deliveries: sent.length,
    eventReads: forEvents,
    otherReads: reads.length - forEvents,
    asked: day.asked,
    blocks: sandbox.blocks,
  };
}

/** How the service is away: it answers nothing good, or has blocked the relay's address for an hour. */
export type Away = 'outage' | 'block';

export interface AwayFigures {
  readonly pages: number;
  /** Pages that were live and true before. */
  readonly liveBefore: number;
  /** Times that a page said `live` of a state that was not so any more. */
  readonly falselyLive: number;
  /** Pages that were live once the service had been away for 150 seconds. */
  readonly liveMeanwhile: number;
  /** What pages said meanwhile, each kind once. */
  readonly said: readonly string[];
  /** From the service's return to the last page that is live and true, milliseconds. */
  readonly recovery: number;
  /** What the relay has asked meanwhile. */
  readonly requests: number;
  readonly blocks: number;
}

/** Pages of one invoice each while the service is away; some are paid meanwhile. */
export async function playAway(away: Away, count: number): Promise<AwayFigures> {
  const world = openObjects(undefined, HOOKED);
  const { sandbox } = world;
  const pages = await openPages(world, count);
  const isRight = ({ freshness, state, truth }: OpenPage): boolean =>
    freshness === 'live' && state === truth;
  const liveBefore = pages.filter(isRight).length;
  const time = away === 'outage' ? 120 * MINUTE : 60 * MINUTE;
  const end = away === 'outage' ? fail(world) : await block(world);
  const began = sandbox.clock.now();
  const first = sandbox.log.length;
  const paying = pages.slice(0, count / 10);
  const said = new Set<string>();
  let [falselyLive, liveMeanwhile] = [0, 0];
  const look = (): void => {
    for (const page of pages) {
      const isLive = page.freshness === 'live';
      if (isLive && page.state !== page.truth) falselyLive++;
      if (sandbox.clock.now() <= began + 150 * SECOND) continue;
      if (isLive) liveMeanwhile++;
      said.add(page.freshness);
    }
  };
  while (sandbox.clock.now() < began + time - 10 * SECOND) {
    await sandbox.advance(10 * SECOND);
    look();
    if (sandbox.clock.now() >= began + 30 * MINUTE)
      for (const page of paying.splice(0)) await page.pay();
  }
  await sandbox.advance(began + time - sandbox.clock.now());
  const requests = sandbox.log.length - first;
  const back = sandbox.clock.now();
  end();
  const isTrue = (): boolean => pages.every(isRight);
  while (!isTrue() && sandbox.clock.now() < back + 10 * MINUTE) await sandbox.advance(SECOND);
  const recovery = isTrue() ? sandbox.clock.now() - back : Infinity;
  await sandbox.advance(10 * MINUTE);
  const { blocks } = sandbox;
  for (const { stop } of pages) stop();
  return {
    pages: count,
    liveBefore,
    falselyLive,
    liveMeanwhile,
    said: [...said].sort(),
    recovery,
    requests,
    blocks: blocks - (away === 'block' ? 1 : 0),
  };
}

interface OpenPage {
  freshness: string;
  state: string | undefined;
  truth: string;
  pay(): Promise<void>;
  stop(): void;
}

/** Opened in turn, below the rate limits. */
async function openPages(world: RelayObjects, count: number): Promise<readonly OpenPage[]> {
  const { sandbox } = world;
  const pages: OpenPage[] = [];
  while (pages.length < count) {
    const address = `198.51.100.${Math.floor(pages.length / 200)}`;
    const shop = createClient(sandbox.clientOptionsFor({ address }));
    const invoice = await sandbox.run(shop.invoices.create(DRAFT));
    pages.push(openPage(world, invoice));
    await sandbox.advance(SECOND / 2);
  }
  await sandbox.advance(5 * MINUTE);
  return pages;
}

function openPage(world: RelayObjects, { invoiceId }: Invoice): OpenPage {
  const page: OpenPage = {
    freshness: 'loading',
    state: undefined,
    truth: 'UNPAID',
    stop: () => {},
    async pay() {
      page.truth = 'PAID';
      await world.sandbox.payer.pay(invoiceId);
    },
  };
  page.stop = watchInvoice(world.page(invoiceId).client, invoiceId).subscribe({
    next: ({ freshness, value }) => Object.assign(page, { freshness, state: value?.state }),
  });
  return page;
}

/** The service answers 503 to all, and its webhooks are lost. */
function fail({ sandbox }: RelayObjects): () => void {
  const ends = [
    sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } }),
    sandbox.fault({ delivery: 'lost-before' }),
  ];
  return () => ends.forEach((end) => end());
}

/** Another program at the relay's address asks until the service blocks it for an hour. */
async function block({ sandbox }: RelayObjects): Promise<() => void> {
  const { baseUrl, apiKey, fetch } = sandbox.clientOptions;
  const headers = { authorization: `Bearer ${apiKey}` };
  while (sandbox.blocks === 0)
    await sandbox.run(fetch!(`${baseUrl}/v1/balances`, { method: 'GET', headers }));
  return () => {};
}
