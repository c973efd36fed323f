// Holds the sandbox against a small model that shares no code with it:
//   npm run model                        10,000 lists of up to 50 commands
//   npm run model -- 500                 so many
//   npm run model -- 500 42              with this seed
//   npm run model -- 1 42 17             only the list that a report's path begins with
//   npm run model -- mutants             breaks the sandbox in eleven ways; each must be noticed
import { serviceCodes } from 'paystate/endpoints';
import { playLadders } from '../test/model/ladders.ts';
import { playAll } from '../test/model/run.ts';
import { playMutants } from './model/mutants.mjs';

if (process.argv[2] === 'mutants') {
  const [most = '1000', first = '1'] = process.argv.slice(3);
  process.exit((await playMutants(most, first)) ? 0 : 1);
}

const [runs = '10000', seed = String(Date.now() % 2_147_483_647), path] = process.argv.slice(2);
const {
  runs: done,
  commands,
  reached,
  difference,
} = await playAll(Number(seed), Number(runs), { path });
const kinds = [...reached].sort();
const said = new Set(kinds.map((kind) => kind.split(' ').at(-1)));
const codes = Object.keys(serviceCodes);
const missing = codes.filter((code) => !said.has(code));
const endpoints = new Set(
  kinds
    .filter((kind) => /^[A-Z]+ \//.test(kind))
    .map((kind) => kind.split(' ').slice(0, 2).join(' ')),
);

if (process.env.SHOW) console.log(kinds.join('\n'));
console.log(`runs ${done}, commands ${commands}, differences ${difference ? 1 : 0}, seed ${seed}`);
console.log(
  `reached: ${endpoints.size} endpoints, ${codes.length - missing.length} of ${codes.length} codes, ${kinds.length} pairs of both${missing.length > 0 ? `; not reached: ${missing.join(', ')}` : ''}`,
);
if (difference) console.log(difference);
const ladders = await playLadders(Number(seed), Math.ceil(Number(runs) / 50));
console.log(`ladders of deliveries ${ladders.runs}, differences ${ladders.difference ? 1 : 0}`);
if (ladders.difference) console.log(ladders.difference);
process.exit(difference || ladders.difference ? 1 : 0);
