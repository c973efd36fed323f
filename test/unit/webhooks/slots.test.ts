// Protects: handlers run in slots that are refilled one by one; one that never answers delays no other, is reported,
// counted, and not run again before its lease ends; one that ends late counts.
import { expect } from 'chai';
import { describe, it } from '#test';
import { MINUTE, openShop, SECOND, type Shop } from './shop.ts';

const forever = (): Promise<never> => new Promise(() => {});

/** A shop whose first handlers hang until they are let go. */
async function openHanging(count: number) {
  const hanging: (() => void)[] = [];
  const runs: string[] = [];
  const shop = await openShop((own) => ({
    on: {
      invoicePaid(invoice, context) {
        runs.push(context.key);
        if (runs.length <= count) return new Promise<void>((resolve) => void hanging.push(resolve));
        own.log('paid')(invoice, context);
        return undefined;
      },
    },
  }));
  return { shop, hanging, runs };
}

async function payNew(shop: Shop, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await shop.pay(await shop.create());
  await shop.sandbox.advance(SECOND);
}

/** Goes on with an alarm each second, which waits for no other. */
async function pass({ sandbox, inbox }: Shop, duration: number): Promise<void> {
  for (let left = duration; left > 0; left -= SECOND) {
    void inbox.drain();
    await sandbox.advance(SECOND);
  }
}

const slowOnes = ({ problems }: Shop): number =>
  problems.filter(({ kind }) => kind === 'handler-slow').length;

describe('handlers in slots', () => {
  it('ten that never answer delay nobody, and are reported after handlerTimeout', async () => {
    const { shop, runs } = await openHanging(10);
    await payNew(shop, 10);
    expect([runs.length, shop.inbox.stuck, slowOnes(shop)]).to.deep.equal([10, 0, 0]);
    await payNew(shop, 2);
    expect(shop.effects).to.have.members(['paid #11 PAID PAID 1', 'paid #12 PAID PAID 1']);
    await shop.sandbox.advance(31 * SECOND);
    expect([shop.inbox.stuck, slowOnes(shop)]).to.deep.equal([10, 10]);
  });

  it('forty that never answer hold the others up for handlerTimeout each time', async () => {
    const { shop } = await openHanging(40);
    await payNew(shop, 41);
    await pass(shop, 29 * SECOND);
    expect(shop.effects).to.deep.equal([]);
    await pass(shop, 40 * SECOND);
    expect(shop.effects).to.have.length(1);
  });

  it('are refilled one by one: of sixty at once, only the one that hangs is late', async () => {
    const { shop, hanging } = await openHanging(1);
    await shop.run(shop.inbox.reconcile());
    shop.sandbox.fault({ delivery: 'lost-before' });
    await payNew(shop, 60);
    void shop.inbox.reconcile();
    await shop.sandbox.advance(20 * SECOND);
    expect(hanging).to.have.length(1);
    expect(shop.effects).to.have.length(59);
  });

  it('one that ends late counts, and one that does not runs again after its lease', async () => {
    const { shop, hanging, runs } = await openHanging(2);
    await payNew(shop, 2);
    await pass(shop, 4 * MINUTE);
    expect([runs.length, shop.inbox.stuck]).to.deep.equal([2, 2]);
    hanging[0]!();
    await pass(shop, 40 * SECOND);
    expect([runs.length, shop.inbox.stuck]).to.deep.equal([2, 1]);
    await pass(shop, 2 * MINUTE);
    expect(runs.map((key) => key === runs[1])).to.deep.equal([false, true, true]);
    expect(shop.effects.map((effect) => effect.at(-1))).to.deep.equal(['2']);
    expect([shop.inbox.stuck, (await shop.inbox.status()).open]).to.deep.equal([0, 0]);
  });

  it('in a process that runs on, another one is repeated while one hangs', async () => {
    let tries = 0;
    const shop = await openShop(() => ({
      on: {
        invoicePaid: () => forever(),
        invoiceCancelled() {
          tries += 1;
          if (tries < 3) throw new Error('not yet');
        },
      },
    }));
    const ending = new AbortController();
    void shop.inbox.run(ending.signal);
    shop.sandbox.fault({ delivery: 'lost-before' });
    await shop.pay(await shop.create());
    const other = await shop.create();
    await shop.run(shop.client.invoices.cancel(other));
    await shop.sandbox.advance(5 * MINUTE + 20 * SECOND);
    expect(tries).to.equal(3);
    ending.abort();
  });
});
