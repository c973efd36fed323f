// Protects: pages behind the relay's real objects that slept, flew or were put away are true within seconds of coming back, by few
// requests, and hear by socket from then on.
import { expect } from 'chai';
import { type Invoice, type KnownSnapshot, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { inPage, type Page } from '../unit/state/page.ts';
import { type Record, record } from '../unit/state/shop.ts';
import { sleeper } from '../unit/state/sleeper.ts';
import { type Device, Network, openObjects, type RelayObjects } from './relay-objects.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
/** In three seconds: a look, one when the dead socket is given up, and a poll every two seconds. */
const FEW = 4;

interface Watched {
  readonly log: Record<KnownSnapshot<Invoice>>;
  readonly asked: string[];
}

const open = (world: RelayObjects, { invoiceId }: Invoice, device: Device = {}): Watched => {
  const { client, asked } = world.page(invoiceId, device);
  return { log: record(watchInvoice(client, invoiceId)), asked };
};

const said = ({ log }: Watched): readonly string[] => {
  const { value, freshness } = log.values.at(-1)!;
  return [value.state, freshness];
};

/** A page of an invoice in a browser, beside one in another browser that looks at it all the time. */
const besideAnother = async (
  device: (world: RelayObjects) => Device,
  run: (world: RelayObjects, invoice: Invoice, page: Watched, browser: Page) => Promise<void>,
): Promise<void> => {
  const world = openObjects();
  const invoice = await world.invoice();
  const other = open(world, invoice);
  await world.sandbox.advance(5 * SECOND);
  await inPage(async (browser) => {
    const page = open(world, invoice, device(world));
    await world.sandbox.advance(MINUTE);
    expect(said(page)).to.deep.equal(['UNPAID', 'live']);
    other.asked.length = page.asked.length = 0;
    await run(world, invoice, page, browser);
    expect(other.asked, 'what the other page has asked').to.deep.equal([]);
    page.log.stop();
    await world.sandbox.advance(SECOND);
  });
  other.log.stop();
};

/** From now on the page hears by its socket: of a payment within two seconds, and without a request. */
const expectSocket = async (world: RelayObjects, invoice: Invoice, page: Watched) => {
  page.asked.length = 0;
  await world.pay(invoice);
  await world.sandbox.advance(2 * SECOND);
  expect(said(page)).to.deep.equal(['PAID', 'live']);
  expect(page.asked).to.deep.equal([]);
};

for (const standsStill of [true, false]) {
  const clock = standsStill ? 'stood still' : 'went on';
  describe(`a page that slept for twenty minutes and whose clock ${clock}, its socket dead since`, () => {
    const asleep = async (isPaid: boolean, isSeen: boolean): Promise<void> => {
      const { timed, sleep } = sleeper(standsStill);
      const network = new Network();
      const device = ({ sandbox }: RelayObjects) => ({ clock: timed(sandbox.clock), network });
      await besideAnother(device, async (world, invoice, page, browser) => {
        network.cut();
        await sleep(
          world,
          20 * MINUTE,
          () => (isPaid ? world.pay(invoice) : Promise.resolve()),
          () => {
            network.isOn = true;
            if (isSeen) browser.show();
          },
        );
        await world.sandbox.advance(3 * SECOND);
        expect(said(page)).to.deep.equal([isPaid ? 'PAID' : 'UNPAID', 'live']);
        expect(page.asked.length).to.be.within(1, FEW);
        if (isPaid) return;
        await world.sandbox.advance(7 * SECOND);
        expect(page.asked.length).to.be.within(1, FEW + 2);
        await expectSocket(world, invoice, page);
      });
    };
    it('shows what was paid meanwhile', () => asleep(true, false));
    it('shows what was paid meanwhile where it is looked at', () => asleep(true, true));
    it('hears by a new socket ten seconds later', () => asleep(false, false));
    it('hears by a new socket ten seconds later where it is looked at', () => asleep(false, true));
  });
}

describe('a page in flight mode for three minutes', () => {
  const fly = async (isPaid: boolean): Promise<void> => {
    const network = new Network();
    await besideAnother(
      () => ({ network }),
      async (world, invoice, page, browser) => {
        const before = page.log.values.length;
        network.cut();
        browser.network(false);
        await world.sandbox.advance(MINUTE);
        if (isPaid) await world.pay(invoice);
        await world.sandbox.advance(2 * MINUTE);
        const meanwhile = page.log.values.slice(before).map(({ freshness }) => freshness);
        expect(meanwhile).to.deep.equal(['offline']);
        network.isOn = true;
        browser.network(true);
        await world.sandbox.advance(3 * SECOND);
        expect(said(page)).to.deep.equal([isPaid ? 'PAID' : 'UNPAID', 'live']);
        expect(page.asked.length).to.be.within(1, FEW);
        if (!isPaid) await expectSocket(world, invoice, page);
      },
    );
  };
  it('says that it is offline, and then what was paid meanwhile', () => fly(true));
  it('says that it is offline, and hears by a new socket then', () => fly(false));
});

describe('a page in the back-forward cache', () => {
  for (const minutes of [2, 20])
    for (const isPaid of [true, false])
      it(`for ${minutes} minutes gives its socket back, ${isPaid ? 'shows what was paid meanwhile' : 'and hears by a new one'} when it returns`, async () => {
        const { timed, sleep } = sleeper(false);
        const device = ({ sandbox }: RelayObjects) => ({ clock: timed(sandbox.clock) });
        await besideAnother(device, async (world, invoice, page, browser) => {
          const { lines } = world.room(invoice.invoiceId);
          const held = () => lines.filter(({ closedWith }) => closedWith === undefined).length;
          expect(held()).to.equal(2);
          browser.putAway();
          expect(held()).to.equal(1);
          const meanwhile = () => (isPaid ? world.pay(invoice) : Promise.resolve());
          await sleep(world, minutes * MINUTE, meanwhile, () => browser.restore());
          await world.sandbox.advance(3 * SECOND);
          expect(said(page)).to.deep.equal([isPaid ? 'PAID' : 'UNPAID', 'live']);
          expect(page.asked.length).to.be.within(1, FEW);
          if (!isPaid) await expectSocket(world, invoice, page);
        });
      });
});

describe('several pages of one invoice', () => {
  it('of which one sleeps, one has no network and one lost its socket disturb none of the others', async () => {
    const world = openObjects();
    const { sandbox } = world;
    const invoice = await world.invoice();
    const { timed, sleep } = sleeper(true);
    const [bed, flight] = [new Network(), new Network()];
    const others = Array.from({ length: 20 }, () => open(world, invoice));
    const asleep = open(world, invoice, { clock: timed(sandbox.clock), network: bed });
    const flying = open(world, invoice, { network: flight });
    await sandbox.advance(MINUTE);
    const losing = open(world, invoice);
    await sandbox.advance(5 * SECOND);
    for (const { asked } of [...others, losing]) asked.length = 0;
    bed.cut();
    flight.cut();
    world.room(invoice.invoiceId).lines.at(-1)!.close(1006);
    await sleep(world, 20 * MINUTE, undefined, () => void (bed.isOn = flight.isOn = true));
    expect(said(flying)).to.deep.equal(['UNPAID', 'stale']);
    expect(losing.asked.length).to.be.at.most(20);
    losing.asked.length = 0;
    await sandbox.advance(40 * SECOND);
    await world.pay(invoice);
    await sandbox.advance(2 * SECOND);
    for (const page of [...others, asleep, flying, losing])
      expect(said(page)).to.deep.equal(['PAID', 'live']);
    for (const { asked } of [...others, losing]) expect(asked).to.deep.equal([]);
  });
});
