import process from 'node:process';
import { parseArgs } from 'node:util';
import { isLoopback } from '../sandbox/webhooks/loopback.ts';
import { torture, type TortureOptions, type TortureReport } from '../testing/index.ts';

/** What `paystate torture --help` prints. */
const HELP = `paystate torture URL [options]   tries a receiver of webhooks and names its mistakes

The receiver's secret is taken from the environment: PAYSTATE_WEBHOOK_SECRET.

  --event URL       POST there makes something that the receiver works for, such as a paid invoice, and
                    responds with its id as text
  --effects URL     GET there responds with how often the work was done, as a number; {id} stands for the id
  --event-type T    type of its events; invoice.updated
  --allow-host H    the receiver may be on this host; only on this machine else; may be repeated

Without --event and --effects only responses are judged. Good deliveries are worked on: try no receiver whose
work is real. Ends with 1 where a mistake was found.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  event: { type: 'string' },
  effects: { type: 'string' },
  'event-type': { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
} as const;

const SECRET = 'PAYSTATE_WEBHOOK_SECRET';

interface Trial extends Omit<TortureOptions, 'event' | 'effects'> {
  readonly url: string;
  readonly event: string | undefined;
  readonly effects: string | undefined;
  readonly eventType: string;
}

/** Runs the command with the arguments after its name. */
export async function runTorture(args: readonly string[]): Promise<void> {
  const trial = trialOf(args);
  if (trial === 'help') return say(process.stdout, HELP, 0);
  if (typeof trial === 'string')
    return say(process.stderr, `paystate: ${trial}; see paystate torture --help\n`, 2);
  const report = await torture(
    (request) => fetch(request, { redirect: 'manual' }),
    optionsOf(trial),
  );
  return say(process.stdout, textOf(trial.url, report), report.mistakes.length > 0 ? 1 : 0);
}

function say(stream: NodeJS.WriteStream, text: string, code: number): void {
  stream.write(text);
  process.exitCode = code;
}

/** What is to be tried; a text where the arguments are wrong. */
function trialOf(args: readonly string[]): Trial | string {
  const secret = process.env[SECRET];
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: OPTIONS,
    });
    const { event, effects, help, 'event-type': eventType = 'invoice.updated' } = values;
    const { 'allow-host': allowed = [] } = values;
    const [url, ...more] = positionals;
    if (help) return 'help';
    if (url === undefined || more.length > 0) return 'torture takes one address';
    if (!secret) return `the environment has no ${SECRET}`;
    if ((event === undefined) !== (effects === undefined))
      return '--event and --effects belong together';
    const stranger = [url, event, effects].find(
      (one) => one !== undefined && !isNear(one, allowed),
    );
    if (stranger !== undefined)
      return `${stranger} is no address of this machine, and no --allow-host names it`;
    return { url, secret, event, effects, eventType };
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'these arguments cannot be read';
  }
}

function isNear(address: string, allowed: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
  return isPlain && (isLoopback(hostname) || allowed.includes(hostname));
}

function optionsOf({ url, secret, event, effects, eventType }: Trial): TortureOptions {
  if (event === undefined || effects === undefined) return { url, secret };
  return {
    url,
    secret,
    async event() {
      const entityId = await textAt(event, 'POST');
      const created = new Date().toISOString();
      const data = { entityId, changes: ['state'] };
      return { id: crypto.randomUUID(), eventType, webhookVersion: 'v1', data, created };
    },
    async effects(entityId) {
      const count = await textAt(effects.replaceAll('{id}', encodeURIComponent(entityId)), 'GET');
      if (!/^\d+$/.test(count)) throw new Error('--effects must respond with a number');
      return Number(count);
    },
  };
}

async function textAt(address: string, method: string): Promise<string> {
  const response = await fetch(address, { method });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return (await response.text()).trim();
}

function textOf(url: string, { mistakes, skipped, requests }: TortureReport): string {
  const lines = [
    `paystate torture: ${url}, ${requests} requests: ${mistakes.length === 0 ? 'no mistake found' : `${mistakes.length} found`}`,
    ...mistakes.map(({ kind, message }) => `  mistake    ${kind}: ${message}`),
    ...skipped.map((what) => `  not tried  ${what}`),
  ];
  return `${lines.join('\n')}\n`;
}
