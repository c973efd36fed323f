import { CONTROL_HEADER } from '../sandbox/host/names.ts';
import { type Command, type CommandOptions, EXIT, ownCommand } from './command.ts';

/** Options of every command, beside `--help`. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'print results as JSON, one value per line' },
  color: { type: 'boolean', help: 'use colours even if stdout is not a terminal' },
  'no-color': { type: 'boolean', help: 'use no colours' },
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
  return `paystate: payments that say what is true now

${lines.join('')}  ${own} COMMAND --help
  ${own} --version

The service's address is read from PAYSTATE_BASE_URL, the key from PAYSTATE_API_KEY or from the file
named in PAYSTATE_API_KEY_FILE, the secret of webhooks from PAYSTATE_WEBHOOK_SECRET or
PAYSTATE_WEBHOOK_SECRET_FILE. No secret is an argument: other users of this machine can see
command lines.

A command ends with ${EXIT.ok}: done · ${EXIT.failed}: something is wrong ·
${EXIT.usage}: wrong usage, nothing was sent · ${EXIT.unreachable}: no response ·
${EXIT.refused}: refused · ${EXIT.unknown}: sent, outcome unknown ·
${EXIT.limited}: rate limit · ${EXIT.interrupted}: Ctrl-C.

${controlHelp}`;
}

const controlHelp: string = `Control of a sandbox, below /_sandbox/ (JSON; no other page may ask)
Every request needs the header ${CONTROL_HEADER}: 1.
  POST   pay         {"target": invoice id, quote id, BOLT11, address or bitcoin: URI,
                      "pendingFor": ms, "fails": true, "wait": false}: then the response
                      does not wait for the end of the payment
  POST   bolt11      {"sat": "2100", "description": …}: a BOLT11 of an outside node
  POST   address     an outside address
  POST   reverse     {"invoiceId": …}
  POST   move        {"subject": "invoice", "id": …, "state": …}: what banks and networks decide
  POST   fund        {"account": handle, "amount": "100.00", "currency": "USD"}
  POST   advance     {"duration": ms}
  POST   keys        {"account": handle, "scopes": [ … ]}
  POST   revoke      {"apiKey": …}: the key is refused from now on
  POST   faults      a rule: {"method": "POST", "path": "/v1/invoices", "nth": 1,
                               "action": "lost-after"}
                     or {"eventType": "invoice.updated", "delivery": "lost-before"}
                     or {"event": {"late": 60000}, "probability": 0.01}
                     or {"subject": "payout", "state": "FAILED", "delay": ms or "never"}
  GET    faults      those in force
  DELETE faults/ID   ends one
  GET    unused-faults  rules without effect so far, and how often each matched
  GET    log         requests so far, the last 200 with bodies, codes and no secrets;
                     ?after=N leaves out the first N
  GET    deliveries  webhooks so far; ?after=N
  GET    report      what the answers so far rest on, the riskiest first
  GET    ledger      balances of all places and postings so far; ?after=N
  GET    world       what an account has; ?account=HANDLE
  GET    accounts    handles, currencies, whether others can pay them, travel rule, keys
  GET    state       time, accounts, a key and counts
  POST   erase       starts over; everything that was kept is deleted

  curl -X POST -H '${CONTROL_HEADER}: 1' \\
    http://127.0.0.1:PORT/_sandbox/advance -d '{"duration": 30000}'
`;
