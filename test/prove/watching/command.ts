// Measures what watching costs and how soon it sees a payment, in virtual time with the rate limits on.
//   npm run prove -- watching                     a few cells, in less than two minutes
//   npm run prove -- watching full                all cells
//   npm run prove -- watching full 1000 no-feed   the cells whose names have these words
//   npm run prove -- watching chapter --write     those of the chapter; keeps the figures for its table
//   npm run prove -- watching full 1000 --why     says for which reasons requests were sent
//   npm run prove -- watching memory [10000]      heap of a watch, and what subscriptions leave behind
// Beside the figures are those of lists in turn, computed: one list of 100 after another, evenly, at the formula's rate.
// "over" names the bound that a row does not keep.
import { cellsFor } from './cells.ts';
import { measureMemory } from './memory.ts';
import { playCell } from './play.ts';
import { faultsOf, headLine, keepRow, lineOf } from './rows.ts';

const given = process.argv.slice(2);
/** Watches of which the heap is measured. */
const MEMORY_COUNT = 10_000;

const words = given.filter((word) => !word.startsWith('--'));

async function playCells(): Promise<boolean> {
  const cells = cellsFor(words);
  if (cells.length === 0) throw new Error(`no cell has these words: ${words.join(' ')}`);
  console.log(headLine);
  let over = 0;
  for (const cell of cells) {
    const row = await playCell(cell);
    if (faultsOf(row).length > 0) over++;
    console.log(lineOf(row));
    if (given.includes('--why'))
      for (const [reason, count] of Object.entries(row.reasons).sort(([, a], [, b]) => b - a))
        console.log(`${`${count}`.padStart(8)} × ${reason}`);
    if (given.includes('--write')) keepRow(row);
  }
  console.log(`${over === 0 ? 'ok ' : ''}watching: ${cells.length} cells, ${over} over a bound`);
  return over === 0;
}

const [mode, count = MEMORY_COUNT] = words;
const isGood = mode === 'memory' ? await measureMemory(Number(count)) : await playCells();
process.exitCode = isGood ? 0 : 1;
