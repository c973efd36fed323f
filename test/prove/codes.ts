// Plays each error code of the service, in this process and over HTTP against the command, and
// prints how it comes about.
import { tableOf } from '../../src/cli/command.ts';
import { type CodeRow, playCodes } from '../codes/both.ts';

const rows = await playCodes();
const cells = rows.map(({ code, status, inProcess, overCommand, when }) => [
  code,
  `${status}`,
  inProcess,
  overCommand,
  when,
]);
const head = ['code', 'status', 'in process', 'over the command', 'when'];
console.log(tableOf([head, ...cells]).join('\n'));

const count = (where: 'inProcess' | 'overCommand'): number =>
  rows.filter((row) => row[where] === 'ok').length;
console.log(
  `\n${count('inProcess')} of ${rows.length} in process, ${count('overCommand')} over the command`,
);

const isRight = ({ inProcess, overCommand }: CodeRow): boolean =>
  (inProcess === 'ok' || inProcess === '–') && inProcess === overCommand;
process.exit(rows.every(isRight) ? 0 : 1);
