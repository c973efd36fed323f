// T3: the event feed, read from a service with every bad habit that its description allows: each
// event once, whatever is printed, counted, late, dated ahead or in no order; what could not be read is told as a gap.
import { happen, openFeedServer, walk } from '../../test/unit/state/feed-server.ts';
import { chanceOf } from '../adversary/chance.mjs';
import { straysOf } from './strays.mjs';

const MINUTE = 60_000;

/** Habits, by the names that `--faults` takes. */
const HABITS = {
  dated: (chance) => ({ dated: chance.between(1, 3) }), // events dated up to a day ahead or behind
  digits: (chance) => ({ digits: chance.between(0, 7) }), // fewer digits printed than stored
  pages: (chance) => ({ page: chance.pick([1, 5, 37, 99]) }), // shorter pages than asked for
  late: (chance) => ({ late: chance.pick([5_000, 60_000, 299_000]) }), // visible later, up to five minutes
  ties: (chance) => ({ burst: chance.between(20, 150) }), // many of the same instant, whose order changes
  nodate: () => ({ hidesDate: true }), // no time of the service can be read
  clock: (chance) => ({ ahead: chance.between(-86_400_000, 86_400_000) }), // a wrong clock of our own
  old: (chance) => ({ days: chance.pick([1, 29, 29.97]) }), // from a time that is almost forgotten
  order: (chance) => ({ order: chance.pick(['asc', 'desc', 'shuffled']) }), // another order than asked for
  nocount: () => ({ hidesCount: true }), // no count
};
export const groups = Object.keys(HABITS);

export const livesEach = 1;
export const shares = [];

/** A schedule of a seed, with these habits only. */
export const scheduleOf = (seed, faults) => {
  const chance = chanceOf(`feed/${seed}`);
  const drawn = groups.map((group) => [group, chance.hits(0.3), HABITS[group](chance)]);
  const habits = drawn.filter(([group, hits]) => hits && faults.includes(group));
  const count = chance.between(20, 160);
  const spread = chance.pick([1_000, MINUTE, 3 * MINUTE]);
  return Object.assign({ seed, count, spread }, ...habits.map(([, , habit]) => habit));
};

const lateness =
  ({ late, seed }) =>
  (n) =>
    late && (n * 7 + seed) % 10 === 0 ? late : 20;

/** What happened a while ago, and is asked for by its time. */
const makeOld = (server, days) => {
  const now = server.sandbox.clock.now();
  const from = now - Math.floor(days * 24 * 60 * MINUTE);
  for (let n = 0; n < 30; n++) {
    const at = from + n * 1_000 + 2 * 60 * MINUTE;
    if (at < now - 10 * MINUTE)
      server.happenings.push({ id: `old-${n}`, at, rest: n, visible: at });
  }
  return new Date(from).toISOString();
};

const problemsOf = ({ ids, gaps }, { happenings }) => {
  const seen = new Map();
  for (const id of ids) seen.set(id, (seen.get(id) ?? 0) + 1);
  const twice = [...seen].filter(([, times]) => times > 1).length;
  const isTold = (at) =>
    gaps.some(({ startsAt, endsAt }) => at >= startsAt - 1_000 && at <= endsAt + 1_000);
  const lost = happenings.filter(({ id, at }) => !seen.has(id) && !isTold(at));
  return [
    ...(lost.length > 0 ? [`lost ${lost.length} of ${happenings.length} events`] : []),
    ...(twice > 0 ? [`brought ${twice} events twice`] : []),
  ];
};

/** Plays a schedule: what was read, and what is wrong with it. */
export async function play(schedule) {
  const { count, spread, burst = 0, days, seed, hidesDate } = schedule;
  // without the service's time, two events that are dated ahead cannot be told from the present
  const dated = hidesDate ? Math.min(1, schedule.dated ?? 0) : (schedule.dated ?? 0);
  const server = openFeedServer(schedule);
  const from = days && makeOld(server, days);
  const log = walk(server, from);
  await server.sandbox.advance(10_000);
  happen(server, schedule.page === 1 ? Math.min(count, 40) : count, spread, lateness(schedule));
  if (burst) happen(server, schedule.page === 1 ? 20 : burst, 0);
  const now = server.sandbox.clock.now();
  for (let n = 0; n < dated; n++) {
    const at = now + (((seed * 31 + n * 17) % 90) + 1) * MINUTE;
    server.happenings.push({ id: `dated-${n}`, at, rest: n, visible: now + n });
  }
  await server.sandbox.advance(spread + 13 * MINUTE);
  log.stop();
  await server.sandbox.advance(MINUTE);
  const { happenings } = server;
  return {
    row: 'feed',
    counts: { events: happenings.length, requests: server.requests, gaps: log.gaps.length },
    problems: [...problemsOf(log, server), ...(await straysOf())],
  };
}

/** Smaller schedules, the smallest steps last. */
export function* smaller(schedule) {
  const { seed, count, spread, ...habits } = schedule;
  for (const name of Object.keys(habits)) {
    const { [name]: _, ...others } = habits;
    yield { seed, count, spread, ...others };
  }
  if (count > 20) yield { ...schedule, count: Math.ceil(count / 2) };
}

/** A test that brings it back; it belongs into test/long/. */
export const testOf = (schedule, problem) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../../scripts/simulate/feed.mjs';

describe('the event feed', () => {
  it('does not end with: ${problem}', async () => {
    const { problems } = await play(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;
