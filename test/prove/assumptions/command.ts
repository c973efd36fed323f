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
import { numberOf, option } from '../shared/options.ts';
import { type Alternative, alternatives, alternativesNamed, groupsOf } from './alternatives.ts';
import { derive, differencesOf, keepPins } from './derive.ts';
import { LEANING, playMoney, waysFor } from './money.ts';
import { isPlayedTogether, playSuite } from './suite.ts';

const given = process.argv.slice(2);
const has = (word: string): boolean => given.includes(word);

const named = alternativesNamed(given.filter((word) => word.includes('=')));
const chosen = named.length > 0 ? named : alternatives;

/** Plays one group; returns how many tests failed. */
async function playGroup(group: readonly Alternative[]): Promise<number> {
  const { names, passed, failed } = await playSuite(group, { isWhole: has('--whole') });
  console.log(`${failed.length === 0 ? 'ok' : 'FAIL'} ${passed} passed: ${names.join(', ')}`);
  for (const { name, message } of failed) console.log(`  ${name}\n    ${message.split('\n')[0]}`);
  return failed.length;
}

async function playSuites(): Promise<number> {
  const together = has('--each') ? [] : chosen.filter(isPlayedTogether);
  const alone = chosen.filter((one) => !together.includes(one)).map((one) => [one]);
  let failed = 0;
  for (const group of [...groupsOf(together), ...alone]) failed += await playGroup(group);
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

async function playAllMoney(): Promise<number> {
  const [intents, seed] = [numberOf(given, 'intents', 60), option(given, 'seed') ?? '1'];
  let failed = 0;
  for (const one of chosen.filter((each) => waysFor(each).length > 0)) {
    const { wrong, ...row } = await playMoney(one, intents, seed);
    const counts = `${row.done} of ${row.intents} done, ${row.unknown} unknown`;
    console.log(`${one.name}: ${counts}, ${wrong.length} wrong`);
    for (const text of wrong) console.log(`  --assume ${one.name} --replay ${text}`);
    const why = LEANING[one.name];
    if (wrong.length > 0 && why) console.log(`  no client can prevent it: ${why}`);
    else failed += wrong.length;
  }
  return failed;
}

Error.stackTraceLimit = 0; // thousands of errors are made
const pins = has('derive') ? await derivePins() : 0;
const failed = has('derive') || has('money') ? 0 : await playSuites();
const wrong = has('derive') || has('suite') ? 0 : await playAllMoney();
const isWell = pins + failed + wrong === 0;
const counts = `${failed} tests failed, ${wrong} intents went wrong, ${pins} pins are wrong`;
console.log(`${isWell ? 'ok' : 'FAIL'} assumptions: ${chosen.length} alternatives, ${counts}`);
process.exitCode = isWell ? 0 : 1;
