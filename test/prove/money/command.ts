// Searches every interleaving of the money engine's pure functions for a double payment or a lie.
//   npm run prove -- money               every way, ten minutes each at most
//   npm run prove -- money one two       ways whose names begin so
//   npm run prove -- money 60            none longer than so many seconds
//   npm run prove -- money --short       the short form, half a minute
//   npm run prove -- money --mistakes    known mistakes, put in one at a time; `--traces` shows how each comes about
import { MISTAKES } from './mistakes.ts';
import { search } from './search.ts';
import { SHORT, WAYS } from './ways.ts';

const words = process.argv.slice(2);
const seconds = Number(words.find((word) => /^\d+$/.test(word)) ?? 600);
const names = words.filter((word) => !word.startsWith('--') && !/^\d+$/.test(word));
const chosen = words.includes('--mistakes')
  ? []
  : (words.includes('--short') ? SHORT : WAYS).filter(
      ({ name }) => names.length === 0 || names.some((one) => name.startsWith(one)),
    );
let isBroken = false;

function tryMistakes(): void {
  for (const { name, way, core } of MISTAKES) {
    const found = search(way, core, { seconds, isFirstOnly: true });
    const breach = found.breaches.find(({ excuse }) => !excuse);
    isBroken ||= !breach;
    const { states, seconds: took } = found;
    console.log(
      `${breach ? 'ok' : 'NO'} ${name}: ${breach?.what ?? 'not found'}, ${states} states, ${took.toFixed(1)} s`,
    );
    if (words.includes('--traces'))
      for (const line of breach?.trace ?? []) console.log(`     ${line}`);
  }
}

if (words.includes('--mistakes')) tryMistakes();
for (const way of chosen) {
  const found = search(way, undefined, { seconds });
  const { states, depth, breaches, excused, ends, isWhole } = found;
  const real = breaches.filter(({ excuse }) => !excuse);
  isBroken ||= real.length > 0;
  console.log(
    `${real.length > 0 ? 'NO' : 'ok'} ${way.name}: ${states} states, depth ${depth}, ` +
      `${found.seconds.toFixed(1)} s${isWhole ? '' : ', cut'}; ends ${JSON.stringify(ends)}` +
      `${Object.keys(excused).length > 0 ? `; excused ${JSON.stringify(excused)}` : ''}`,
  );
  for (const { what, trace } of real) {
    console.log(`   ${what}`);
    for (const line of trace) console.log(`     ${line}`);
  }
}
process.exitCode = isBroken ? 1 : 0;
