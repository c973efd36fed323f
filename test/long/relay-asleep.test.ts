// Protects: while nothing changes the account object sleeps, pages stay true all the same, and nothing is forgotten with it.
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { checkout } from 'paystate/flows';
import { describe, it } from '#test';
import { record } from '../unit/state/shop.ts';
import { openObjects, openReplica, type RelayObjects } from './relay-objects.ts';

const MINUTE = 60_000;
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
  on: { invoicePaid: () => {} },
};

interface Resting {
  readonly world: RelayObjects;
  readonly invoice: Invoice;
  readonly page: ReturnType<RelayObjects['page']>;
  readonly log: ReturnType<typeof record<{ readonly value: Invoice; readonly freshness: string }>>;
}

/** A page has been open for three minutes, and nothing has happened. */
async function openResting(): Promise<Resting> {
  const world = openObjects(undefined, HOOKED);
  const invoice = await world.invoice();
  const page = world.page(invoice.invoiceId);
  const log = record(watchInvoice(page.client, invoice.invoiceId));
  await world.sandbox.advance(3 * MINUTE);
  world.requests();
  page.asked.length = 0;
  return { world, invoice, page, log };
}

const last = ({ log }: Resting) => log.values.at(-1)!;

describe('an account object whose pages wait', () => {
  it('has no timer set, looks by its alarm, and its pages stay live and ask for nothing', async () => {
    const resting = await openResting();
    const { world, page, log } = resting;
    for (let half = 0; half < 20; half++) {
      await world.sandbox.advance(29_950);
      const { timers } = world.account;
      await world.sandbox.advance(50); // for 20 ms after a write it plans
      expect(Math.min(timers, world.account.timers)).to.equal(0);
      world.account.evict(); // as the platform does with an object that sleeps
      expect(last(resting)).to.include({ freshness: 'live' });
    }
    const looks = world.requests();
    expect(looks.length).to.be.within(20, 27); // ten minutes: a look in 25 s, two polls of the feed
    expect([page.asked, log.values.map(({ freshness }) => freshness)]).to.deep.equal([
      [],
      log.values.map(() => 'live'),
    ]);
    log.stop();
  });

  it('is told by a webhook at once, also after it was put out of memory', async () => {
    const resting = await openResting();
    resting.world.account.evict();
    await resting.world.pay(resting.invoice);
    await resting.world.sandbox.advance(1_000);
    expect(last(resting).value.state).to.equal('PAID');
    expect(resting.page.asked).to.deep.equal([]);
  });

  it('finds what no webhook told within half a minute, and watches from then on', async () => {
    const resting = await openResting();
    const { world, invoice } = resting;
    world.sandbox.fault({ delivery: 'lost-before' });
    const other = await openOther(world);
    await world.sandbox.advance(3 * MINUTE);
    await world.pay(invoice);
    await world.sandbox.advance(26_000);
    expect(last(resting).value.state).to.equal('PAID');
    await world.pay(other.invoice);
    await world.sandbox.advance(4_000);
    expect(last(other).value.state).to.equal('PAID');
  });

  it('looks as often though one of many pages speaks when a look is due', async () => {
    const world = openObjects(undefined, HOOKED);
    const { sandbox, account, sent } = world;
    const invoices: Invoice[] = [];
    while (invoices.length < 12) invoices.push(await world.invoice());
    for (let time = 0; time < 3_000; time++) {
      const { invoiceId } = invoices[time % invoices.length]!;
      sandbox.clock.after(time * 100, () => void account.ask('follow', { invoiceId }));
    }
    await sandbox.advance(3 * MINUTE);
    const first = sent.length;
    await sandbox.advance(2 * MINUTE);
    const looks = sent.slice(first).filter(({ reason }) => reason.startsWith('checks of'));
    expect(looks.length).to.be.within(4, 5);
  });

  it('finds a payment that no webhook tells of within 4 seconds where all other orders are paid', async () => {
    const world = openObjects(undefined, HOOKED);
    for (let orders = 0; orders < 12; orders++) await world.pay((await openOther(world)).invoice);
    await world.sandbox.advance(10_000);
    world.sandbox.fault({ delivery: 'lost-before' });
    const { invoice, ...page } = await openOther(world);
    await world.pay(invoice);
    await world.sandbox.advance(4_000);
    expect(last({ invoice, ...page }).value.state).to.equal('PAID');
  });

  it('finds a reversal that no webhook tells of within ten minutes, though others are watched meanwhile', async () => {
    const world = openObjects(undefined, HOOKED);
    const { sandbox } = world;
    const invoice = await world.invoice();
    const { client } = world.page(invoice.invoiceId);
    const log = record(watchInvoice(client, invoice.invoiceId, { until: 'never' }));
    await sandbox.advance(MINUTE);
    await world.pay(invoice);
    await sandbox.advance(MINUTE);
    expect(log.values.at(-1)!.value!.state).to.equal('PAID');
    sandbox.fault({ delivery: 'lost-before' });
    await sandbox.payer.reverse(invoice.invoiceId);
    for (let half = 0; half < 20; half++) {
      await openOther(world); // each has few watched for a minute more
      await sandbox.advance(30_000);
    }
    expect(log.values.at(-1)!.value!.state).to.equal('REVERSED');
    log.stop();
  });

  for (const count of [10, 11])
    it(`finds a payment that no webhook tells of within 4 seconds where a page has just come and ${count} invoices are followed`, async () => {
      const world = openObjects(undefined, HOOKED);
      const { sandbox } = world;
      const pages: Resting[] = [];
      while (pages.length < count - 1) pages.push(await openOther(world));
      await sandbox.advance(3 * MINUTE);
      const { invoice, ...page } = await openOther(world); // webhooks have told of it, and come
      sandbox.fault({ delivery: 'lost-before' });
      await sandbox.advance(10_000);
      await world.pay(invoice);
      await sandbox.advance(4_000);
      expect(last({ invoice, ...page }).value.state).to.equal('PAID');
      for (const { log } of [...pages, page]) log.stop();
    });

  it('watches as long as no webhooks tell it anything', async () => {
    const world = openObjects();
    const invoice = await world.invoice();
    const log = record(watchInvoice(world.page(invoice.invoiceId).client, invoice.invoiceId));
    await world.sandbox.advance(5 * MINUTE);
    await world.pay(invoice);
    await world.sandbox.advance(4_000);
    expect(log.values.at(-1)!.value.state).to.equal('PAID');
  });

  it('is not live while the service is away, and is within a minute after it', async () => {
    const resting = await openResting();
    const { sandbox } = resting.world;
    const endOutage = sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await sandbox.advance(150_000);
    expect(last(resting).freshness).to.equal('stale');
    endOutage();
    await sandbox.advance(MINUTE);
    expect(last(resting).freshness).to.equal('live');
    resting.log.stop();
  });
});

