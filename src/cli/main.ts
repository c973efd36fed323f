#!/usr/bin/env node
import process from 'node:process';
import { exitCodeOf } from './account.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { overview } from './help.ts';
import { runCommand } from './run-command.ts';
import { packageVersion } from './package-version.ts';

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    process.stdout.write(overview(await allCommands()));
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

async function allCommands(): Promise<Readonly<Record<string, Command>>> {
  const loaded = Object.entries(commands).map(
    async ([name, load]) => [name, await load()] as const,
  );
  return Object.fromEntries(await Promise.all(loaded));
}

/** What `parseArgs` throws at. */
const isUsage = (thrown: unknown): boolean =>
  thrown instanceof UsageError ||
  /^ERR_PARSE_ARGS/.test((thrown as { readonly code?: string } | null)?.code ?? '');

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  const message = thrown instanceof Error ? thrown.message : 'it cannot go on';
  const isWrong = isUsage(thrown);
  process.stderr.write(`paystate: ${message}${isWrong ? '; see paystate --help' : ''}\n`);
  return isWrong ? EXIT.usage : exitCodeOf(thrown);
});
