// Measures what watching costs and how soon it sees a payment, in virtual time with the rate limits on.
//   npm run prove -- watching                     a few cells, in less than two minutes
//   npm run prove -- watching full                all cells
//   npm run prove -- watching full 1000 no-feed   the cells whose names have these words
//   npm run prove -- watching memory              what subscriptions leave behind on the heap
// "over" names the bound that a row does not keep.
import { cellsFor } from './cells.ts';
import { measureMemory } from './memory.ts';
import { playCell } from './play.ts';
import { faultsOf, headLine, lineOf } from './rows.ts';

const words = process.argv.slice(2);

async function playCells(): Promise<boolean> {
  const cells = cellsFor(words);
  if (cells.length === 0) throw new Error(`no cell has these words: ${words.join(' ')}`);
  console.log(headLine);
  let over = 0;
  for (const cell of cells) {
    const row = await playCell(cell);
    if (faultsOf(row).length > 0) over++;
    console.log(lineOf(row));
  }
  console.log(`${over === 0 ? 'ok ' : ''}watching: ${cells.length} cells, ${over} over a bound`);
  return over === 0;
}

const isGood = words[0] === 'memory' ? await measureMemory() : await playCells();
process.exitCode = isGood ? 0 : 1;
