// Plays people who pay through a network that lies, and compares what the SDK said with what the service did.
//   npm run adversary                                   all scenes, then 3,000 intents a way and order of checks
//   npm run adversary -- scenes                         the scenes alone; `ways` for the draws alone
//   npm run adversary -- beyond                         what no client can see, as it is today; no verdict
//   npm run adversary -- --intents 200 --only lnurl     fewer, one way
//   npm run adversary -- --workers 2                    on two cores
//   npm run adversary -- ways --with twins              what cannot be told apart by what the service shows; no verdict
//   npm run adversary -- --seed 7 --order expired       another draw, one order of checks
//   npm run adversary -- --show 5                       transcripts of five intents that went wrong, of each row
//   npm run adversary -- --without mixed-after,cut      without some faults; --with adds those that nobody can see
//   npm run adversary -- --replay 1.0/lnurl/expired/7   one intent again, with all that the wire did
//   npm run adversary -- ways --assume exchanges.fee=none,payments.used=again   over a service that does these otherwise
//   npm run assumptions -- money                        over each alternative in turn: test/prove/assumptions/command.ts
import { playBeyond } from './adversary/beyond.mjs';
import { BEYOND } from './adversary/weights.mjs';
import { inWorkers, isWorker, serve } from './adversary/workers.mjs';
import { playScenes } from './adversary/scenes.mjs';
import { AT_ONCE, ORDERS, playWorld, WAYS } from './adversary/world.mjs';

const given = process.argv.slice(2);
const option = (name, usual) =>
  given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : usual;
const list = (name) => option(name, '').split(',').filter(Boolean);
const chosen = (name, all) =>
  list(name).length === 0 ? all : all.filter((one) => list(name).includes(one));
const isWanted = (part) =>
  given.includes(part) || !(given.includes('scenes') || given.includes('ways'));

const intents = Math.ceil(Number(option('intents', 3_000)) * Number(option('part', 1)));
const seed = option('seed', '1');
const faults = {
  with: list('with'),
  without: list('without'),
  assume: Object.fromEntries(list('assume').map((one) => one.split('='))),
};
const VIOLATIONS = {
  doubled: 'doubled',
  falseDone: 'falsely done',
  falseNo: 'falsely not done',
  overRefunded: 'over-refunded',
  astray: "to another's account",
  stuck: 'stuck without a reason',
  stray: 'untyped',
};
const EMPTY = {
  intents: 0,
  done: 0,
  'not done': 0,
  failed: 0,
  unknown: 0,
  stuck: 0,
  doubled: 0,
  'falsely done': 0,
  'falsely not done': 0,
  'over-refunded': 0,
  "to another's account": 0,
  'stuck without a reason': 0,
  untyped: 0,
  foreign: 0,
  requests: 0,
};
const tally = new Map();
const shown = Number(option('show', 1));

const strange = faults.with.find((one) => !BEYOND.includes(one));
if (strange) throw new Error(`--with takes ${BEYOND.join(', ')}`);

const isWrong = ({ verdicts }) => verdicts.some(([kind]) => kind in VIOLATIONS);

const count = (row, texts, { said, verdicts, requests }) => {
  row.intents++;
  row[said === 'not-done' ? 'not done' : said]++;
  row.requests += requests;
  for (const kind of new Set(verdicts.map(([one]) => one))) row[VIOLATIONS[kind] ?? kind]++;
  for (const text of new Set(
    verdicts
      .filter(([kind]) => kind in VIOLATIONS)
      .map(([kind, words]) => `${VIOLATIONS[kind]}: ${words}`),
  ))
    texts.set(text, (texts.get(text) ?? 0) + 1);
};

const textOf = ({ intent, verdicts, transcript }) =>
  `\n${intent.name}/${intent.n}${intent.isCareful ? ', keeps its own doubt' : ''}: ${verdicts.map(([, text]) => text).join('; ') || 'all is well'}\n${transcript()}`;

/** One way, one order: its row of the table, what went wrong how often, and a few of those in full. */
const play = async ({ way, order }) => {
  const row = { ...EMPTY };
  const texts = new Map();
  const bad = [];
  for (let number = 0; row.intents < intents; number++) {
    const played = await playWorld({
      way,
      order,
      seed: `${seed}.${number}`,
      count: Math.min(AT_ONCE, intents - row.intents),
      ...faults,
    });
    for (const one of played) count(row, texts, one);
    const wrongOnes = played.filter(isWrong);
    bad.push(...wrongOnes.map((one) => (bad.length < shown ? textOf(one) : '')));
  }
  return {
    row: { ...row, unknown: `${((row.unknown / row.intents) * 100).toFixed(1)} %` },
    texts,
    told: bad.slice(0, shown),
    wrong: bad.length,
  };
};

const playWays = async () => {
  const table = {};
  let wrong = 0;
  const jobs = chosen('only', Object.keys(WAYS)).flatMap((way) =>
    chosen('order', ORDERS)
      .slice(0, WAYS[way].isOrdered ? undefined : 1)
      .map((order) => ({ way, order })),
  );
  const workers = Number(option('workers', 1));
  const done = workers > 1 ? await inWorkers(new URL(import.meta.url), given, workers, jobs) : [];
  for (const [at, job] of jobs.entries()) {
    const { way, order } = job;
    const played = done[at] ?? (await play(job));
    table[WAYS[way].isOrdered ? `${way}, ${order} first` : way] = played.row;
    for (const text of played.told) console.log(text);
    for (const [text, times] of played.texts) tally.set(text, (tally.get(text) ?? 0) + times);
    wrong += played.wrong;
  }
  console.table(table);
  for (const [text, times] of [...tally].sort(([, one], [, other]) => other - one))
    console.log(`${String(times).padStart(6)} × ${text}`);
  return wrong;
};

const replay = async (name) => {
  const [of, way, order, n] = name.split('/');
  const one = (await playWorld({ way, order, seed: of, ...faults }))[Number(n)];
  console.log(textOf(one));
  return isWrong(one) ? 1 : 0;
};

Error.stackTraceLimit = 0; // thousands of errors are made, and no one's place matters
const begun = performance.now();
let wrong = 0;
let scenes = 0;
if (isWorker) await serve(play);
else if (option('replay')) wrong = await replay(option('replay'));
else if (given.includes('beyond')) await playBeyond();
else {
  if (isWanted('scenes')) scenes = await playScenes();
  if (isWanted('ways')) wrong = await playWays();
}
// what nobody can tell has no verdict
const isWell = scenes === 0 && (wrong === 0 || faults.with.length > 0);
if (!isWorker)
  console.log(
    `${isWell ? 'ok' : 'FAIL'} adversary: ${scenes} scenes and ${wrong} intents went wrong, ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
process.exitCode = isWell ? 0 : 1;
