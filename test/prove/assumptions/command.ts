// Plays the portable suite and the adversary over each alternative of what the sandbox assumes.
//   npm run prove -- assumptions                       the portable suite over groups of alternatives, then the money over each
//   npm run prove -- assumptions suite                 the suite alone; `money` for the adversary alone
//   npm run prove -- assumptions suite --each          the suite over each alternative by itself: an hour and more
//   npm run prove -- assumptions suite --whole         with what is computed for long
//   npm run prove -- assumptions derive                each alternative alone, without pins: red where `pins.json` is not so
//   npm run prove -- assumptions derive --each         the same over all files, and not only over those with pinned tests
//   npm run prove -- assumptions derive --write        makes `pins.json` what failed
//   npm run prove -- assumptions exchanges.fee=none    these alternatives alone
//   npm run prove -- assumptions money --intents 300   more intents of each way; `--seed 7` for another draw
//   npm run prove -- assumptions --workers 2 --write   on two cores; keeps the figures for the tables of test/README.md
import { inWorkers, isWorker, serve } from '../shared/threads.ts';
import { type Alternative, alternatives, alternativesNamed, groupsOf } from './alternatives.ts';
import { derive, differencesOf, keepPins } from './derive.ts';
import { keepMoney, keepSuite } from './figures.ts';
import { LEANING, type MoneyJob, type MoneyRow, playMoney, waysFor, wrongIn } from './money.ts';
import { culpritsOf, isPlayedTogether, playSuite } from './suite.ts';

const given = process.argv.slice(2);
const option = (name: string, usual: string): string =>
  given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1]! : usual;
const has = (word: string): boolean => given.includes(word);

const workers = Number(option('workers', '1'));
const named = alternativesNamed(given.filter((word) => word.includes('=')));
const chosen = named.length > 0 ? named : alternatives;

/** Plays one group; says which alternative each failed test is about. */
async function playGroup(group: readonly Alternative[]): Promise<number> {
  const isWhole = has('--whole');
  const row = await playSuite(group, { isWhole });
  const { names, passed, failed } = row;
  console.log(`${failed.length === 0 ? 'ok' : 'FAIL'} ${passed} passed: ${names.join(', ')}`);
  const isOne = group.length === 1;
  const culprits =
    failed.length > 0 && !isOne ? await culpritsOf(group, failed, isWhole) : undefined;
  for (const { name, message } of failed) {
    const by = isOne ? names : (culprits?.get(name) ?? []);
    console.log(`  ${by.join(', ') || 'only together'}: ${name}\n    ${message.split('\n')[0]}`);
  }
  if (has('--write')) keepSuite({ names, passed, failed: failed.length, isWhole });
  return failed.length;
}

async function playSuites(): Promise<number> {
  const together = chosen.filter(isPlayedTogether);
  const alone = chosen.filter((one) => !together.includes(one)).map((one) => [one]);
  const groups = has('--each') ? chosen.map((one) => [one]) : [...groupsOf(together), ...alone];
  const queue = [...groups];
  let failed = 0;
  const lane = async (): Promise<void> => {
    for (let group = queue.shift(); group; group = queue.shift()) failed += await playGroup(group);
  };
  await Promise.all(Array.from({ length: workers }, lane));
  return failed;
}

/** Checks or makes the pins; returns how many are wrong. */
async function derivePins(): Promise<number> {
  const isWriting = has('--write');
  let wrong = 0;
  for (const one of chosen) {
    const derived = await derive(one, isWriting || has('--each'));
    const differences = differencesOf(derived);
    console.log(`${differences.length === 0 ? 'ok' : 'FAIL'} ${derived.tests.length} ${one.name}`);
    for (const difference of differences) console.log(`  ${difference}`);
    if (isWriting) keepPins([derived]);
    else wrong += differences.length;
  }
  return wrong;
}

/** Money that goes wrong under an alternative, where no client can prevent it. */
const leaning: string[] = [];

async function playAllMoney(): Promise<number> {
  const jobs = chosen
    .filter((one) => waysFor(one).length > 0)
    .map(
      ({ name }): MoneyJob => ({
        name,
        intents: Number(option('intents', '60')),
        seed: option('seed', '1'),
      }),
    );
  const rows: readonly MoneyRow[] =
    workers > 1 ? await inWorkers(new URL(import.meta.url), given, workers, jobs) : [];
  let wrong = 0;
  const table: Record<string, object> = {};
  for (const [at, job] of jobs.entries()) {
    const { name, wrong: texts, ...row } = rows[at] ?? (await playMoney(job));
    table[name] = { ...row, unknown: `${((row.unknown / row.intents) * 100).toFixed(1)} %` };
    for (const text of texts) console.log(`--assume ${name} --replay ${text}`);
    const count = wrongIn({ name, wrong: texts, ...row });
    if (count > 0 && LEANING[name]) leaning.push(`${name}, ${count} intents: ${LEANING[name]}`);
    else wrong += count;
    if (has('--write')) keepMoney({ name, ...row });
  }
  console.table(table);
  return wrong;
}

Error.stackTraceLimit = isWorker ? 0 : 20; // thousands of errors are made
if (isWorker) await serve(playMoney);
else if (has('derive')) {
  const wrong = await derivePins();
  console.log(`${wrong === 0 ? 'ok' : 'FAIL'} pins: ${wrong} are wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
} else {
  const failed = has('money') ? 0 : await playSuites();
  const wrong = has('suite') ? 0 : await playAllMoney();
  for (const text of leaning) console.log(`no client can prevent it: ${text}`);
  const isWell = failed === 0 && wrong === 0;
  const count = `${chosen.length} alternatives, ${failed} tests failed, ${wrong} intents went wrong`;
  console.log(`${isWell ? 'ok' : 'FAIL'} assumptions: ${count}`);
  process.exitCode = isWell ? 0 : 1;
}
