// Pays through a network that lies, and compares what the SDK said with what the service did.
//   npm run prove -- adversary                                   all scenes, then 3,000 intents a way and order of checks
//   npm run prove -- adversary scenes                            the scenes alone; `ways` for the draws alone
//   npm run prove -- adversary --intents 200 --only lnurl        fewer, one way
//   npm run prove -- adversary --seed 7 --order expired          another draw, one order of checks
//   npm run prove -- adversary --show 5                          transcripts of five intents that went wrong, of each row
//   npm run prove -- adversary --without mixed-after,cut         without some faults
//   npm run prove -- adversary --replay 1.0/lnurl/expired/7      one intent again, with all that the wire did
//   npm run prove -- adversary ways --assume exchanges.fee=none,payments.used=again   over a service that does these otherwise
//   npm run prove -- assumptions money                           over each alternative in turn: test/prove/assumptions
import type { Assumptions } from 'paystate/sandbox';
import { numberOf, option } from '../shared/options.ts';
import { isWrong, type Judged } from './judge.ts';
import { playScenes } from './scenes.ts';
import { WAYS, wayOf } from './ways.ts';
import { type CheckOrder, ORDERS, playIntents, playWorld } from './world.ts';

const given = process.argv.slice(2);

const list = (name: string): readonly string[] =>
  (option(given, name) ?? '').split(',').filter(Boolean);
const chosen = <T extends string>(name: string, all: readonly T[]): readonly T[] =>
  list(name).length === 0 ? all : all.filter((one) => list(name).includes(one));
const isWanted = (part: string): boolean =>
  given.includes(part) || !(given.includes('scenes') || given.includes('ways'));

const intents = Math.ceil(numberOf(given, 'intents', 3_000) * numberOf(given, 'part', 1));
const seed = option(given, 'seed') ?? '1';
const shown = numberOf(given, 'show', 1);
const faults = {
  without: list('without'),
  assume: Object.fromEntries(list('assume').map((one) => one.split('='))) as Assumptions,
};

function textOf({ intent, verdicts, transcript }: Judged): string {
  const careful = intent.isCareful ? ', keeps its own doubt' : '';
  const wrong = verdicts.map(({ text }) => text).join('; ') || 'all is well';
  return `\n${intent.name}/${intent.n}${careful}: ${wrong}\n${transcript()}`;
}

/** Counts of one way: what users believe in the end, and the faults. */
type Row = Readonly<Record<string, number | string>>;

/** Plays one way with one order of checks; returns its row and how many intents went wrong. */
async function play(way: string, order: CheckOrder): Promise<readonly [row: Row, wrong: number]> {
  const ends = { done: 0, 'not-done': 0, failed: 0, unknown: 0, stuck: 0 };
  const faultsFound: Record<string, number> = {};
  let [wrong, requests] = [0, 0];
  for await (const judged of playIntents({ way, orders: [order], seed, intents, ...faults })) {
    ends[judged.said]++;
    requests += judged.requests;
    for (const kind of new Set(judged.verdicts.map((one) => one.kind)))
      faultsFound[kind] = (faultsFound[kind] ?? 0) + 1;
    if (isWrong(judged) && ++wrong <= shown) console.log(textOf(judged));
  }
  if (ends.done === 0) {
    wrong++;
    console.log(`${way}: nobody's was done, so it proves nothing`);
  }
  const unknown = `${((ends.unknown / intents) * 100).toFixed(1)} %`;
  return [{ ...ends, unknown, ...faultsFound, requests }, wrong];
}

async function playWays(): Promise<number> {
  const table: Record<string, Row> = {};
  let all = 0;
  for (const way of chosen('only', Object.keys(WAYS)))
    for (const order of wayOf(way).isOrdered ? chosen('order', ORDERS) : ORDERS.slice(0, 1)) {
      const [row, wrong] = await play(way, order);
      table[wayOf(way).isOrdered ? `${way}, ${order} first` : way] = row;
      all += wrong;
    }
  console.table(table);
  return all;
}

/** Plays one intent again; returns 1 if it went wrong. */
async function replay(name: string): Promise<number> {
  const [of = '', way = '', orderName, n] = name.split('/');
  const order = ORDERS.find((one) => one === orderName);
  if (!order) throw new Error('--replay takes SEED/WAY/ORDER/NUMBER');
  const judged = (await playWorld({ way, order, seed: of, ...faults }))[Number(n)];
  if (!judged) throw new Error(`no intent has the number ${n}`);
  console.log(textOf(judged));
  return isWrong(judged) ? 1 : 0;
}

async function main(): Promise<void> {
  const begun = performance.now();
  const again = option(given, 'replay');
  let [scenes, wrong] = [0, 0];
  if (again) wrong = await replay(again);
  else {
    if (isWanted('scenes')) scenes = await playScenes();
    if (isWanted('ways')) wrong = await playWays();
  }
  const isWell = scenes === 0 && wrong === 0;
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(
    `${isWell ? 'ok' : 'FAIL'} adversary: ${scenes} scenes and ${wrong} intents went wrong, ${seconds} s`,
  );
  process.exitCode = isWell ? 0 : 1;
}

Error.stackTraceLimit = 0; // thousands of errors are made, and no one's place matters
await main();
