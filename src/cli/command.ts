import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { styleText } from 'node:util';
import { isPaystateError } from '../core/errors/index.ts';
import { printable, printableJson } from '../core/text.ts';
import { type Money, money } from '../money/index.ts';

/**
 * The exit codes of the process. A script can tell what is worth repeating: `unreachable` and
 * `limited` are, `refused` is not, and after `unknown` a person has to look first.
 */
export const EXIT = {
  ok: 0,
  /** It was done, and what was found is not right; or it could not be done. */
  failed: 1,
  /** The command line or the environment is wrong; nothing was sent. */
  usage: 2,
  unreachable: 3,
  /** The service refused, or the key was refused. */
  refused: 4,
  /** A command was sent, and it is not known whether it was done. */
  unknown: 5,
  /** The rate limit blocks. */
  limited: 6,
  interrupted: 130,
} as const;

/** One option of a command. */
interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The name of its value in the help, such as `URL`. */
  readonly value?: string;
  /** One line for the help. */
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** The values that were given for the options: texts, flags and lists of texts. */
export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command of `paystate`; each is a file in `commands/`. */
export interface Command {
  /** The words after `paystate` in the help, such as `tail [options]`. */
  readonly usage: string;
  /** Says what it does; the first line is for the overview. */
  readonly about: string;
  readonly options: CommandOptions;
  /** The most words that may follow its name; none where absent. */
  readonly words?: number;
  /** It goes on when its output is read no more, as by a pipe that was closed. */
  readonly outlivesReader?: boolean;
  /** Resolves to what the process ends with. */
  run(given: Given, words: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command cannot be done as it was asked for; nothing was sent. */
export class UsageError extends Error {}

/** The exit code after this error. */
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

/** The version of this package. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** What a shell here calls this command: npx finds it unless it is installed globally. */
export function ownCommand(): string {
  const file = process.platform === 'win32' ? 'paystate.cmd' : 'paystate';
  const isGlobal = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => !folder.includes('node_modules') && existsSync(join(folder, file)));
  return isGlobal ? 'paystate' : 'npx paystate';
}

/** The text that was given for an option. */
export function textOption(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** All texts that were given for an option. */
export function listOption(given: Given, name: string): readonly string[] {
  const value = given[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** A whole number that was given for an option. */
export function countOption(given: Given, name: string, most: number): number | undefined {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || +text > most)
    throw new UsageError(`--${name} must be 0 or more to ${most}`);
  return +text;
}

/** An amount that was given; `complaint` is said where it is none. */
export function readMoney(amount: string, currency: string, complaint: string): Money {
  try {
    return money(amount, currency);
  } catch {
    throw new UsageError(complaint);
  }
}

/** An amount that was given for an option, such as `EUR=20.00`. */
export function parseStated(text: string, name: string): Money {
  const at = text.indexOf('=');
  const complaint = `--${name} must be like EUR=20.00, not "${text.slice(0, 40)}"`;
  return readMoney(text.slice(at + 1), text.slice(0, Math.max(0, at)), complaint);
}

/** The rate limits that were asked for; absent where none were. */
export function rateLimitsOption(given: Given): 'production' | 'test' | undefined {
  const name = textOption(given, 'rate-limits');
  if (name === undefined || name === 'production' || name === 'test') return name;
  throw new UsageError('--rate-limits must be production or test');
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'code';

/** A code of light blocks is dark on light, whatever the terminal's own colours are. */
const CODE: ('whiteBright' | 'bgBlack')[] = ['whiteBright', 'bgBlack'];

/** Shows how far something is, in one line that is written over. */
export interface Progress {
  /** Shows how many are done, and of how many, where that is known. */
  show(done: number, total?: number): void;
  /** Takes the line away. */
  end(): void;
}

/**
 * The output of a command: results to stdout, everything else to stderr. Much of it was written by
 * others, so nothing but `style` and the ends of lines controls the terminal.
 */
export interface Terminal {
  /** Results are JSON, one value a line. */
  readonly isJson: boolean;
  /** Aborted by Ctrl-C and by the end that the system asks for. */
  readonly signal: AbortSignal;
  /** Lines for people, written at once; not with `--json`. */
  print(lines?: string | readonly string[], end?: '\n' | '\r\n'): void;
  /** A value for programs; only with `--json`. */
  emit(value: unknown): void;
  /** Lines on stderr. */
  complain(...lines: readonly string[]): void;
  style(style: Style, text: string): string;
  progress(label: string): Progress;
}

/** The part of a stream that is written to. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface TerminalOptions {
  readonly isJson: boolean;
  /** Absent: as the streams and the environment say. */
  readonly color?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly stdout?: Output;
  readonly stderr?: Output;
}

/** Colours are for terminals; `NO_COLOR` and `FORCE_COLOR` have their usual meaning. */
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
  const escape = `\u001b${crypto.randomUUID()}`; // no text of others can hold it
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
    // colours were decided above: Node would decide by its own stdout
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

/** Silent where there is no terminal: in a file or a pipe a line that is written over is noise. */
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

/** A table for people: columns as wide as their widest cell. */
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
