// Plays the relay on rows in real processes on PostgreSQL: kills, silence, restarts, many accounts, many pages.
// Each play prints its figures.
//   npm run prove -- rows            lists the plays
//   npm run prove -- rows webhooks   plays one
//   npm run prove -- rows accounts --accounts 10 --minutes 1
import { startPostgresql } from '../../runners/stores/postgresql.ts';
import { proofs } from './proofs.ts';

const [name, ...given] = process.argv.slice(2);
const proof = proofs.find((one) => one.name === name);

if (!proof) {
  for (const { name: title, shows } of proofs) console.log(`${title.padEnd(10)} ${shows}`);
  process.exit(name === undefined ? 0 : 1);
}

/** Numbers that the command was given, such as `--minutes 1`. */
function options(): Readonly<Record<string, number>> {
  const pairs = given.flatMap((word, at) =>
    word.startsWith('--') ? [[word.slice(2), Number(given[at + 1])] as const] : [],
  );
  return Object.fromEntries(pairs);
}

const postgresql = await startPostgresql();
if (!postgresql) throw new Error('PostgreSQL is not installed');
console.log(postgresql.version);
const startedAt = performance.now();
const { figures, faults } = await proof.play(postgresql, options());
for (const row of figures) console.log(JSON.stringify(row));
for (const fault of faults) console.log(`missed: ${fault}`);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
console.log(
  `${faults.length === 0 ? 'ok ' : ''}rows ${name}: ${faults.length} missed, ${seconds} s`,
);
await postgresql.stop();
process.exit(faults.length === 0 ? 0 : 1);
