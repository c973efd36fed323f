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
 * `paystate export`: exports every movement of money as CSV, and compares the sums with the
 * balances.
 */
export const exportAccount: Command = {
  usage: 'export [options]',
  about: `export every invoice, receive, payment, fee, exchange, payout and deposit as CSV
The column "effect" shows how each line changed the balance. Its sum and the opening balance make
the current balance, and any rest is printed. Amounts are exact decimals. If nothing shows whether
the fee of a small exchange was part of the sold amount, its effect is empty.
The service lists no payments and exchanges, so they come from the events of the last 30 days. Use
--keep to store the settled ones for longer. The rate limits can make this slow, and you can stop
and restart it.
Ends with ${EXIT.failed} if the lines do not explain the balances.`,
  options: {
    ...ACCOUNT_OPTIONS,
    out: {
      type: 'string',
      value: 'FILE',
      help: 'write the CSV to this file at the end; default: stdout',
    },
    opening: {
      type: 'string',
      multiple: true,
      value: 'CUR=AMOUNT',
      help: 'balance before the first line; if you give one, the others are 0',
    },
    keep: {
      type: 'string',
      value: 'FILE',
      help: 'keep settled payments and exchanges in this file, so that each is read once',
    },
    handle: {
      type: 'string',
      value: 'HANDLE',
      help: 'name of the account, if its invoices do not show it',
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
        'the balances changed during the export, so the sums do not match: run it again',
      );
    return isWhole ? EXIT.ok : EXIT.failed;
  },
};

/** Writes a file atomically, so an existing file is always complete. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** The table goes to stderr if the CSV is on stdout. */
function showSums(sums: readonly CurrencySum[], isStdoutFree: boolean, terminal: Terminal): void {
  const rows = sums.map(({ currency, opening, lines, closing, rest, undecided }) => [
    currency,
    opening,
    lines,
    closing,
    undecided > 0 ? `${rest} and ${undecided} lines that may have any effect` : rest,
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
  /** Opening balance. If none is given, it's computed as if the lines were complete. */
  readonly opening: string;
  readonly lines: string;
  readonly closing: string;
  /** The amount no line explains. 0 if no opening balance is given. */
  readonly rest: string;
  /** Lines with an unknown effect. */
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
