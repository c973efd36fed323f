import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { CONTROL_HEADER, CONTROL_PATH } from '../../sandbox/host/names.ts';
import { type Journal, journalInMemory } from '../../sandbox/host/hosted-sandbox.ts';
import { readAssumptions } from '../../sandbox/host/option-schemas.ts';
import {
  type Assumptions,
  type BehaviourId,
  behaviours,
  type Strictness,
} from '../../sandbox/index.ts';
import { readAccountsFile } from '../accounts-file.ts';
import {
  type Command,
  type CommandOptions,
  countOption,
  EXIT,
  type Given,
  listOption,
  ownCommand,
  packageVersion,
  rateLimitsOption,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';
import { newSeed, openFileJournal } from '../file-journal.ts';
import type { Served } from '../loopback.ts';
import { OPENAPI_PATH, serveJournal, type ShownAccount, shownAccounts } from '../serve-sandbox.ts';

const SANDBOX_OPTIONS: CommandOptions = {
  port: { type: 'string', value: 'N', help: 'port on 127.0.0.1; default: any free one' },
  open: { type: 'boolean', help: 'open the workbench in the browser' },
  seed: {
    type: 'string',
    value: 'S',
    help: 'seed for repeatable keys, ids and rates; default: random',
  },
  state: {
    type: 'string',
    value: 'FILE',
    help: 'file that keeps everything for the next start; only one sandbox can use it',
  },
  'rate-limits': {
    type: 'string',
    value: 'NAME',
    help: 'rate limits: production or test; default: production',
  },
  accounts: {
    type: 'string',
    value: 'FILE',
    help: 'JSON file with a list of accounts; default: one account with the handle shop',
  },
  strict: {
    type: 'boolean',
    help: 'respond 422 SANDBOX_ASSUMPTION wherever the sandbox would have to guess',
  },
  allow: {
    type: 'string',
    multiple: true,
    value: 'ID',
    help: 'assumption that --strict allows',
  },
  assume: {
    type: 'string',
    multiple: true,
    value: 'ID=VALUE',
    help: 'change an assumption about the service, such as exchanges.fee=none; the workbench lists all of them',
  },
  'allow-host': {
    type: 'string',
    multiple: true,
    value: 'H',
    help: 'host that may also receive webhooks; default: this machine only',
  },
};

/** Reads `--strict` and `--allow`. Returns `undefined` if responses may rely on any assumption. */
function readStrictness(strict: boolean, allow: readonly string[]): Strictness | undefined {
  const stranger = allow.find((id) => !Object.hasOwn(behaviours.assumed, id));
  if (stranger !== undefined) throw new UsageError(`--allow: there is no assumption "${stranger}"`);
  if (allow.length > 0 && !strict) throw new UsageError('--allow requires --strict');
  if (!strict) return undefined;
  return allow.length === 0 ? true : { allow: allow as readonly BehaviourId[] };
}

/** Reads the `--assume` options. Returns `undefined` if there are none. */
function readAssumed(given: readonly string[]): Assumptions | undefined {
  if (given.length === 0) return undefined;
  const pairs = given.map((text) => text.split('='));
  if (pairs.some((pair) => pair.length !== 2))
    throw new UsageError('--assume must be ID=VALUE, such as exchanges.fee=none');
  try {
    return readAssumptions(Object.fromEntries(pairs));
  } catch (thrown) {
    throw new UsageError(`--assume: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** The `paystate sandbox` command, which runs the simulated service on your machine. */
export const sandbox: Command = {
  usage: 'sandbox [options]',
  about: `run the whole service on this machine, without an account
It prints its URL and a key for each account. Open the URL in a browser to see everything that
happens, or /devtools for a page with a working client. Press Ctrl-C to stop.
Without --state, nothing is saved.`,
  options: SANDBOX_OPTIONS,
  outlivesReader: true,
  async run(given, _, terminal) {
    const served = await serveGiven(given, terminal);
    show(served, await shownAccounts(served.url), terminal);
    if (given['open'] === true) openPage(`${served.url}/`, terminal);
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    await served.close();
    process.exit(EXIT.ok); // the sandbox's timers are still running
  },
};

/**
 * Starts the server. Missing options default to those in the state file, or else to the usual
 * values.
 */
function serveGiven(given: Given, terminal: Terminal): Promise<Served> {
  const [state, accounts] = [fileOption(given, 'state'), fileOption(given, 'accounts')];
  const [seed, rateLimits] = [textOption(given, 'seed'), rateLimitsOption(given)];
  const port = countOption(given, 'port', 65_535) ?? 0;
  const strict = readStrictness(given['strict'] === true, listOption(given, 'allow'));
  const assume = readAssumed(listOption(given, 'assume'));
  const wished = {
    ...(seed !== undefined && { seed }),
    ...(rateLimits && { rateLimits }),
    ...(accounts !== undefined && { accounts: readAccountsFile(accounts) }),
    ...(strict && { strict }),
    ...(assume && { assume }),
  };
  const kept = state === undefined ? undefined : openFileJournal(state, packageVersion(), wished);
  const { version: _version, ...options } = kept?.making ?? {
    version: '',
    seed: newSeed(),
    ...wished,
  };
  return serveJournal({
    journal: kept ? untilItFails(kept, terminal) : journalInMemory(),
    options,
    allowHosts: listOption(given, 'allow-host'),
    port,
    warn: (text) => terminal.complain(text),
  });
}

function fileOption(given: Given, name: string): string | undefined {
  const path = textOption(given, name);
  if (path === '') throw new UsageError(`--${name} must be the path of a file`);
  return path;
}

/**
 * Exits the process if the journal can't be written, so a client never gets a response to a request
 * that wasn't stored.
 */
function untilItFails(journal: Journal, terminal: Terminal): Journal {
  return {
    ...journal,
    append(entry) {
      try {
        journal.append(entry);
      } catch (thrown) {
        terminal.complain(`can no longer write to the state file: ${String(thrown)}`);
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
  terminal.emit({
    url,
    accounts: keys,
    page: `${url}/`,
    openapi: url + OPENAPI_PATH,
    control: url + CONTROL_PATH,
  });
  const lines = [
    `paystate sandbox: ${terminal.style('bold', url)}`,
    ...keys.map(
      ({ handle, apiKey = 'none (all keys are revoked; create one in the workbench)' }) =>
        `  API key  ${apiKey}${keys.length > 1 ? `  of ${handle}` : ''}`,
    ),
    `  page     ${url}/`,
    `  openapi  ${url}${OPENAPI_PATH}`,
    `  control  ${url}${CONTROL_PATH} (${ownCommand()} --help)`,
    ...nextSteps(url, keys[0]?.apiKey ?? 'KEY').map((line) =>
      line.startsWith('  #') ? terminal.style('dim', line) : line,
    ),
  ];
  // printed in a single write, because a reader may close the pipe after the first line
  terminal.print(lines);
}

/**
 * Commands that open a URL in the browser, by platform. The `BROWSER` environment variable
 * overrides them.
 */
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
    .once('error', () => terminal.complain(`could not open a browser; the page is at ${url}`))
    .unref();
}

/** Package name that the printed program imports. */
const PACKAGE = "'paystate'";

/** Returns example commands for creating and paying an invoice, ready to paste. */
function nextSteps(url: string, apiKey: string): readonly string[] {
  return `
Next, in another terminal:
  # a shell: an invoice for 12.50 EUR, and somebody who pays it
  export PAYSTATE_BASE_URL=${url} PAYSTATE_API_KEY=${apiKey}
  invoice=$(curl -s -X POST -H "authorization: Bearer $PAYSTATE_API_KEY" -H 'content-type: application/json' \\
    -d '{"amount":{"amount":"12.50","currency":"EUR"}}' $PAYSTATE_BASE_URL/v1/invoices | sed 's/.*"invoiceId":"\\([^"]*\\).*/\\1/')
  curl -s -X POST -H '${CONTROL_HEADER}: 1' -d "{\\"target\\":\\"$invoice\\"}" $PAYSTATE_BASE_URL/_sandbox/pay
  curl -s -H "authorization: Bearer $PAYSTATE_API_KEY" $PAYSTATE_BASE_URL/v1/invoices/$invoice

  # JavaScript: the same invoice, watched
  import { createClient, waitUntilSettled, watchInvoice } from ${PACKAGE};
  const { PAYSTATE_BASE_URL: baseUrl, PAYSTATE_API_KEY: apiKey } = process.env;
  const client = createClient({ baseUrl, apiKey });
  const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
  const { snapshot } = await waitUntilSettled(watchInvoice(client, invoice), { timeout: 60_000 });
  console.log(snapshot.value.state);

  # and the other commands, with the same two variables
  ${ownCommand()} doctor
  ${ownCommand()} tail`.split('\n');
}
