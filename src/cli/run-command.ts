import process from 'node:process';
import { parseArgs } from 'node:util';
import { looksReal } from '../sandbox/host/journal.ts';
import { exitCodeOf } from './account.ts';
import { type Command, EXIT, type Given, UsageError } from './command.ts';
import { commandHelp } from './help.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Options of every command. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  color: { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const;

/** Runs a command with its arguments; resolves to what the process ends with. */
export async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  const { values, words } = parse(command, args);
  const { help, json, color, 'no-color': noColor, ...given } = values;
  const terminal = createTerminal({
    isJson: json === true,
    color: noColor === true ? false : color === true || undefined,
    signal: stop.signal,
  });
  if (help) {
    process.stdout.write(commandHelp(command, COMMON_OPTIONS));
    return EXIT.ok;
  }
  process.stdout.on('error', () => {
    if (!command.outlivesReader) process.exit(EXIT.ok); // as in `paystate tail | head`
  });
  return untilStopped(stop, () => runSafely(command, given, words, terminal));
}

function parse(
  { options, words: most = 0 }: Command,
  args: readonly string[],
): { readonly values: Given; readonly words: readonly string[] } {
  if (args.flatMap((arg) => arg.split('=')).some((text) => looksReal(`Bearer ${text}`)))
    throw new UsageError(
      'one of these arguments looks like a real key; others of this machine see command lines, so give it in the environment or in a file',
    );
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...options, ...COMMON_OPTIONS },
  });
  const surplus = positionals[most];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many`);
  return { values: values as Given, words: positionals };
}

/** The first Ctrl-C asks the command to end, a second one ends it. */
async function untilStopped(stop: AbortController, run: () => Promise<number>): Promise<number> {
  const ask = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  try {
    return await run();
  } finally {
    process.off('SIGINT', ask).off('SIGTERM', ask);
  }
}

async function runSafely(
  command: Command,
  given: Given,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return await command.run(given, words, terminal);
  } catch (thrown) {
    if (terminal.signal.aborted && thrown === terminal.signal.reason) return EXIT.interrupted;
    const message = thrown instanceof Error ? thrown.message : 'it cannot go on';
    terminal.complain(message);
    terminal.emit({ error: errorOf(thrown, message) });
    return exitCodeOf(thrown);
  }
}

/** What a program is told of an error: its facts, without a cause. */
function errorOf(thrown: unknown, message: string): object {
  const facts = (thrown as { toJSON?: () => object } | null)?.toJSON?.();
  return facts ?? { message };
}
