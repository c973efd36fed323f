import { renameSync, writeFileSync } from 'node:fs';
import { add, type Decimal, decimalText, parseDecimal, subtract } from '../../money/decimal.ts';
import type { Balance } from '../../resources/balances.ts';
import { fileStore } from '../../stores/file.ts';
import { memoryStore } from '../../stores/index.ts';
import { ACCOUNT_OPTIONS, accountClient } from '../account.ts';
import {
  type Command,
  EXIT,
  listOption,
  parseStated,
  tableOf,
  type Terminal,
  textOption,
} from '../command.ts';
import { csvHead, csvLine, type ExportLine, isZero, plainLine, ZERO } from '../export/lines.ts';
import { readAccount } from '../export/read-account.ts';

/**
 * The `paystate export` command, which exports every balance change as CSV and compares the sums
 * with the balances.
 */
export const exportAccount: Command = {
  usage: 'export [options]',
  about: `export every invoice, receive, payment, fee, exchange, payout and deposit as CSV
The column "effect" shows how each line changed the balance. Together with the opening balance it
adds up to the current balance, and any difference is printed. Amounts are exact decimals. If it's
unclear whether the amount sold in a small exchange includes the fee, its effect is empty.
The service can't list payments and exchanges, so they come from the last 30 days of events. Use
--keep to store settled ones for longer. Rate limits can make this slow, but you can stop and
restart it.
Exits with ${EXIT.failed} if the lines don't add up to the balances.`,
  options: {
    ...ACCOUNT_OPTIONS,
    out: {
      type: 'string',
      value: 'FILE',
      help: 'file to write the finished CSV to; default: stdout',
    },
    opening: {
      type: 'string',
      multiple: true,
      value: 'CUR=AMOUNT',
      help: 'opening balance of a currency; currencies you leave out start at 0',
    },
    keep: {
      type: 'string',
      value: 'FILE',
      help: 'file that keeps settled payments and exchanges, so each is only read once',
    },
    handle: {
      type: 'string',
      value: 'HANDLE',
      help: 'handle of the account; only needed if no invoice shows it',
    },
  },
  async run(given, _, terminal) {
    const openings = new Map(
      listOption(given, 'opening')
        .map((text) => parseStated(text, 'opening'))
        .map(({ amount, currency }) => [currency, parseDecimal(amount)]),
    );
    const client = accountClient(given, { queueTimeout: 4 * 3_600_000 });
    const keep = textOption(given, 'keep');
    const { lines, balances, hasMoved } = await readAccount(client, {
      kept: keep === undefined ? memoryStore() : fileStore(keep),
      handle: textOption(given, 'handle'),
      signal: terminal.signal,
      progress: (label) => terminal.progress(label),
    });
    const sums = addUp(lines, balances, openings);
    const isWhole = !hasMoved && sums.every(isExplained);
    const out = textOption(given, 'out');
    if (out !== undefined) writeWhole(out, [csvHead, ...lines.map(csvLine), ''].join('\r\n'));
    else {
      terminal.print([csvHead, ...lines.map(csvLine)], '\r\n');
      for (const line of lines) terminal.emit(plainLine(line));
    }
    terminal.emit({ sums, hasMoved, explained: isWhole });
    showSums(sums, out !== undefined, terminal);
    if (hasMoved)
      terminal.complain(
        "the balances changed during the export, so the sums don't match: run it again",
      );
    return isWhole ? EXIT.ok : EXIT.failed;
  },
};

/** Writes a file atomically, so a file with this name is always complete. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** Prints the sums as a table. If the CSV goes to stdout, the table goes to stderr. */
function showSums(sums: readonly CurrencySum[], isStdoutFree: boolean, terminal: Terminal): void {
  const rows = sums.map(({ currency, opening, lines, closing, rest, undecided }) => [
    currency,
    opening,
    lines,
    closing,
    undecided > 0 ? `${rest} and ${undecided} lines of unknown effect` : rest,
  ]);
  const table = tableOf([['', 'opening', 'lines', 'closing', 'rest'], ...rows]);
  for (const [at, line] of table.entries()) {
    const sum = sums[at - 1];
    if (!isStdoutFree && !terminal.isJson) terminal.complain(line);
    else if (sum && isExplained(sum)) terminal.print(line);
    else terminal.print(terminal.style(sum ? 'red' : 'bold', line));
  }
}

interface CurrencySum {
  readonly currency: string;
  /**
   * Opening balance. If you don't pass one, it's computed from the closing balance and the lines.
   */
  readonly opening: string;
  readonly lines: string;
  readonly closing: string;
  /** Difference that the lines don't explain. Always 0 if you don't pass an opening balance. */
  readonly rest: string;
  /** Number of lines with an unknown effect on the balance. */
  readonly undecided: number;
}

export function addUp(
  lines: readonly ExportLine[],
  balances: readonly Balance[],
  openings: ReadonlyMap<string, Decimal>,
): readonly CurrencySum[] {
  const currencies = new Set([
    ...balances.map(({ currency }) => currency),
    ...lines.map(({ currency }) => currency),
    ...openings.keys(),
  ]);
  return [...currencies].sort().map((currency) => {
    const own = lines.filter((line) => line.currency === currency);
    const moved = own.flatMap(({ effect }) => effect ?? []).reduce(add, ZERO);
    const current = balances.find((balance) => balance.currency === currency)?.current ?? '0';
    const closing = parseDecimal(current);
    const implied = subtract(closing, moved);
    const opening = openings.size > 0 ? (openings.get(currency) ?? ZERO) : implied;
    return {
      currency,
      opening: decimalText(opening),
      lines: decimalText(moved),
      closing: decimalText(closing),
      rest: decimalText(subtract(implied, opening)),
      undecided: own.filter(({ effect }) => effect === undefined).length,
    };
  });
}

export function isExplained({ rest, undecided }: CurrencySum): boolean {
  return undecided === 0 && isZero(parseDecimal(rest));
}
