// Protects: a busy shop's pages show their payments within seconds, and never ask while their sockets hold; pages say nothing false
// while the service is away, and are true within a minute of its return. With `npm run test:all` for ten
// minutes, and with three hundred pages.
import { expect } from 'chai';
import { describe, it, itWhole, sized } from '#test';
import { playAway, playSales } from './sales.ts';

const MINUTES = sized(1, 10);
const PAGES = sized(10, 300);

/** Sells so many in a minute: each is paid, shown and shipped once, and shown within five seconds. */
async function sellAll(rate: number, minutes = MINUTES) {
  const figures = await playSales({ rate, minutes, strangers: 100 * minutes });
  const { paid, shown, shipped, asked, blocks } = figures;
  const orders = rate * minutes;
  const all = { paid: orders, shown: orders, shipped: orders, asked: 0, blocks: 0 };
  expect({ paid, shown, shipped, asked, blocks }).to.deep.equal(all);
  expect(figures.p99).to.be.at.most(5_000);
  return figures;
}

describe('a busy shop behind a relay', () => {
  it('shows sixty paid orders of a minute within five seconds each, half of all events delivered twice', async () => {
    const figures = await sellAll(60);
    const { deliveries, events, eventReads } = figures;
    expect(deliveries).to.be.greaterThan(events * 1.3);
    expect(eventReads).to.be.at.most(events);
  });

  itWhole('shows a hundred and twenty paid orders of a minute as soon', async () => {
    const { events, eventReads } = await sellAll(120);
    expect(eventReads).to.be.at.most(events);
  });

  it('shows two hundred and fifty paid orders of a minute as soon, for far fewer reads than orders', async () => {
    const figures = await sellAll(250, 1);
    expect(figures.eventReads + figures.otherReads).to.be.at.most(250);
  });

  for (const away of ['outage', 'block'] as const)
    it(`has pages that say nothing false through ${away === 'outage' ? 'an outage of two hours' : "an hour's block"}, and are true within a minute after it`, async () => {
      const { liveBefore, recovery, ...figures } = await playAway(away, PAGES);
      const { falselyLive, liveMeanwhile, blocks } = figures;
      expect({ liveBefore, falselyLive, liveMeanwhile, blocks }).to.deep.equal({
        liveBefore: PAGES,
        falselyLive: 0,
        liveMeanwhile: 0,
        blocks: 0,
      });
      expect(recovery).to.be.at.most(60_000);
    });
});
