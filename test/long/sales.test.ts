// Protects: a busy shop's pages show their payments within seconds, and never ask while their sockets hold; pages say nothing false
// while the service is away, and are true within a minute of its return. A part of `npm run sales`.
import { expect } from 'chai';
import { describe, it } from '#test';
import { playAway, playSales } from './sales.ts';

describe('a busy shop behind a relay', () => {
  it('shows sixty paid orders of a minute within five seconds each, half of all events delivered twice', async () => {
    const figures = await playSales({ rate: 60, minutes: 1, strangers: 100 });
    const { paid, shown, shipped, asked, blocks, events, deliveries } = figures;
    expect({ paid, shown, shipped, asked, blocks }).to.deep.equal({
      paid: 60,
      shown: 60,
      shipped: 60,
      asked: 0,
      blocks: 0,
    });
    expect(figures.p99).to.be.at.most(5_000);
    expect(deliveries).to.be.greaterThan(events * 1.3);
    expect(figures.eventReads).to.be.at.most(events);
  });

  it('shows two hundred and fifty paid orders of a minute as soon, for far fewer reads than orders', async () => {
    const figures = await playSales({ rate: 250, minutes: 1, strangers: 100 });
    const { paid, shown, shipped, asked, blocks, eventReads, otherReads } = figures;
    expect({ paid, shown, shipped, asked, blocks }).to.deep.equal({
      paid: 250,
      shown: 250,
      shipped: 250,
      asked: 0,
      blocks: 0,
    });
    expect(figures.p99).to.be.at.most(5_000);
    expect(eventReads + otherReads).to.be.at.most(250);
  });

  for (const away of ['outage', 'block'] as const)
    it(`has pages that say nothing false through ${away === 'outage' ? 'an outage of two hours' : "an hour's block"}, and are true within a minute after it`, async () => {
      const { liveBefore, recovery, ...figures } = await playAway(away, 10);
      const { falselyLive, liveMeanwhile, blocks } = figures;
      expect({ liveBefore, falselyLive, liveMeanwhile, blocks }).to.deep.equal({
        liveBefore: 10,
        falselyLive: 0,
        liveMeanwhile: 0,
        blocks: 0,
      });
      expect(recovery).to.be.at.most(60_000);
    });
});
