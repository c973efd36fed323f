// Draws worlds of watches, late events and lagging replicas: none is live beyond its bound, and no
// rate limit is met. A world has 1 to 1,000 watches, the caller's own reads, stray 429s, late
// events and replicas that lag.
//   npm run prove -- worlds                 20 worlds
//   npm run prove -- worlds 1000 --seed 1   the worlds 1 to 1,000
//   npm run prove -- worlds --seed 17 --only   one world again; `--show` shows each
import { numberOf } from '../shared/options.ts';
import { drawWorld, textOf } from './draw.ts';
import { playWorld } from './world.ts';

const given = process.argv.slice(2);
const seed = numberOf(given, 'seed', 1);
const wished = /^\d+$/.test(given[0] ?? '') ? Number(given[0]) : 20;
const isOne = given.includes('--only');
const runs = isOne ? 1 : wished;
const counts = given.includes('--count') ? [numberOf(given, 'count', 1)] : undefined;
const MOST_SHOWN = 3;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const most = { longestFalse: 0, silence: 0, recovery: 0, flickers: 0 };
let bad = 0;
for (let n = 0; n < runs; n++) {
  const world = drawWorld(seed + n, counts);
  const result = await playWorld(world);
  const faults = [...result.faults, ...(result.blocks > 0 ? ['blocked by the service'] : [])];
  most.longestFalse = Math.max(most.longestFalse, result.longestFalse);
  most.silence = Math.max(most.silence, result.silence);
  most.recovery = Math.max(most.recovery, result.recovery);
  most.flickers = Math.max(most.flickers, result.flickers);
  const shown = { ...result, faults: faults.slice(0, MOST_SHOWN) };
  if (isOne || given.includes('--show')) console.log(textOf(world), '→', JSON.stringify(shown));
  if (faults.length === 0) continue;
  bad++;
  console.log(`seed ${world.seed} (${textOf(world)}): ${shown.faults.join('; ')}`);
}
const live = `longest until all were live again ${seconds(most.recovery)}`;
const turns = `live and stale in turn ${most.flickers} times at most`;
const longest = `longest false live ${seconds(most.longestFalse)}`;
console.log(`${longest}, longest silence ${seconds(most.silence)}, ${live}, ${turns}`);
console.log(
  bad === 0
    ? `ok worlds: ${runs} from seed ${seed}, nothing live beyond its bound`
    : `worlds: ${bad} of ${runs} went wrong; one again: npm run prove -- worlds --seed SEED --only`,
);
process.exitCode = bad === 0 ? 0 : 1;
