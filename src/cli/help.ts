import { CONTROL_HEADER } from '../sandbox/host/names.ts';
import { type Command, type CommandOptions, EXIT, ownCommand } from './command.ts';

/** Options that every command accepts besides `--help`. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'print results as JSON, one value per line' },
  color: { type: 'boolean', help: 'use colors even if stdout is not a terminal' },
  'no-color': { type: 'boolean', help: 'print without colors' },
} as const satisfies CommandOptions;

export function commandHelp({ usage, about, options }: Command): string {
  const own = optionLines(options);
  return `${ownCommand()} ${usage}\n\n${about}\n${own && `\n${own}`}\n${optionLines(COMMON_OPTIONS)}`;
}

function optionLines(options: CommandOptions): string {
  return Object.entries(options)
    .map(([name, { value, multiple, help }]) => {
      const left = `--${name}${value ? ` ${value}` : ''}`;
      return `  ${left.padEnd(20)} ${help}${multiple ? '; may be repeated' : ''}\n`;
    })
    .join('');
}

export function overview(all: readonly Command[]): string {
  const own = ownCommand();
  const lines = all.map(
    ({ usage, about }) => `  ${own} ${usage.padEnd(30)} ${about.split('\n')[0]}\n`,
  );
  return `paystate: payments with live state

${lines.join('')}  ${own} COMMAND --help
  ${own} --version

Set the service's URL in PAYSTATE_BASE_URL, the key in PAYSTATE_API_KEY, and the webhook secret
in PAYSTATE_WEBHOOK_SECRET. PAYSTATE_API_KEY_FILE and PAYSTATE_WEBHOOK_SECRET_FILE name files instead.
Secrets are never arguments, because other users of this machine can see command lines.

Exit codes: ${EXIT.ok}: done · ${EXIT.failed}: something is wrong ·
${EXIT.usage}: wrong usage, nothing was sent · ${EXIT.unreachable}: no response ·
${EXIT.refused}: refused · ${EXIT.unknown}: sent, outcome unknown ·
${EXIT.limited}: rate limit · ${EXIT.interrupted}: Ctrl-C.

${controlHelp}`;
}

const controlHelp: string = `Control of a sandbox, below /_sandbox/ (JSON; refuses other pages)
Every request needs the header ${CONTROL_HEADER}: 1.
  POST   pay         {"target": invoice id, quote id, BOLT11, address or bitcoin: URI,
                      "pendingFor": ms, "fails": true, "wait": true}; with false it
                      responds before the payment has ended
  POST   bolt11      {"sat": "2100", "description": …}: a BOLT11 of an outside node
  POST   address     an outside address
  POST   reverse     {"invoiceId": …}
  POST   move        {"subject": "invoice", "id": …, "state": …}: decisions of banks and networks
  POST   fund        {"account": handle, "amount": "100.00", "currency": "USD"}
  POST   advance     {"duration": ms}
  POST   keys        {"account": handle, "scopes": [ … ]}
  POST   revoke      {"apiKey": …}: refuses the key from now on
  POST   faults      a rule: {"method": "POST", "path": "/v1/invoices", "nth": 1,
                               "action": "lost-after"}
                     or {"eventType": "invoice.updated", "delivery": "lost-before"}
                     or {"event": {"late": 60000}, "probability": 0.01}
                     or {"subject": "payout", "state": "FAILED", "delay": ms or "never"}
  GET    faults      the rules in force
  DELETE faults/ID   ends one
  GET    unused-faults  rules without effect so far, and how often each matched
  GET    log         requests so far, the last 200 with bodies, codes and no secrets;
                     ?after=N leaves out the first N
  GET    deliveries  webhooks so far; ?after=N
  GET    report      the assumptions behind the responses so far, the riskiest first
  GET    ledger      all balances, and the postings so far; ?after=N
  GET    world       everything of an account; ?account=HANDLE
  GET    accounts    handles, currencies, whether others can pay them, travel rule, keys
  GET    state       time, accounts, a key and counts
  POST   erase       deletes everything that was kept, and starts over

  curl -X POST -H '${CONTROL_HEADER}: 1' \\
    http://127.0.0.1:PORT/_sandbox/advance -d '{"duration": 30000}'
`;
