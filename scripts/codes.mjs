// How each code of the service comes about, played just now in this process and over HTTP against the command: npm run codes
import { playCodes } from '../test/codes/both.ts';

const rows = await playCodes();
const head = ['code', 'status', 'in process', 'over the command', 'when'];
const cells = rows.map(({ code, status, inProcess, overCommand, when }) => [
  code,
  `${status}`,
  inProcess,
  overCommand,
  when,
]);
const widths = head.map((title, column) =>
  Math.max(title.length, ...cells.map((row) => row[column].length)),
);
for (const row of [head, ...cells])
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
const count = (where) => rows.filter((row) => row[where] === 'ok').length;
console.log(
  `\n${count('inProcess')} of ${rows.length} in process, ${count('overCommand')} over the command`,
);
process.exit(
  rows.every(
    ({ inProcess, overCommand }) => /^(ok|–)$/.test(inProcess) && inProcess === overCommand,
  )
    ? 0
    : 1,
);
