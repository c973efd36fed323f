// The code of the feed is loaded when it is first needed; while it cannot be loaded, watches are read without it.
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { describe, it, itWhole } from '#test';
import { internalsOf } from '../core/internals.ts';
import { invoices } from './invoices.ts';
import { openShop, record } from './shop.ts';

const MINUTE = 60_000;

interface FeedModule {
  readonly Feed: unknown;
}

/** Watches `count` invoices while the code that polls the feed cannot be loaded before `mend()`. */
async function withoutCode(count: number) {
  const donor = openShop();
  const watched = (await invoices(donor, 200)).map((one) =>
    record(watchInvoice(donor.client, one)),
  );
  await donor.sandbox.advance(MINUTE);
  for (const log of watched) log.stop();
  const { Feed } = internalsOf(donor.client).state.get('state.feed') as FeedModule;
  const shop = openShop();
  const all = await invoices(shop, count);
  const { clock, state } = internalsOf(shop.client);
  const loads: number[] = [];
  let isMended = false;
  const load = () => {
    loads.push(clock.monotonic());
    return isMended ? Promise.resolve({ Feed }) : Promise.reject(new TypeError('Failed to fetch'));
  };
  state.set('state.feed', { load });
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  const last = () => logs.map(({ values }) => values.at(-1)?.freshness);
  const requests = (path: string) => shop.requests.filter((one) => one.path === path).length;
  return { shop, logs, loads, last, requests, mend: () => void (isMended = true) };
}

describe('code of the event feed that cannot be loaded', () => {
  it('is not loaded where few are watched', async () => {
    const { shop, logs, loads } = await withoutCode(3);
    await shop.sandbox.advance(MINUTE);
    expect(loads).to.deep.equal([]);
    for (const log of logs) log.stop();
  });

  itWhole('leaves thousands stale between reads, and is tried again', async () => {
    const { shop, logs, loads, last, requests, mend } = await withoutCode(2_400);
    await shop.sandbox.advance(10 * MINUTE);
    expect(loads.length).to.be.within(3, 30);
    expect(requests('/v1/events')).to.equal(0);
    expect(requests('/v1/invoices')).to.be.above(50);
    expect(last().every((one) => one === 'live')).to.equal(false);
    expect(last().some((one) => one === 'stale')).to.equal(true);
    mend();
    const before = loads.length;
    await shop.sandbox.advance(11 * MINUTE);
    expect(loads).to.have.length(before + 1);
    expect(requests('/v1/events')).to.be.above(10);
    expect(last().every((one) => one === 'live')).to.equal(true);
    for (const log of logs) log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});
