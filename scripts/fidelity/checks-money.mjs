// Checks of sums, balances and times.
import { valueAt } from './json.mjs';
import { check } from './verdict.mjs';

const SCALE = 10;

/** A decimal text as a whole number of the smallest part that is counted. */
export function unitsOf(amount) {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const units = BigInt(whole + part.padEnd(SCALE, '0').slice(0, SCALE));
  return sign ? -units : units;
}

/** One amount is the sum of others. */
export const sums =
  (thing, total, ...parts) =>
  async (stage) => {
    const json = await stage.thing(thing);
    const wanted = parts.reduce((sum, path) => sum + unitsOf(valueAt(json, path)), 0n);
    const got = unitsOf(valueAt(json, total));
    check(wanted === got, `${total} = ${parts.join(' + ')}`, json);
  };

/** How many digits an amount has behind its point. */
export const digits = (thing, path, count) => async (stage) => {
  const amount = valueAt(await stage.thing(thing), path);
  const [, part = ''] = String(amount).split('.');
  check(part.length === count, `${path} with ${count} digits behind the point`, amount);
};

export const balanceOf = async (stage, currency, member = 'available') => {
  const rows = await stage.get('/v1/balances');
  return unitsOf(rows.find((row) => row.currency === currency)[member]);
};

/** The amounts at one or several paths, taken `times` times. */
const amountOf = (json, path, times) =>
  [path ?? []].flat().reduce((sum, one) => sum + BigInt(times) * unitsOf(valueAt(json, one)), 0n);

/** What making a thing does to a figure of the balance: the amount at `path`, taken `times` times. */
export const costs = (thing, currency, path, times, member) => async (stage) => {
  await stage.make(thing); // what it needs is there afterwards
  const before = await balanceOf(stage, currency, member);
  const made = await stage.make(thing);
  const change = (await balanceOf(stage, currency, member)) - before;
  const wanted = amountOf(made, path, times);
  check(change === wanted, `a change by ${times} × ${path} of ${currency}`, `${change}`);
};

/** What is done to a thing changes a figure of the balance. */
export const pays = (thing, act, currency, path, times, member) => async (stage) => {
  const made = await stage.make(thing);
  const before = await balanceOf(stage, currency, member);
  await act(stage, made);
  const change = (await balanceOf(stage, currency, member)) - before;
  const wanted = amountOf(made, path, times);
  check(change === wanted, `a change by ${times} × ${path} of ${currency}`, `${change}`);
};

/** A time lies between two distances from now, in milliseconds. */
export const within = (thing, path, least, most) => async (stage) => {
  const json = await stage.make(thing);
  const distance = Date.parse(valueAt(json, path)) - (await stage.world.now());
  check(
    distance >= least && distance <= most,
    `${path} from ${least} to ${most} ms from now`,
    distance,
  );
};

/** One time is not before another. */
export const notBefore = (thing, path, other) => async (stage) => {
  const json = await stage.make(thing);
  const [later, earlier] = [valueAt(json, path), valueAt(json, other)].map(Date.parse);
  check(later >= earlier, `${path} not before ${other}`, json);
};

/** What is done to a thing gives at least the amount back. */
export const paysAtLeast = (thing, act, currency, path) => async (stage) => {
  const made = await stage.make(thing);
  const before = await balanceOf(stage, currency);
  await act(stage, made);
  const change = (await balanceOf(stage, currency)) - before;
  check(change >= amountOf(made, path, 1), `${path} of ${currency} to come back`, `${change}`);
};
