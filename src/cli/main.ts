#!/usr/bin/env node
import process from 'node:process';
import { parseArgs } from 'node:util';
import { didYouMean, isPaystateError } from '../core/errors/index.ts';
import { printable } from '../core/text.ts';
import { looksReal } from '../sandbox/host/names.ts';
import {
  type Command,
  type CommandOptions,
  createTerminal,
  EXIT,
  exitCodeAfter,
  type Given,
  ownCommand,
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
  if (!load) {
    const hint = didYouMean(name, Object.keys(commands));
    throw new UsageError(`there is no command "${name.slice(0, 40)}"${hint}`);
  }
  return runCommand(await load(), args);
}

/** Runs a command with its arguments. Resolves to the exit code. */
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
      'an argument looks like a real key, and other users of this machine can see command lines. Use an environment variable or a file instead',
    );
  const known = { ...options, ...COMMON_OPTIONS, help: HELP };
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false, // Node's own errors don't suggest similar names
    tokens: true,
    options: known,
  });
  for (const token of tokens) if (token.kind === 'option') requireOption(known, token);
  const surplus = positionals[most];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is an unexpected argument`);
  return { values: values as Given, words: positionals };
}

const HELP = { type: 'boolean', short: 'h', help: 'print this' } as const;

interface GivenOption {
  readonly name: string;
  /** Name as the user typed it, including the dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the user typed `--name=value`. */
  readonly inlineValue: boolean | undefined;
}

function requireOption(known: CommandOptions, given: GivenOption): void {
  const { name, rawName, value, inlineValue } = given;
  if (!Object.hasOwn(known, name)) {
    const names = Object.keys(known).map((one) => `--${one}`);
    throw new UsageError(`there is no option ${rawName.slice(0, 40)}${didYouMean(rawName, names)}`);
  }
  const { type, value: meant = 'VALUE' } = known[name]!;
  if (type === 'boolean' && value !== undefined) throw new UsageError(`--${name} takes no value`);
  const isOption = !inlineValue && /^-./.test(value ?? '');
  if (type === 'string' && (value === undefined || isOption))
    throw new UsageError(`--${name} needs a value: --${name}=${meant}`);
}

/** Runs a command until Ctrl-C. The first Ctrl-C aborts it, and a second one exits immediately. */
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
    const message = thrown instanceof Error ? thrown.message : 'an unexpected error';
    // errors from the service may contain third-party text, so line breaks in them aren't printed
    terminal.complain(...(isPaystateError(thrown) ? [message] : message.split('\n')));
    const facts = (thrown as { toJSON?: () => object } | null)?.toJSON?.();
    terminal.emit({ error: facts ?? { message } });
    return exitCodeAfter(thrown);
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  const message = thrown instanceof Error ? thrown.message : 'an unexpected error';
  const code = exitCodeAfter(thrown);
  process.stderr.write(
    `paystate: ${printable(message)}${code === EXIT.usage ? `; see ${ownCommand()} --help` : ''}\n`,
  );
  return code;
});
