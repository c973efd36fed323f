// Plays lives with one fault in the built SDK, until one of them notices it. Nothing on the disk is changed.
import { registerHooks } from 'node:module';
import '../shared/bundler-build.ts';
import type { Fault } from './fault-list.ts';

/** The task of this process, in an environment variable. */
export interface BrokenTask extends Pick<Fault, 'file' | 'from' | 'to'> {
  readonly plan: string;
  readonly seed: number;
  /** Lives that it may play. */
  readonly most: number;
  readonly shrinks?: boolean;
}

/** Its last line of output. */
export interface BrokenSaid {
  /** The seed of the life that noticed the fault. */
  readonly caught?: number | string;
  readonly problem?: string;
}

const task = JSON.parse(process.env['FAULT']!) as BrokenTask;
const { file, from, to, seed: first, most, shrinks } = task;
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

const { planOf } = await import('./plans.ts');
const plan = await planOf(task.plan);
if (!isThere) throw new Error(`${file} is not loaded`);
for (let seed = first; seed < first + most; seed++) {
  const life = plan.begin(seed, plan.groups);
  const [found] = (await life.play()).problems;
  if (found === undefined) continue;
  const problem = found.split('\n')[0]!;
  if (shrinks) {
    const { shrink } = await import('./shrink.ts');
    console.log(`// ${problem}\n// before: ${JSON.stringify(JSON.parse(life.text))}`);
    console.log((await shrink(life, found)).testOf(problem));
    process.exit();
  }
  const said: BrokenSaid = { caught: seed, problem };
  console.log(JSON.stringify(said));
  process.exit();
}
console.log('{}');
process.exit();
