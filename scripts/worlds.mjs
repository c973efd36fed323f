// Random worlds: 1 to 1,000 watches beside the caller's own reads, stray 429s, late events and replicas that lag. Nothing is
// live beyond its bound, nothing is false for longer, and the service's limit is never met.
//   npm run worlds                     20 worlds
//   npm run worlds -- 1000 --seed 1    the worlds 1 to 1,000
//   npm run worlds -- --seed 17 --only one world again
import { drawWorld, playWorld, textOf } from './watched/world.mjs';

const given = process.argv.slice(2);
const option = (name, usual) =>
  given.includes(`--${name}`) ? Number(given[given.indexOf(`--${name}`) + 1]) : usual;
const seed = option('seed', 1);
const runs = given.includes('--only') ? 1 : /^\d+$/.test(given[0]) ? Number(given[0]) : 20;
const counts = given.includes('--count') ? [option('count')] : undefined;

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const most = { longestFalse: 0, silence: 0, recovery: 0, flickers: 0 };
let bad = 0;
for (let n = 0; n < runs; n++) {
  const world = drawWorld(seed + n, { counts });
  const result = await playWorld(world);
  const faults = [...result.faults, ...(result.blocks > 0 ? ['blocked by the service'] : [])];
  for (const name of Object.keys(most)) most[name] = Math.max(most[name], result[name]);
  if (given.includes('--only') || given.includes('--show'))
    console.log(
      textOf(world),
      '→',
      JSON.stringify({ ...result, faults: result.faults.slice(0, 3) }),
    );
  if (faults.length === 0) continue;
  bad++;
  console.log(`seed ${world.seed} (${textOf(world)}): ${faults.slice(0, 3).join('; ')}`);
}
console.log(
  `longest false live ${seconds(most.longestFalse)}, longest silence ${seconds(most.silence)}, ` +
    `longest until all were live again ${seconds(most.recovery)}, live and stale in turn ${most.flickers} times at most`,
);
console.log(
  bad === 0
    ? `ok worlds: ${runs} from seed ${seed}, nothing live beyond its bound`
    : `worlds: ${bad} of ${runs} went wrong; one again: npm run worlds -- --seed SEED --only`,
);
process.exitCode = bad === 0 ? 0 : 1;
