// What stands behind each operation: everything in the table was run just now, against the sandbox, through the verb.
//   npm run contract                    the operations, then 1,000 legal changes of every example
//   npm run contract -- --part 0.1      a tenth of the changes
import {
  columns,
  differences,
  operations,
  strays,
  troubleOf,
} from '../test/unit/contract/paths.ts';
import { examples } from '../test/unit/contract/examples.ts';
import { playChanges } from '../test/unit/contract/changes.ts';

const CHANGES = 1_000;
const at = process.argv.indexOf('--part');
const part = at < 0 ? 1 : Number(process.argv[at + 1]);

const troubles = [
  ...strays().map((name) => `${name}: row, verb and test do not all exist`),
  ...differences().map((line) => `the rows and what is published differ: ${line}`),
];
const rows = [];
for (const operation of operations) {
  const cells = [];
  for (const column of columns) {
    const trouble = await troubleOf(operation, column);
    if (trouble) troubles.push(`${operation.name}, ${column.title}: ${trouble}`);
    cells.push(trouble === undefined ? '–' : trouble === '' ? 'ok' : 'FAIL');
  }
  const { method, path, idempotency: repeat } = operation.row;
  rows.push([operation.name, `${method} ${path}`, repeat, ...cells]);
}

const head = ['verb', 'row', 'repeat', ...columns.map(({ title }) => title)];
const widths = head.map((title, column) =>
  Math.max(title.length, ...rows.map((row) => row[column].length)),
);
const line = (cells) =>
  cells
    .map((cell, column) => cell.padEnd(widths[column]))
    .join('  ')
    .trimEnd();
console.log([head, ...rows].map(line).join('\n'));
const whole = rows.filter((row) => !row.includes('FAIL')).length;
const run = rows.flat().filter((cell) => cell === 'ok').length;
console.log(`\n${whole} of ${operations.length} operations; ${run} ways run`);

const rounds = Math.round(CHANGES * part);
let told = 0;
for (const [name, example] of Object.entries(examples)) {
  const { news, trouble } = await playChanges(example, rounds);
  told += news;
  if (trouble) troubles.push(`${name}: ${trouble}`);
}
console.log(
  `${Object.keys(examples).length} examples, ${rounds} legal changes of each; ${told} news told once each`,
);
for (const trouble of troubles) console.log(`FAIL ${trouble}`);
process.exit(troubles.length > 0 || operations.length === 0 ? 1 : 0);
