import process from 'node:process';
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'code';

/** A code of light blocks is dark on light, whatever the terminal's own colours are. */
const CODE: ('whiteBright' | 'bgBlack')[] = ['whiteBright', 'bgBlack'];

/** Shows how far something is, in one line that is written over. */
export interface Progress {
  /** So many are done; of how many, where that is known. */
  show(done: number, total?: number): void;
  /** Takes the line away. */
  end(): void;
}

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Terminal {
  /** Results are JSON, one value a line. */
  readonly isJson: boolean;
  /** Aborted by Ctrl-C and by the end that the system asks for. */
  readonly signal: AbortSignal;
  /** A line for people; not with `--json`. */
  print(line?: string): void;
  /** A value for programs; only with `--json`. */
  emit(value: unknown): void;
  /** A line on stderr. */
  complain(text: string): void;
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
  return {
    isJson,
    signal,
    print(line = '') {
      if (!isJson) stdout.write(`${line}\n`);
    },
    emit(value) {
      if (isJson) stdout.write(`${JSON.stringify(value)}\n`);
    },
    complain: (text) => void stderr.write(`paystate: ${text}\n`),
    // whether to colour was decided above: Node would look at its own stdout
    style: (style, text) =>
      isColoured
        ? styleText(style === 'code' ? CODE : style, text, { validateStream: false })
        : text,
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
