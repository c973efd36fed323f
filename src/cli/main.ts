#!/usr/bin/env node
import process from 'node:process';
import { parseArgs } from 'node:util';
import { looksReal } from '../sandbox/host/names.ts';
import {
  type Command,
  createTerminal,
  EXIT,
  exitCodeAfter,
  type Given,
  packageVersion,
  type Terminal,
  UsageError,
} from './command.ts';
import { commands } from './commands.ts';
import { COMMON_OPTIONS, commandHelp, overview } from './help.ts';

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    const all = await Promise.all(Object.values(commands).map((load) => load()));
    process.stdout.write(overview(all));
    return EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${packageVersion()}\n`);
    return EXIT.ok;
  }
  if (name === undefined) throw new UsageError('a command is missing');
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) throw new UsageError(`there is no command "${name.slice(0, 40)}"`);
  return runCommand(await load(), args);
}

/** Runs a command with its arguments; resolves to what the process ends with. */
async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  const { values, words } = parse(command, args);
  const { help, json, color, 'no-color': noColor, ...given } = values;
  const terminal = createTerminal({
    isJson: json === true,
    color: noColor === true ? false : color === true || undefined,
    signal: stop.signal,
  });
  if (help) {
    process.stdout.write(commandHelp(command));
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
      'an argument looks like a real key; other users of this machine can see command lines, ' +
        'so pass it in the environment or in a file',
    );
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...options, ...COMMON_OPTIONS, help: { type: 'boolean', short: 'h' } },
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
    const facts = (thrown as { toJSON?: () => object } | null)?.toJSON?.();
    terminal.emit({ error: facts ?? { message } });
    return exitCodeAfter(thrown);
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  const message = thrown instanceof Error ? thrown.message : 'it cannot go on';
  const code = exitCodeAfter(thrown);
  process.stderr.write(
    `paystate: ${message}${code === EXIT.usage ? '; see paystate --help' : ''}\n`,
  );
  return code;
});
