// Plays lives with one fault in the built SDK, until one of them notices it. Nothing on the disk is changed.
import { registerHooks } from 'node:module';

const { file, from, to, seed: first, most } = JSON.parse(process.env.MUTANT);
let isThere = false;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/dist/${file}`)) return loaded;
    const text = String(loaded.source);
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold it once: ${from}`);
    isThere = true;
    return { ...loaded, source: text.replace(from, () => to) };
  },
});

const { groups, play, scheduleOf } = await import('./lives.mjs');
if (!isThere) throw new Error(`${file} is not loaded`);
for (let seed = first; seed < first + most; seed++) {
  const { problems } = await play(scheduleOf(seed, groups));
  if (problems.length === 0) continue;
  console.log(JSON.stringify({ caught: seed, problem: problems[0].split('\n')[0] }));
  process.exit();
}
console.log('{}');
process.exit();
