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
import { isWrong, type Judged, type Violation } from './judge.ts';
import { playScenes } from './scenes.ts';
import { WAYS, wayOf } from './ways.ts';
import { AT_ONCE, type CheckOrder, ORDERS, playWorld } from './world.ts';

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

/** Columns of the table, by what can be wrong. */
const COLUMNS = {
  doubled: 'doubled',
  falseDone: 'falsely done',
  falseNo: 'falsely not done',
  overRefunded: 'over-refunded',
  astray: "to another's account",
  stuck: 'stuck without a reason',
  stray: 'untyped',
  foreign: 'foreign',
} as const satisfies Readonly<Record<Violation, string>>;

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

interface Job {
  readonly way: string;
  readonly order: CheckOrder;
}

interface Played {
  readonly row: Readonly<Record<string, number | string>>;
  /** Texts of errors, each with its count. */
  readonly texts: ReadonlyMap<string, number>;
  /** A few of those that went wrong, in full. */
  readonly told: readonly string[];
  readonly wrong: number;
}

function countIn(row: typeof EMPTY, texts: Map<string, number>, judged: Judged): void {
  const { said, verdicts, requests } = judged;
  row.intents++;
  row[said === 'not-done' ? 'not done' : said]++;
  row.requests += requests;
  for (const kind of new Set(verdicts.map((one) => one.kind))) row[COLUMNS[kind]]++;
  const wrong = verdicts.filter(({ kind }) => kind !== 'foreign');
  for (const text of new Set(wrong.map((one) => `${COLUMNS[one.kind]}: ${one.text}`)))
    texts.set(text, (texts.get(text) ?? 0) + 1);
}

function textOf({ intent, verdicts, transcript }: Judged): string {
  const careful = intent.isCareful ? ', keeps its own doubt' : '';
  const wrong = verdicts.map(({ text }) => text).join('; ') || 'all is well';
  return `\n${intent.name}/${intent.n}${careful}: ${wrong}\n${transcript()}`;
}

/** Plays one way with one order of checks. */
async function play({ way, order }: Job): Promise<Played> {
  const row = { ...EMPTY };
  const texts = new Map<string, number>();
  const told: string[] = [];
  let wrong = 0;
  for (let number = 0; row.intents < intents; number++) {
    const count = Math.min(AT_ONCE, intents - row.intents);
    const place = { way, order, seed: `${seed}.${number}` };
    for (const judged of await playWorld({ ...place, count, ...faults })) {
      countIn(row, texts, judged);
      if (!isWrong(judged)) continue;
      if (++wrong <= shown) told.push(textOf(judged));
    }
  }
  if (row.done === 0) {
    wrong++;
    texts.set(`${way}: nobody's was done, so it proves nothing`, 1);
  }
  const unknown = `${((row.unknown / row.intents) * 100).toFixed(1)} %`;
  return { row: { ...row, unknown }, texts, told, wrong };
}

const jobsOf = (): readonly Job[] =>
  chosen('only', Object.keys(WAYS)).flatMap((way) =>
    chosen('order', ORDERS)
      .slice(0, wayOf(way).isOrdered ? undefined : 1)
      .map((order) => ({ way, order })),
  );

async function playWays(): Promise<number> {
  const table: Record<string, Played['row']> = {};
  const tally = new Map<string, number>();
  let wrong = 0;
  for (const { way, order } of jobsOf()) {
    const played = await play({ way, order });
    table[wayOf(way).isOrdered ? `${way}, ${order} first` : way] = played.row;
    for (const text of played.told) console.log(text);
    for (const [text, times] of played.texts) tally.set(text, (tally.get(text) ?? 0) + times);
    wrong += played.wrong;
  }
  console.table(table);
  for (const [text, times] of [...tally].sort(([, one], [, other]) => other - one))
    console.log(`${String(times).padStart(6)} × ${text}`);
  return wrong;
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
