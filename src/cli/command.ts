import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { styleText } from 'node:util';
import { isPaystateError } from '../core/errors/index.ts';
import { printable, printableJson } from '../core/text.ts';
import { type Money, money } from '../money/index.ts';

/**
 * Exit codes of the process. A script may retry after `unreachable` and `limited`, but not after
 * `refused`. After `unknown`, a person must check first.
 */
export const EXIT = {
  ok: 0,
  /** It was done with a bad result, or it couldn't be done. */
  failed: 1,
  /** The command line or the environment is wrong. Nothing was sent. */
  usage: 2,
  unreachable: 3,
  /** The service refused the request or the key. */
  refused: 4,
  /** A command was sent, and its effect is unknown. */
  unknown: 5,
  /** Blocked by the rate limit. */
  limited: 6,
  interrupted: 130,
} as const;

interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The name of its value in the help, such as `URL`. */
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command of `paystate`. Each is a file in `commands/`. */
export interface Command {
  /** The words after `paystate` in the help, such as `tail [options]`. */
  readonly usage: string;
  /** Its description. The first line is for the overview. */
  readonly about: string;
  readonly options: CommandOptions;
  /** Maximum number of arguments after its name. If absent, none. */
  readonly words?: number;
  /**
   * Whether it continues after the reader of its output is gone, for example because a pipe was
   * closed.
   */
  readonly outlivesReader?: boolean;
  /** Resolves to the exit code of the process. */
  run(given: Given, words: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command is impossible as given. Nothing was sent. */
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

/** Returns how this shell calls the command: through npx, unless it's installed globally. */
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

/** Parses an amount. `complaint` is the error for an invalid one. */
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

/** A code made of light blocks is dark on light, whatever the terminal's colors. */
const CODE: ('whiteBright' | 'bgBlack')[] = ['whiteBright', 'bgBlack'];

/** Shows progress in a single line that is overwritten. */
export interface Progress {
  /** Shows how many are done, and the total if known. */
  show(done: number, total?: number): void;
  end(): void;
}

/**
 * Output of a command, with results on stdout and everything else on stderr. Much of it is foreign
 * text, so only `style` and line ends may control the terminal.
 */
export interface Terminal {
  /** Results are JSON, one value per line. */
  readonly isJson: boolean;
  /** Aborted by Ctrl-C, and when the system asks the process to end. */
  readonly signal: AbortSignal;
  /** Immediately prints lines for people. Not with `--json`. */
  print(lines?: string | readonly string[], end?: '\n' | '\r\n'): void;
  /** Prints a value for programs. Only with `--json`. */
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
  /** If absent, the streams and the environment decide. */
  readonly color?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly stdout?: Output;
  readonly stderr?: Output;
}

/** Terminals get colors. `NO_COLOR` and `FORCE_COLOR` have their usual meaning. */
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
  const escape = `\u001b${crypto.randomUUID()}`; // no foreign text can contain it
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
    // colours were decided above, and Node would decide by its own stdout
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

/** Without a terminal, overwritten lines would be noise in a file or a pipe. */
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
