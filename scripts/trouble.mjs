// The trouble table: what watches show while something is wrong, and how soon they are right again.
//   npm run trouble                            1, 200 and 1,000 watches; exit code 1 on a false live or a 429
//   npm run trouble -- --many                  10,000 too
//   npm run trouble -- --watches 200 --only portal
//   npm run trouble -- --by-id                 watched by ids alone: first reads cannot be made by windows of creation
//   npm run trouble -- --no-feed               without the scope that reads events: many are read in turn
//   npm run trouble -- --many --write          keeps the figures for the chapter's tables
//   npm run trouble -- --show                  with what was shown and what was so, of what was wrong
import { playCell } from './watched/cell.mjs';
import { keepFigures } from './watched/figures.mjs';
import { TROUBLES } from './watched/troubles.mjs';

const given = process.argv.slice(2);
const option = (name) => given.includes(`--${name}`) && given[given.indexOf(`--${name}`) + 1];
const sizes = option('watches')
  ? option('watches').split(',').map(Number)
  : [1, 200, 1_000, ...(given.includes('--many') ? [10_000] : [])];
const only = option('only') || '';

const seconds = (ms) => (ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(1)} s`);

const rows = [];
for (const trouble of TROUBLES.filter(({ name }) => name.includes(only))) {
  for (const count of sizes) {
    const {
      lies,
      doubts,
      'wrong ends': ends,
      ...row
    } = await playCell({
      trouble,
      count,
      isById: given.includes('--by-id'),
      hasFeed: !given.includes('--no-feed'),
    });
    if (doubts.length > 0) throw new Error(`the judge does not know what is true: ${doubts[0]}`);
    rows.push({
      ...row,
      'longest wrong': seconds(row['longest wrong']),
      'all live after': seconds(row['all live after']),
      'slowest later': seconds(row['slowest later']),
      'wrong ends': ends.length,
      cpu: `${row.cpu.toFixed(1)} s`,
    });
    if (given.includes('--show')) {
      for (const { said, was, lie } of lies.slice(0, 5))
        console.log(`${trouble.name}, ${count}: said ${said}, was ${was}, for ${seconds(lie)}`);
      for (const end of ends.slice(0, 5)) console.log(`${trouble.name}, ${count}: ${end}`);
    }
  }
  const cells = Object.fromEntries(
    rows.filter((row) => row.trouble === trouble.name).map((row) => [row.watches, row]),
  );
  const name = `${trouble.name}${given.includes('--no-feed') ? ', no feed' : ''}`;
  if (given.includes('--write')) keepFigures('trouble', { [name]: cells });
}
console.table(rows);
const bad = rows.filter((row) => row['false live'] > 0 || row[429] > 0);
console.log(
  bad.length === 0
    ? `ok trouble: ${rows.length} cells, no false live, no 429`
    : `trouble: ${bad.length} of ${rows.length} cells with a false live or a 429`,
);
process.exitCode = bad.length === 0 ? 0 : 1;
