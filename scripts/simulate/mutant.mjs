// Plays lives with one fault in the built SDK, until one of them notices it. Nothing on the disk is changed.
import { registerHooks } from 'node:module';

const { file, from, to, plan: name, seed: first, most, shrinks } = JSON.parse(process.env.MUTANT);
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

const { planOf } = await import('./plans.mjs');
const plan = await planOf(name);
if (!isThere) throw new Error(`${file} is not loaded`);
for (let seed = first; seed < first + most; seed++) {
  const schedule = plan.scheduleOf(seed, plan.groups);
  const { problems } = await plan.play(schedule);
  if (problems.length === 0) continue;
  const problem = problems[0].split('\n')[0];
  if (shrinks) {
    const { shrink } = await import('./shrink.mjs');
    console.log(`// ${problem}\n// before: ${JSON.stringify(schedule)}`);
    console.log(plan.testOf(await shrink(plan, schedule, problems[0]), problem));
    process.exit();
  }
  console.log(JSON.stringify({ caught: seed, problem }));
  process.exit();
}
console.log('{}');
process.exit();
