// Plays lives of a span of seeds, and judges each.
import { drawSchedule, ListenerError, playSchedule } from '../../test/unit/flows/pay-lives.ts';
import { judge } from './judge.mjs';

/** Parts of a schedule that can be left out, by the names of `--faults`. */
const GROUPS = {
  deaths: { deaths: [] },
  twins: { hasTwin: false },
  copies: { hasCopies: false },
  network: { troubles: (rules) => rules.filter((rule) => !rule.action || 'from' in rule) },
  spans: { troubles: (rules) => rules.filter((rule) => !('from' in rule)) },
  late: { troubles: (rules) => rules.filter((rule) => !rule.event) },
  business: { troubles: (rules) => rules.filter((rule) => !rule.subject), hasStranger: false },
  sleep: { sleep: undefined },
  listeners: { listeners: undefined },
  retries: { retry: false },
};

/** A schedule without one group of what can go wrong. */
const without = (schedule, group) => {
  const changed = { ...schedule };
  for (const [name, value] of Object.entries(GROUPS[group]))
    changed[name] = typeof value === 'function' ? value(changed[name]) : value;
  return changed;
};

export const groups = Object.keys(GROUPS);

/** The life of a seed with these groups of faults only. */
export const scheduleOf = (seed, faults) =>
  groups
    .filter((group) => !faults.includes(group))
    .reduce(without, drawSchedule(seed, undefined, true));

const uncaught = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));

/** Errors that nobody has caught; what listeners threw has to be there, once each. */
const strays = async (thrown) => {
  if (thrown > 0) await new Promise((resolve) => void setTimeout(resolve, 0));
  const all = uncaught.splice(0);
  const own = all.filter((error) => error instanceof ListenerError).length;
  const problems = all
    .filter((error) => !(error instanceof ListenerError))
    .map((error) => `uncaught: ${error?.stack ?? error}`);
  if (own !== thrown) problems.push(`listeners threw ${thrown} times, reported were ${own}`);
  return problems;
};

/** Plays a schedule: its end, and what is wrong with it. */
export async function play(schedule) {
  const life = await playSchedule(schedule);
  const problems = [...judge({ schedule, life }), ...(await strays(life.thrown))];
  return { end: `${schedule.rail} ${life.result?.phase ?? 'no end'}`, problems };
}

/** Smaller schedules, the smallest steps last. */
function* smaller(schedule) {
  for (const group of groups) yield without(schedule, group);
  for (const name of ['troubles', 'deaths'])
    for (const index of schedule[name].keys())
      yield { ...schedule, [name]: schedule[name].toSpliced(index, 1) };
  if (schedule.pause > 0) yield { ...schedule, pause: 0 };
}

/** The smallest schedule found that goes wrong in the same way. */
export async function shrink(schedule, [problem]) {
  const kindOf = (text) => text?.replaceAll(/\d+/g, '').slice(0, 40);
  const same = ({ problems }) => problems.some((one) => kindOf(one) === kindOf(problem));
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(schedule)) {
      if (JSON.stringify(candidate) === JSON.stringify(schedule)) continue;
      if (!same(await play(candidate))) continue;
      schedule = candidate;
      isSmaller = true;
      break;
    }
  }
  return schedule;
}
