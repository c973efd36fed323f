// This draws by a seed what happens in a run: troubles, payments, who listens when, what the page does.
import { chanceOf } from '../adversary/chance.mjs';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Says how often each is drawn, and how long it lasts, seconds. */
const TROUBLES = {
  unavailable: [12, 10, 300],
  'feed-unavailable': [8, 10, 300],
  'lists-unavailable': [8, 10, 300],
  gone: [12, 5, 180],
  silent: [6, 5, 180],
  lossy: [8, 30, 300],
  token: [8, 13, 600],
  block: [4, 60, 3_600],
  portal: [8, 10, 120],
  sleep: [8, 60, 7_200],
  'sleep-ticking': [3, 60, 7_200],
  behind: [8, 30, 300],
  'behind-lossy': [6, 30, 300],
  'stale-once': [6, 60, 60],
  'proxy-403': [5, 10, 30],
  'proxy-404': [4, 10, 30],
  poison: [4, 60, 60],
  ahead: [3, 60, 600],
};
const COUNTS = { 0: 2, 1: 5, 2: 3, 3: 1 };
const KINDS = { watch: 6, rx: 3, iterate: 1, checkout: 1.5 };
const FATES = { nothing: 2, paid: 4, pending: 3, fails: 2, 'fails-then-paid': 1, cancelled: 1 };

const weightsOf = () =>
  Object.fromEntries(Object.entries(TROUBLES).map(([name, [weight]]) => [name, weight]));

const drawTrouble = (chance, length) => {
  const name = chance.weighed(weightsOf());
  const [, low, high] = TROUBLES[name];
  const from = chance.between(0, length / SECOND) * SECOND + chance.between(0, 999);
  return { name, from, to: from + chance.between(low, high) * SECOND };
};

/** Draws what happens to an invoice: [{ at, act, … }]. */
const drawFate = (chance, length) => {
  const fate = chance.weighed(FATES);
  const at = chance.between(0, length);
  const pendingFor = chance.between(1, 60) * SECOND;
  const acts = [];
  if (fate === 'paid') acts.push({ at, act: 'pay' });
  if (fate === 'pending') acts.push({ at, act: 'pay', pendingFor });
  if (fate.startsWith('fails')) acts.push({ at, act: 'pay', pendingFor, fails: true });
  if (fate === 'fails-then-paid')
    acts.push({ at: at + pendingFor + chance.between(1, 90) * SECOND, act: 'pay' });
  if (fate === 'cancelled') acts.push({ at, act: 'cancel' });
  if (acts.length > 0 && fate !== 'fails' && chance.hits(0.3))
    acts.push({
      at: acts.at(-1).at + pendingFor + chance.between(1, 180) * SECOND,
      act: 'reverse',
    });
  return acts;
};

/** Spans in which a watch is listened to: [[from, to]], Infinity: to the end. */
const drawListening = (chance, length, pause) => {
  const from = chance.hits(0.5) ? 0 : chance.between(0, MINUTE);
  const leaves = pause
    ? pause.from
    : chance.hits(0.3)
      ? chance.between(from + 1, length)
      : Infinity;
  if (leaves === Infinity) return [[from, Infinity]];
  const back = pause
    ? pause.to + chance.between(0, 5_000)
    : leaves + chance.between(0, 3) ** 4 * chance.between(1, 5 * SECOND);
  return [
    [Math.min(from, leaves - 1), leaves],
    [back, Infinity],
  ];
};

const drawPage = (chance, length) => {
  const acts = [];
  for (let at = chance.between(0, length); at < length; at += chance.between(1, 240) * SECOND)
    acts.push({ at, act: chance.pick(['hide', 'show', 'focus', 'focus']) });
  return acts;
};

/** `without`: names of troubles that are left out, or `never`; all else is drawn as it would be with them. */
export const drawSchedule = (seed, without = []) => {
  const chance = chanceOf(`schedule/${seed}`);
  const length = chance.between(2, 10) * MINUTE;
  const count = chance.hits(0.1) ? chance.between(16, 40) : chance.between(1, 6);
  const troubles = Array.from({ length: Number(chance.weighed(COUNTS)) }, () =>
    drawTrouble(chance, length),
  ).filter(({ name }) => !without.includes(name));
  const pauseAt = chance.between(MINUTE, length);
  const pause = chance.hits(0.1) ? { from: pauseAt, to: pauseAt + HOUR } : undefined;
  const mayGoOn = !without.includes('never');
  const watches = Array.from({ length: count }, (_, n) => ({
    n,
    age: chance.between(0, 20) * MINUTE,
    isBitcoin: chance.hits(0.5),
    fate: drawFate(chance, pause ? pause.to : length),
    listeners: Array.from({ length: chance.hits(0.15) ? 2 : 1 }, () => ({
      kind: chance.weighed(KINDS),
      until: chance.hits(0.25) && mayGoOn ? 'never' : 'settled',
      throws: chance.hits(0.1),
      spans: drawListening(chance, length, pause),
    })),
  }));
  const page = chance.hits(0.25) ? drawPage(chance, length) : undefined;
  const ends = [
    length,
    ...troubles.map(({ to }) => to),
    ...watches.flatMap(({ fate }) => fate.map(({ at, pendingFor = 0 }) => at + pendingFor)),
    ...watches.flatMap(({ listeners }) => listeners.map(({ spans }) => spans.at(-1)[0])),
  ];
  return { seed, troubles, watches, page, calmAt: Math.max(...ends) };
};
