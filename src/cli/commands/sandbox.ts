import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { CONTROL_PATH } from '../../sandbox/host/control.ts';
import { type Journal, journalInMemory } from '../../sandbox/host/journal.ts';
import { readAccountsFile } from '../accounts-file.ts';
import { type ShownAccount, shownAccounts } from '../accounts.ts';
import { type Command, EXIT } from '../command.ts';
import { newSeed, openFileJournal } from '../file-journal.ts';
import type { Served } from '../loopback.ts';
import { nextSteps } from '../next-steps.ts';
import { SANDBOX_OPTIONS, sandboxTask, type SandboxTask } from '../options.ts';
import { packageVersion } from '../package-version.ts';
import { serveJournal } from '../serve-sandbox.ts';
import type { Terminal } from '../terminal.ts';

/** `paystate sandbox`: the service on this machine. */
export const sandbox: Command = {
  usage: 'sandbox [options]',
  about: `the whole service on this machine, with no account
It prints its address and a key of each account, and ends with Ctrl-C. At its address is a page that shows everything, at /devtools one with a client that works.
Without --state nothing is kept.`,
  options: SANDBOX_OPTIONS,
  outlivesReader: true,
  async run(given, _, terminal) {
    const task = sandboxTask(given);
    const served = await serveTask(task, terminal);
    const accounts = await shownAccounts(served.url);
    show(served, accounts, terminal);
    if (task.open) openPage(`${served.url}/`, terminal);
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    await served.close();
    process.exit(EXIT.ok); // timers of the world are left
  },
};

function serveTask(
  { port, state, seed, rateLimits, allowHosts, accounts, strict, assume }: SandboxTask,
  terminal: Terminal,
): Promise<Served> {
  const wished = {
    ...(seed !== undefined && { seed }),
    ...(rateLimits && { rateLimits }),
    ...(accounts !== undefined && { accounts: readAccountsFile(accounts) }),
    ...(strict && { strict }),
    ...(assume && { assume }),
  };
  const kept = state === undefined ? undefined : openFileJournal(state, packageVersion(), wished);
  const { version: _version, ...making } = kept?.making ?? {
    version: '',
    seed: newSeed(),
    ...wished,
  };
  return serveJournal({
    journal: kept ? untilItFails(kept, terminal) : journalInMemory(),
    options: making,
    allowHosts,
    port,
    warn: (text) => terminal.complain(text),
  });
}

/** What cannot be kept is not answered, and nothing after it. */
function untilItFails(journal: Journal, terminal: Terminal): Journal {
  return {
    ...journal,
    append(entry) {
      try {
        journal.append(entry);
      } catch (thrown) {
        terminal.complain(
          `nothing can be kept any more: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
        );
        process.exit(EXIT.failed);
      }
    },
  };
}

function show({ url }: Served, accounts: readonly ShownAccount[], terminal: Terminal): void {
  const keys = accounts.map(({ handle, apiKeys }) => ({
    handle,
    apiKey: apiKeys.find(({ isRevoked }) => !isRevoked)?.apiKey,
  }));
  terminal.emit({ url, accounts: keys, page: `${url}/`, control: url + CONTROL_PATH });
  const lines = [
    `paystate sandbox: ${terminal.style('bold', url)}`,
    ...keys.map(
      ({ handle, apiKey = 'revoked; make another' }) =>
        `  API key  ${apiKey}${keys.length > 1 ? `  of ${handle}` : ''}`,
    ),
    `  page     ${url}/`,
    `  control  ${url}${CONTROL_PATH} (paystate --help)`,
    ...nextSteps(url, keys[0]?.apiKey ?? 'KEY').map((line) =>
      line.startsWith('  #') ? terminal.style('dim', line) : line,
    ),
  ];
  terminal.print(lines.join('\n')); // at once: who waits for its beginning may close the pipe
}

/** Where a page is opened with, by platform; `BROWSER` names another program. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

function openPage(url: string, terminal: Terminal): void {
  const { BROWSER } = process.env;
  const [program = '', ...first] = BROWSER
    ? [BROWSER]
    : (OPENERS[process.platform] ?? ['xdg-open']);
  spawn(program, [...first, url], { stdio: 'ignore', detached: true })
    .once('error', () => terminal.complain(`no program opens the page; it is at ${url}`))
    .unref();
}
