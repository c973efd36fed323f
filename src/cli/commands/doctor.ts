import { ACCOUNT_OPTIONS, accountSettings, webhookSecret } from '../account.ts';
import { type Command, EXIT, listOption, UsageError } from '../command.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding, Verdict } from '../doctor/finding.ts';
import { scopeProbes } from '../doctor/scopes.ts';
import type { Style, Terminal } from '../terminal.ts';

/** `paystate doctor`: looks at everything that a set-up needs; changes nothing. */
export const doctor: Command = {
  usage: 'doctor [options]',
  about: `looks at a set-up: address, key, scopes, clock, limits, webhooks
It reads and changes nothing; a scope that only a change would show is unknown. Receivers of webhooks get an unsigned request,
which they must refuse, and with PAYSTATE_WEBHOOK_SECRET a signed event of the type paystate.doctor.
Ends with ${EXIT.failed} where there is a problem.`,
  options: {
    ...ACCOUNT_OPTIONS,
    need: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: 'a scope that the key needs; without it all that reading can show',
    },
    'no-webhooks': { type: 'boolean', help: 'leaves webhooks out, for who reads the event feed' },
    'no-receivers': { type: 'boolean', help: 'asks no receiver of webhooks' },
  },
  async run(given, _, terminal) {
    const needed = listOption(given, 'need');
    const stranger = needed.find((scope) => !scopeProbes.some((one) => one.scope === scope));
    if (stranger !== undefined) throw new UsageError(`--need: there is no scope "${stranger}"`);
    const { findings, scopes } = await examine(accountSettings(given), {
      needed,
      webhooks: {
        wanted: given['no-webhooks'] !== true,
        secret: webhookSecret(),
        asksReceivers: given['no-receivers'] !== true,
      },
      terminal,
    });
    const isWell = findings.every(({ verdict }) => verdict !== 'problem');
    terminal.emit({ ok: isWell, findings, scopes: Object.fromEntries(scopes) });
    for (const finding of findings) terminal.print(lineOf(finding, terminal));
    return isWell ? EXIT.ok : EXIT.failed;
  },
};

const LOOKS: Readonly<Record<Verdict, Style>> = { ok: 'green', problem: 'red', unknown: 'yellow' };

function lineOf({ subject, verdict, code, message }: Finding, { style }: Terminal): string {
  const mark = style(LOOKS[verdict], verdict.padEnd(8));
  return `${mark} ${subject.padEnd(10)} ${message} ${style('dim', code)}`;
}