async function openOther(world: RelayObjects): Promise<Resting> {
  const invoice = await world.invoice();
  const page = world.page(invoice.invoiceId);
  const log = record(watchInvoice(page.client, invoice.invoiceId));
  await world.sandbox.advance(1_000);
  return { world, invoice, page, log };
}

describe('a page behind a relay', () => {
  it('shows that a payment seems undone before that is sure, as a page without a relay does', async () => {
    const world = openReplica();
    const { replica } = world;
    const invoice = await world.invoice();
    replica.shows = 'PENDING';
    const { client, asked } = world.page(invoice.invoiceId);
    const log = record(watchInvoice(client, invoice.invoiceId));
    await world.sandbox.advance(10_000);
    expect(log.values.at(-1)!.value.state).to.equal('PENDING');
    asked.length = 0;
    replica.shows = undefined;
    await world.sandbox.advance(5_000);
    const seen = log.values.at(-1) as { readonly unconfirmed?: string; readonly value: Invoice };
    expect([seen.value.state, seen.unconfirmed]).to.deep.equal(['PENDING', 'UNPAID']);
    await world.sandbox.advance(40_000);
    const sure = log.values.at(-1) as { readonly unconfirmed?: string; readonly value: Invoice };
    expect([sure.value.state, sure.unconfirmed]).to.deep.equal(['UNPAID', undefined]);
    expect(asked.length).to.be.at.most(1); // the page's own rule may want a read of its own
    log.stop();
  });
});

describe('an outage of two hours', () => {
  it('with many open checkouts costs few requests, whatever sleeps meanwhile, and leaves no page behind', async () => {
    const PAGES = 4;
    const world = openObjects(undefined, HOOKED, true);
    const { sandbox, account } = world;
    const logs = [];
    for (let page = 0; page < PAGES; page++) {
      const { invoiceId } = await world.invoice();
      logs.push(record(checkout(world.page(invoiceId).client, { invoiceId })));
    }
    await sandbox.advance(MINUTE);
    expect(logs.map(({ values }) => values.at(-1)!.phase)).to.include('awaiting');
    const endOutage = sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    world.requests();
    for (let minute = 0; minute < 120; minute++) {
      await sandbox.advance(MINUTE);
      account.evict();
      for (const { values } of logs) expect(values.at(-1)!.phase).not.to.equal('paid');
    }
    const cost = world.requests();
    const quotes = cost.filter((one) => one.endsWith('/quote')).length;
    expect(quotes).to.be.at.most(120);
    expect(cost.length).to.be.at.most(1_000);
    endOutage();
    await sandbox.advance(MINUTE);
    expect(sandbox.blocks).to.equal(0);
    for (const { values } of logs)
      expect((values.at(-1) as { readonly freshness?: string }).freshness ?? 'live').not.to.equal(
        'stale',
      );
    for (const log of logs) log.stop();
  });
});
