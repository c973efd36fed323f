import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { styleText } from 'node:util';
import { isPaystateError } from '../core/errors/index.ts';
import { printable, printableJson } from '../core/text.ts';
import { type Money, money } from '../money/index.ts';

/**
 * Exit codes of the CLI. Your script may retry after `unreachable` and `limited`, but not after
 * `refused`. After `unknown`, check the result manually first.
 */
export const EXIT = {
  ok: 0,
  /** The command found a problem or couldn't finish. */
  failed: 1,
  /** The arguments or environment variables are wrong. Nothing was sent. */
  usage: 2,
  unreachable: 3,
  /** The service refused the request or the API key. */
  refused: 4,
  /** A write was sent, but it's unknown whether it took effect. */
  unknown: 5,
  /** The rate limit was exceeded. */
  limited: 6,
  interrupted: 130,
} as const;

interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** Placeholder for the option's value in the help text, such as `URL`. */
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command of the `paystate` CLI. Each has its own file in `commands/`. */
export interface Command {
  /** Usage line in the help text, without `paystate`, such as `tail [options]`. */
  readonly usage: string;
  /** Description in the help text. The list of all commands only shows the first line. */
  readonly about: string;
  readonly options: CommandOptions;
  /** Maximum number of positional arguments. Defaults to 0. */
  readonly words?: number;
  /** Whether the command keeps running after its stdout is closed, for example by `head`. */
  readonly outlivesReader?: boolean;
  /** Runs the command and resolves to the exit code. */
  run(given: Given, words: readonly string[], terminal: Terminal): Promise<number>;
}

/** Error for invalid arguments or environment variables. Nothing was sent. */
export class UsageError extends Error {}

export function exitCodeAfter(thrown: unknown): number {
  if (thrown instanceof UsageError) return EXIT.usage;
  if (!isPaystateError(thrown)) return EXIT.failed;
  if (thrown.outcome === 'unknown') return EXIT.unknown;
  switch (thrown.kind) {
    case 'input':
      return EXIT.usage;
    case 'unreachable':
      return EXIT.unreachable;
    case 'limited':
      return EXIT.limited;
    case 'refused':
    case 'authentication':
      return EXIT.refused;
    default:
      return EXIT.failed;
  }
}

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/**
 * Returns the command to show in hints, which is `npx paystate` unless `paystate` is installed
 * globally.
 */
export function ownCommand(): string {
  const file = process.platform === 'win32' ? 'paystate.cmd' : 'paystate';
  const isGlobal = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => !folder.includes('node_modules') && existsSync(join(folder, file)));
  return isGlobal ? 'paystate' : 'npx paystate';
}

export function textOption(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function listOption(given: Given, name: string): readonly string[] {
  const value = given[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function countOption(given: Given, name: string, most: number): number | undefined {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || +text > most)
    throw new UsageError(`--${name} must be 0 or more to ${most}`);
  return +text;
}

/** Parses an amount. `complaint` is the error message for an invalid amount. */
export function readMoney(amount: string, currency: string, complaint: string): Money {
  try {
    return money(amount, currency);
  } catch {
    throw new UsageError(complaint);
  }
}

export function parseStated(text: string, name: string): Money {
  const at = text.indexOf('=');
  const complaint = `--${name} must be like EUR=20.00, not "${text.slice(0, 40)}"`;
  return readMoney(text.slice(at + 1), text.slice(0, Math.max(0, at)), complaint);
}

export function rateLimitsOption(given: Given): 'production' | 'test' | undefined {
  const name = textOption(given, 'rate-limits');
  if (name === undefined || name === 'production' || name === 'test') return name;
  throw new UsageError('--rate-limits must be production or test');
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'code';

/** Colors for QR codes. They're always dark on light, regardless of the terminal's theme. */
const CODE: ('whiteBright' | 'bgBlack')[] = ['whiteBright', 'bgBlack'];

/** A single-line progress bar for the terminal. */
export interface Progress {
  /** Updates the progress bar. Pass the total if you know it. */
  show(done: number, total?: number): void;
  end(): void;
}

/**
 * Command output. Results go to stdout and everything else to stderr. Control characters in
 * third-party text are replaced, so only `style` and line breaks affect the terminal.
 */
export interface Terminal {
  /** Whether the command prints results as JSON, with one value per line. */
  readonly isJson: boolean;
  /** Signal that aborts on Ctrl-C or when the process is terminated. */
  readonly signal: AbortSignal;
  /** Prints human-readable lines to stdout. Prints nothing with `--json`. */
  print(lines?: string | readonly string[], end?: '\n' | '\r\n'): void;
  /** Prints a value as JSON to stdout. Prints nothing without `--json`. */
  emit(value: unknown): void;
  complain(...lines: readonly string[]): void;
  style(style: Style, text: string): string;
  progress(label: string): Progress;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface TerminalOptions {
  readonly isJson: boolean;
  /** Whether to use colors. The default depends on the terminal and environment variables. */
  readonly color?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly stdout?: Output;
  readonly stderr?: Output;
}

/**
 * Returns whether an output stream supports colors. `NO_COLOR` and `FORCE_COLOR` have their usual
 * meaning.
 */
function hasColour(output: Output): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return output.isTTY === true && TERM !== 'dumb';
}

export function createTerminal({
  isJson,
  color,
  signal,
  stdout = process.stdout,
  stderr = process.stderr,
}: TerminalOptions): Terminal {
  const isColoured = !isJson && (color ?? hasColour(stdout));
  const escape = `\u001b${crypto.randomUUID()}`; // random, so printed text can't contain it
  const clean = (line: string): string => line.split(escape).map(printable).join('\u001b');
  return {
    isJson,
    signal,
    print(lines = '', end = '\n') {
      if (!isJson) stdout.write([lines].flat().map(clean).concat('').join(end));
    },
    emit(value) {
      if (isJson) stdout.write(`${printableJson(value)}\n`);
    },
    complain: (...lines) => void stderr.write(`paystate: ${lines.map(printable).join('\n')}\n`),
    // Node would check its own stdout for color support, but `isColoured` already covers that
    style(style, text) {
      if (!isColoured) return text;
      const codes = style === 'code' ? CODE : style;
      const styled = styleText(codes, printable(text), { validateStream: false });
      return styled.replaceAll('\u001b', escape);
    },
    progress: (label) => progressOn(stderr, label, isJson),
  };
}

const BAR = 24;

/** Creates a progress bar. If the output is a file or a pipe, it shows nothing. */
function progressOn(stderr: Output, label: string, isJson: boolean): Progress {
  if (isJson || !stderr.isTTY) return { show() {}, end() {} };
  return {
    show(done, total) {
      const full = total ? Math.min(BAR, Math.floor((done / total) * BAR)) : 0;
      const bar = total ? ` [${'#'.repeat(full)}${'.'.repeat(BAR - full)}]` : '';
      const line = `${label}${bar} ${done}${total ? `/${total}` : ''}`;
      stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns || 80) - 1)}`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}

export function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
}
