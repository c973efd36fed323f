// Protects: drawn schedules of the event feed that once lost events. Each event comes once, or a gap tells of it.
// What is written here is what was left of a life once all that did not matter was taken away.
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../prove/simulate/feed.ts';

const BARE = { hidesDate: true, hidesCount: true };

describe('the event feed brings each event once, or tells of a gap', () => {
  for (const [name, schedule] of [
    ['where the oldest come first', { seed: 388458, count: 115, spread: 180_000, order: 'asc' }],
    [
      'the same, with two digits',
      { seed: 388500, count: 110, spread: 180_000, order: 'asc', digits: 2 },
    ],
    [
      'where a page holds one event, and the oldest comes first',
      {
        seed: 387482,
        count: 59,
        spread: 60_000,
        page: 1,
        late: 5_000,
        days: 29,
        order: 'asc',
        dated: 1,
      },
    ],
  ] as const)
    it(`without time and count, ${name}`, async () => {
      const { problems } = await play({ ...schedule, ...BARE });
      expect(problems).to.deep.equal([]);
    });

  it('where the first of all is dated ahead, and no response tells the time', async () => {
    const schedule = { seed: 384150, count: 37, spread: 60_000, dated: 1, late: 5_000 };
    const { problems, counts } = await play({ ...schedule, hidesDate: true });
    expect([problems, counts.gaps]).to.deep.equal([[], 0]);
  });

  it('where a page holds one event, and many of one instant change places', async () => {
    const { problems } = await play({ seed: 383438, count: 51, spread: 1_000, page: 1, burst: 20 });
    expect(problems).to.deep.equal([]);
  });
});
