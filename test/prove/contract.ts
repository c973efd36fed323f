// Runs every way of each operation through its verb, then changes responses and requests in every
// way that the contract allows.
//   npm run prove -- contract              the operations, then 1,000 legal changes of every example
//   npm run prove -- contract --part 0.1   a tenth of the changes
import { tableOf } from '../../src/cli/command.ts';
import { playChanges } from '../unit/contract/changes.ts';
import { examples } from '../unit/contract/examples.ts';
import { columns, differences, operations, strays, troubleOf } from '../unit/contract/paths.ts';

const CHANGES = 1_000;

const given = process.argv.slice(2);
const part = given.includes('--part') ? Number(given[given.indexOf('--part') + 1]) : 1;
const troubles: string[] = [
  ...strays().map((name) => `${name}: row, verb and test do not all exist`),
  ...differences().map((line) => `the rows and what is published differ: ${line}`),
];

async function playOperations(): Promise<void> {
  const rows: string[][] = [];
  for (const operation of operations) {
    const cells: string[] = [];
    for (const column of columns) {
      const trouble = await troubleOf(operation, column);
      if (trouble) troubles.push(`${operation.name}, ${column.title}: ${trouble}`);
      cells.push(trouble === undefined ? '–' : trouble === '' ? 'ok' : 'FAIL');
    }
    const { method, path, idempotency } = operation.row;
    rows.push([operation.name, `${method} ${path}`, idempotency, ...cells]);
  }
  const head = ['verb', 'row', 'repeat', ...columns.map(({ title }) => title)];
  console.log(tableOf([head, ...rows]).join('\n'));
  const whole = rows.filter((row) => !row.includes('FAIL')).length;
  const run = rows.flat().filter((cell) => cell === 'ok').length;
  console.log(`\n${whole} of ${operations.length} operations; ${run} ways run`);
}

async function playExamples(rounds: number): Promise<void> {
  let told = 0;
  for (const [name, example] of Object.entries(examples)) {
    const { news, trouble } = await playChanges(example, rounds);
    told += news;
    if (trouble) troubles.push(`${name}: ${trouble}`);
  }
  console.log(
    `${Object.keys(examples).length} examples, ${rounds} legal changes of each; ` +
      `${told} news told once each`,
  );
}

await playOperations();
await playExamples(Math.round(CHANGES * part));
for (const trouble of troubles) console.log(`FAIL ${trouble}`);
process.exit(troubles.length > 0 || operations.length === 0 ? 1 : 0);
