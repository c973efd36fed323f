import { isLoopback } from '../../core/hosts.ts';
import {
  torture as tryReceiver,
  type TortureOptions,
  type TortureReport,
} from '../../testing/index.ts';
import { webhookSecret } from '../account.ts';
import {
  type Command,
  EXIT,
  type Given,
  listOption,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';

/** The `paystate torture` command, which tests a webhook receiver. */
export const torture: Command = {
  usage: 'torture URL [options]',
  about: `test a webhook receiver and list its mistakes
Set the receiver's secret in PAYSTATE_WEBHOOK_SECRET, or its path in PAYSTATE_WEBHOOK_SECRET_FILE.
Without --event and --effects, it only checks responses. Your receiver will process the valid
deliveries, so don't test one in production. Exits with 1 if it finds a mistake.`,
  words: 1,
  options: {
    event: {
      type: 'string',
      value: 'URL',
      help: 'URL that creates a resource, such as a paid invoice, and returns its id; called with POST',
    },
    effects: {
      type: 'string',
      value: 'URL',
      help: 'URL that returns how many times the resource {id} was handled; called with GET',
    },
    'event-type': {
      type: 'string',
      value: 'T',
      help: 'type of the test events; default: invoice.updated',
    },
    'allow-host': {
      type: 'string',
      value: 'H',
      multiple: true,
      help: 'another host that the receiver may be on; default: this machine only',
    },
  },
  async run(given, [url], terminal) {
    const secret = webhookSecret();
    if (url === undefined) throw new UsageError('pass the URL of one webhook receiver');
    if (!secret) throw new UsageError('PAYSTATE_WEBHOOK_SECRET is not set');
    const work = workOptions(given);
    requireNear(given, url);
    const send = (request: Request) => reach(fetch(request, { redirect: 'manual' }));
    const report = await tryReceiver(send, { url, secret, ...work });
    terminal.emit(report);
    for (const line of reportLines(url, report, terminal)) terminal.print(line);
    return report.mistakes.length > 0 ? EXIT.failed : EXIT.ok;
  },
};

function requireNear(given: Given, address: string): void {
  if (URL.canParse(address)) {
    const { protocol, hostname, username, password } = new URL(address);
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
    const isNear = isLoopback(hostname) || listOption(given, 'allow-host').includes(hostname);
    if (isPlain && isNear) return;
  }
  throw new UsageError(
    `${address} must be an http or https URL on this machine or on an --allow-host`,
  );
}

/** Returns the options that let the test count how often the receiver handled an event. */
function workOptions(given: Given): Pick<TortureOptions, 'event' | 'effects'> {
  const [event, effects] = [textOption(given, 'event'), textOption(given, 'effects')];
  if ((event === undefined) !== (effects === undefined))
    throw new UsageError('pass both --event and --effects, or neither');
  if (event === undefined || effects === undefined) return {};
  for (const address of [event, effects]) requireNear(given, address);
  const eventType = textOption(given, 'event-type') ?? 'invoice.updated';
  return {
    async event() {
      const entityId = await textAt('--event', event, 'POST');
      const created = new Date().toISOString();
      const data = { entityId, changes: ['state'] };
      return { id: crypto.randomUUID(), eventType, webhookVersion: 'v1', data, created };
    },
    async effects(entityId) {
      const address = effects.replaceAll('{id}', encodeURIComponent(entityId));
      const count = await textAt('--effects', address, 'GET');
      if (!/^\d+$/.test(count)) throw new Error('the URL in --effects must return a number');
      return +count;
    },
  };
}

/** Replaces the error of a failed `fetch` with one that includes the cause. */
const reach = (response: Promise<Response>): Promise<Response> =>
  response.catch((error: Error) => {
    const reason = (error.cause as Error | undefined)?.message ?? error.message;
    throw new Error(`there was no response: ${reason}`);
  });

/** Sends a request to the user's server. Errors include the option and the URL. */
async function textAt(option: string, address: string, method: string): Promise<string> {
  const asked = `${option}: ${method} ${address}`;
  const response = await reach(fetch(address, { method })).catch(({ message }: Error) => {
    throw new Error(`${asked}: ${message}`);
  });
  if (!response.ok) throw new Error(`${asked} returned status ${response.status}`);
  return (await response.text()).trim();
}

function reportLines(
  url: string,
  { mistakes, skipped, requests }: TortureReport,
  { style }: Terminal,
): readonly string[] {
  const said =
    mistakes.length === 0
      ? style('green', 'no mistake found')
      : style('red', `${mistakes.length} found`);
  return [
    `paystate torture: ${url}, ${requests} requests: ${said}`,
    ...mistakes.map(({ kind, message }) => `  ${style('red', 'mistake')}    ${kind}: ${message}`),
    ...skipped.map((what) => `  ${style('dim', 'not tried')}  ${what}`),
  ];
}
