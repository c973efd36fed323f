// Sends a program's console output to the page around it, up to a maximum number of lines.
import { show } from './show.ts';
import { MAX_LINE_LENGTH, MAX_LINES, type Report } from './task.ts';

/** Replaces the methods of `console`, so that each call reports a line. */
export function takeConsole(tell: (report: Report) => void): void {
  let lines = 0;
  const write = (level: 'log' | 'error', values: readonly unknown[]): void => {
    lines += 1;
    if (lines > MAX_LINES + 1) return;
    const text =
      lines > MAX_LINES
        ? `… the output is longer than ${MAX_LINES} lines`
        : values.map(show).join(' ').slice(0, MAX_LINE_LENGTH);
    tell({ kind: 'line', level, text });
  };
  for (const name of ['log', 'info', 'debug', 'table'] as const)
    console[name] = (...values: unknown[]) => write('log', values);
  for (const name of ['warn', 'error'] as const)
    console[name] = (...values: unknown[]) => write('error', values);
}
