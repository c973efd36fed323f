import { createClient } from '../../client.ts';
import {
  checkAddress,
  doctor as checkSetUp,
  type DoctorOptions,
  type DoctorReport,
  type Finding,
  type Verdict,
} from '../../doctor/index.ts';
import { scopeProbes } from '../../doctor/scopes.ts';
import {
  ACCOUNT_OPTIONS,
  type AccountSettings,
  accountSettings,
  webhookSecret,
} from '../account.ts';
import {
  type Command,
  EXIT,
  listOption,
  UsageError,
  type Style,
  type Terminal,
} from '../command.ts';

/** The `paystate doctor` command, which checks your setup without changing anything. */
export const doctor: Command = {
  usage: 'doctor [options]',
  about: `check your setup: URL, key, scopes, clock, limits, webhooks, changes to the service
It's read-only and sends at most 30 requests, so it can't check write-only scopes. It sends webhook
receivers an unsigned request, which they must reject. If PAYSTATE_WEBHOOK_SECRET is set, it also
sends a signed event of the type paystate.doctor.
Run it on a schedule with --brief to print problems only.
Exits with ${EXIT.failed} if there is a problem.`,
  options: {
    ...ACCOUNT_OPTIONS,
    need: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: 'scope that the key must have; default: all scopes that the doctor can check',
    },
    'no-webhooks': {
      type: 'boolean',
      help: 'skip the webhook checks, if you read the event feed instead',
    },
    'no-drift': {
      type: 'boolean',
      help: 'skip the check for API changes, which saves requests',
    },
    brief: { type: 'boolean', help: 'print problems only' },
    'no-receivers': { type: 'boolean', help: 'do not contact webhook receivers' },
  },
  async run(given, _, terminal) {
    const scopes = listOption(given, 'need');
    const stranger = scopes.find((scope) => !scopeProbes().some((one) => one.scope === scope));
    if (stranger !== undefined) throw new UsageError(`--need: there is no scope "${stranger}"`);
    const askReceivers = given['no-receivers'] !== true;
    const webhooks = given['no-webhooks'] !== true && { secret: webhookSecret(), askReceivers };
    const options = { scopes, webhooks, drift: given['no-drift'] !== true };
    const report = await reportOn(accountSettings(given), options, terminal);
    const isBrief = given['brief'] === true;
    if (isBrief && report.ok) return EXIT.ok;
    const findings = report.findings.filter(({ verdict }) => !isBrief || verdict === 'problem');
    terminal.emit({ ...report, findings });
    for (const finding of findings) terminal.print(lineOf(finding, terminal));
    return report.ok ? EXIT.ok : EXIT.failed;
  },
};

/**
 * Checks the URL and the API key before it creates a client, then checks everything else with the
 * client.
 */
async function reportOn(
  { baseUrl, apiKey, rateLimits }: AccountSettings,
  options: DoctorOptions,
  terminal: Terminal,
): Promise<DoctorReport> {
  if (baseUrl === undefined) return reportOf(ADDRESS_MISSING);
  const address = checkAddress(baseUrl);
  if (address.verdict === 'problem') return reportOf(address);
  if (apiKey === undefined) return reportOf(address, KEY_MISSING);
  const progress = terminal.progress('scopes');
  const onProgress: DoctorOptions['onProgress'] = ({ done, total }) => progress.show(done, total);
  const client = createClient({ baseUrl, apiKey, rateLimits });
  const { signal } = terminal;
  return checkSetUp(client, { ...options, onProgress, signal }).finally(() => progress.end());
}

const ADDRESS_MISSING: Finding = {
  subject: 'address',
  verdict: 'problem',
  code: 'ADDRESS_MISSING',
  message: 'the URL of the service is missing: set PAYSTATE_BASE_URL or pass --base-url',
};

const KEY_MISSING: Finding = {
  subject: 'credential',
  verdict: 'problem',
  code: 'KEY_MISSING',
  message: 'the API key is missing: set PAYSTATE_API_KEY or pass --key-file',
};

function reportOf(...findings: readonly Finding[]): DoctorReport {
  return { ok: false, findings, scopes: {} };
}

const STYLES: Readonly<Record<Verdict, Style>> = { ok: 'green', problem: 'red', unknown: 'yellow' };

function lineOf({ subject, verdict, code, message }: Finding, { style }: Terminal): string {
  const mark = style(STYLES[verdict], verdict.padEnd(8));
  return `${mark} ${subject.padEnd(10)} ${message} ${style('dim', code)}`;
}
