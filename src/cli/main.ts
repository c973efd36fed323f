#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { CONTROL_PATH } from '../sandbox/host/control.ts';
import { type Journal, journalInMemory } from '../sandbox/host/journal.ts';
import { readAccountsFile } from './accounts-file.ts';
import { type ShownAccount, shownAccounts } from './accounts.ts';
import { openFileJournal } from './file-journal.ts';
import { helpText } from './help.ts';
import { type SandboxTask, type Task, taskOf } from './options.ts';
import { serveJournal } from './serve-sandbox.ts';
import { runTorture } from './torture.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`paystate: ${text}\n`);

const versionOf = (): string =>
  (
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    }
  ).version;

/** Serves until the process is asked to end. */
async function runSandbox({
  port,
  state,
  seed,
  rateLimits,
  allowHosts,
  accounts,
  strict,
}: SandboxTask): Promise<void> {
  const wished = {
    ...(seed !== undefined && { seed }),
    ...(rateLimits && { rateLimits }),
    ...(accounts !== undefined && { accounts: readAccountsFile(accounts) }),
    ...(strict && { strict }),
  };
  const kept = state === undefined ? undefined : openFileJournal(state, versionOf(), wished);
  const options = kept?.making ?? { seed: '1', ...wished };
  const served = await serveJournal({
    journal: kept ? untilItFails(kept) : journalInMemory(),
    options,
    allowHosts,
    port,
    warn: complain,
  });
  const stop = (): void => void served.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const keys = keyLines(await shownAccounts(served.url));
  say(
    `paystate sandbox: ${served.url}\n${keys}  page     ${served.url}/\n  control  ${served.url}${CONTROL_PATH} (paystate --help)`,
  );
}

/** What cannot be kept is not answered, and nothing after it. */
function untilItFails(journal: Journal): Journal {
  return {
    ...journal,
    append(entry) {
      try {
        journal.append(entry);
      } catch (thrown) {
        complain(
          `nothing can be kept any more: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
        );
        process.exit(1);
      }
    },
  };
}

/** A key of each account; whose it is, where there are several. */
function keyLines(accounts: readonly ShownAccount[]): string {
  return accounts
    .map(({ handle, apiKeys }) => {
      const key = apiKeys.find(({ isRevoked }) => !isRevoked)?.apiKey ?? 'revoked; make another';
      return `  API key  ${key}${accounts.length > 1 ? `  of ${handle}` : ''}\n`;
    })
    .join('');
}

async function run(task: Task): Promise<void> {
  switch (task.is) {
    case 'help':
      return void process.stdout.write(helpText);
    case 'version':
      return say(versionOf());
    case 'wrong':
      complain(`${task.why}; see paystate --help`);
      process.exitCode = 2;
      return;
    case 'sandbox':
      return runSandbox(task);
  }
}

const args = process.argv.slice(2);
await (args[0] === 'torture' ? runTorture(args.slice(1)) : run(taskOf(args))).catch(
  (thrown: unknown) => {
    complain(thrown instanceof Error ? thrown.message : 'it cannot go on');
    process.exitCode = 1;
  },
);
