// Judges what watches said, by the history of the service, with tables of its own.

const RANK = { UNPAID: 0, PENDING: 1, CANCELLED: 2, PAID: 3, REVERSED: 4 };
const SETTLED = ['PAID', 'CANCELLED', 'REVERSED'];

/** What was never so, and what went back although the service has not. */
const untrueOf = ({ said }, states) => {
  const known = said.filter(({ state }) => state !== undefined);
  for (const [index, { at, state }] of known.entries()) {
    if (!states.some((one) => one.state === state && one.at <= at)) return `${state} was never so`;
    const before = known[index - 1]?.state;
    const fell = states.some(
      (one, n) => one.at <= at && RANK[one.state] < RANK[states[n - 1]?.state],
    );
    if (RANK[state] < RANK[before] && !fell) return `${before} and then ${state}`;
  }
  return undefined;
};

const endOf = ({ said, ends }, states) => {
  const { state: truth } = states.at(-1);
  const last = said.findLast(({ isOff }) => !isOff);
  if (ends?.how === 'error') return `ended with ${ends.error?.code ?? ends.error}`;
  if (last?.state !== truth) return `says ${last?.state}, the service ${truth}`;
  if (ends && !SETTLED.includes(last.state)) return `ended at ${last.state}`;
  if (!ends && SETTLED.includes(truth)) return `goes on after ${truth}`;
  return ends || last.isLive ? undefined : 'right, and not live';
};

/** What is wrong with what was said: [] where all is well. */
export const judge = (records, history) =>
  records.flatMap((record) => {
    const states = history.get(record.id);
    const found = [untrueOf(record, states), endOf(record, states)].filter(Boolean);
    if (record.late > 0) found.push('heard something after its end');
    return [...found, ...record.faults].map((text) => `a watch: ${text}`);
  });
