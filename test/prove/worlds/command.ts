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
let [longestFalse, silence, bad] = [0, 0, 0];
for (let n = 0; n < runs; n++) {
  const world = drawWorld(seed + n, counts);
  const result = await playWorld(world);
  const { faults } = result;
  longestFalse = Math.max(longestFalse, result.longestFalse);
  silence = Math.max(silence, result.silence);
  if (faults.length > 0) bad++;
  if (faults.length === 0 && !isOne && !given.includes('--show')) continue;
  const said = faults.slice(0, MOST_SHOWN).join('; ') || 'all is well';
  console.log(`seed ${world.seed} (${textOf(world)}): ${said}`);
}
console.log(`longest false live ${seconds(longestFalse)}, longest silence ${seconds(silence)}`);
console.log(
  bad === 0
    ? `ok worlds: ${runs} from seed ${seed}, nothing live beyond its bound`
    : `worlds: ${bad} of ${runs} went wrong; one again: npm run prove -- worlds --seed SEED --only`,
);
process.exitCode = bad === 0 ? 0 : 1;
