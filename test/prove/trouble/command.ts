// Leads watches through a table of troubles: none is live while it is wrong, and all are soon right again.
//   npm run prove -- trouble                           1, 200 and 1,000 watches; exit code 1 on a false live or a 429
//   npm run prove -- trouble --many                    10,000 too
//   npm run prove -- trouble --watches 200 --only portal
//   npm run prove -- trouble --by-id                   watched by ids alone: first reads cannot be made by windows of creation
//   npm run prove -- trouble --no-feed                 without the scope that reads events: many are read in turn
//   npm run prove -- trouble --many --write            keeps the figures for the chapter's tables
//   npm run prove -- trouble --show                    with what was shown and what was so, of what was wrong
import { option } from '../shared/options.ts';
import { type Cell, playCell } from './cell.ts';
import { type KeptCell, keepRow } from './figures.ts';
import { type Trouble, TROUBLES } from './troubles.ts';

const given = process.argv.slice(2);
const has = (word: string): boolean => given.includes(word);
const usual = [1, 200, 1_000, ...(has('--many') ? [10_000] : [])];
const sizes = option(given, 'watches')?.split(',').map(Number) ?? usual;
const only = option(given, 'only') ?? '';
const hasFeed = !has('--no-feed');
const MOST_SHOWN = 5;

const seconds = (ms: number): string =>
  ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(1)} s`;

const keptOf = (cell: Cell): KeptCell => ({
  'false live': cell.falseLive,
  'all live after': seconds(cell.allLiveAfter),
  'requests in 10 min': cell.requests,
  429: cell.refusals,
  'own calls late': cell.ownCallsLate,
});

function showWrong({ name }: Trouble, { watches, lies, wrongEnds }: Cell): void {
  for (const { said, was, lie } of lies.slice(0, MOST_SHOWN))
    console.log(`${name}, ${watches}: said ${said}, was ${was}, for ${seconds(lie)}`);
  for (const end of wrongEnds.slice(0, MOST_SHOWN)) console.log(`${name}, ${watches}: ${end}`);
}

const rows: Readonly<Record<string, unknown>>[] = [];
let bad = 0;
for (const trouble of TROUBLES.filter(({ name }) => name.includes(only))) {
  const kept: Record<number, KeptCell> = {};
  for (const count of sizes) {
    const cell = await playCell({ trouble, count, isById: has('--by-id'), hasFeed });
    const [doubt] = cell.doubts;
    if (doubt) throw new Error(`the judge does not know what is true: ${doubt}`);
    if (cell.falseLive > 0 || cell.refusals > 0) bad++;
    kept[count] = keptOf(cell);
    rows.push({
      trouble: trouble.name,
      watches: count,
      ...keptOf(cell),
      'longest wrong': seconds(cell.longestWrong),
      'slowest later': seconds(cell.slowestLater),
      'wrong ends': cell.wrongEnds.length,
      cpu: `${cell.cpu.toFixed(1)} s`,
    });
    if (has('--show')) showWrong(trouble, cell);
  }
  if (has('--write')) keepRow(`${trouble.name}${hasFeed ? '' : ', no feed'}`, kept);
}
console.table(rows);
console.log(
  bad === 0
    ? `ok trouble: ${rows.length} cells, no false live, no 429`
    : `trouble: ${bad} of ${rows.length} cells with a false live or a 429`,
);
process.exitCode = bad === 0 ? 0 : 1;
