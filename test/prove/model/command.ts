// Plays random commands against the sandbox and a small model that shares no code with it: both do the same.
//   npm run prove -- model               10,000 lists of up to 50 commands
//   npm run prove -- model 500           so many
//   npm run prove -- model 500 42        with this seed
//   npm run prove -- model 1 42 17       only the list that a report's path begins with
//   npm run prove -- model faults        breaks the sandbox in eleven ways; each must be noticed
import { serviceCodes } from 'paystate/endpoints';
import { playLadders } from '../../model/ladders.ts';
import { playAll } from '../../model/run.ts';
import { playFaults } from './faults.ts';

/** Lists of commands for each ladder of deliveries. */
const LISTS_PER_LADDER = 50;

function printReached(reached: Iterable<string>): void {
  const kinds = [...reached].sort();
  const said = new Set(kinds.map((kind) => kind.split(' ').at(-1)));
  const codes = Object.keys(serviceCodes);
  const missing = codes.filter((code) => !said.has(code));
  const endpoints = new Set(
    kinds
      .filter((kind) => /^[A-Z]+ \//.test(kind))
      .map((kind) => kind.split(' ').slice(0, 2).join(' ')),
  );
  if (process.env['SHOW']) console.log(kinds.join('\n'));
  const found = `${codes.length - missing.length} of ${codes.length} codes`;
  const rest = missing.length > 0 ? `; not reached: ${missing.join(', ')}` : '';
  console.log(
    `reached: ${endpoints.size} endpoints, ${found}, ${kinds.length} pairs of both${rest}`,
  );
}

/** Plays lists and ladders; resolves to true if nothing differs. */
async function playModel(runs: number, seed: number, path: string | undefined): Promise<boolean> {
  const { runs: done, commands, reached, difference } = await playAll(seed, runs, { path });
  const differences = difference ? 1 : 0;
  console.log(`runs ${done}, commands ${commands}, differences ${differences}, seed ${seed}`);
  printReached(reached);
  if (difference) console.log(difference);
  const ladders = await playLadders(seed, Math.ceil(runs / LISTS_PER_LADDER));
  console.log(`ladders of deliveries ${ladders.runs}, differences ${ladders.difference ? 1 : 0}`);
  if (ladders.difference) console.log(ladders.difference);
  return !difference && !ladders.difference;
}

const [first = '10000', second, third] = process.argv.slice(2);
const isWell =
  first === 'faults'
    ? await playFaults(second ?? '1000', third ?? '1')
    : await playModel(Number(first), Number(second ?? Date.now() % 2_147_483_647), third);
process.exit(isWell ? 0 : 1);
