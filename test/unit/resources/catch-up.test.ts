// A feed that is hours behind reads them in stretches: what lies on the line between two is read too.
import { expect } from 'chai';
import { eventFeed } from 'paystate';
import { describe, itLong } from '#test';
import { openFeedServer } from '../state/feed-server.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('the event feed that begins hours ago', () => {
  for (const digits of [0, 6])
    itLong(
      `misses no second where one stretch ends and the next begins, with ${digits} digits printed`,
      async () => {
        const { sandbox, client, happenings } = openFeedServer({ digits });
        const from = sandbox.clock.now();
        // stretches double while each is one page: an hour, two, four; each begins a little before the end of the last
        for (const end of [1, 3, 7])
          for (let second = -12; second <= 12; second++) {
            const at = from + end * HOUR + second * SECOND;
            happenings.push({ id: `event-${happenings.length}`, at, rest: 0, visible: at });
          }
        await sandbox.advance(9 * HOUR);
        const feed = eventFeed(client, { from: new Date(from).toISOString() });
        const seen: string[] = [];
        let isOver = false;
        const walking = (async () => {
          for await (const { event, gap } of feed) {
            if (isOver) break;
            seen.push(event?.id ?? `gap: ${gap!.reason}`);
          }
        })();
        await sandbox.advance(5 * MINUTE);
        isOver = true;
        happenings.push({
          id: 'last',
          at: sandbox.clock.now(),
          rest: 0,
          visible: sandbox.clock.now(),
        });
        await sandbox.run(walking);
        expect(seen).to.deep.equal(happenings.slice(0, -1).map(({ id }) => id));
      },
    );
});
