// Breaks one place of one built file, in memory, while it is read, and plays the model against it.
import { registerHooks } from 'node:module';
import '../shared/bundler-build.ts';
import { FAULTS } from './faults.ts';

const [index = 0, runs = 1, seed = 1] = process.argv.slice(2).map(Number);
const { file, from, to, names } = FAULTS[index]!;
let places = 0;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/dist/${file}`)) return loaded;
    const parts = `${loaded.source}`.split(from);
    places += parts.length - 1;
    return { ...loaded, source: parts.join(to) };
  },
});

const { playAll } = await import('../../model/run.ts');
const { playLadders } = await import('../../model/ladders.ts');
const played = names ? await playAll(seed, runs, { names }) : await playLadders(seed, runs);
if (places !== 1) throw new Error(`${file} has ${places} places with ${from}`);
console.log(`runs ${played.runs}, ${played.difference ? 'differs' : 'agrees'}`);
process.exit(played.difference ? 1 : 0);
