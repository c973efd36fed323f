import { once } from 'node:events';
import { isPaystateError } from '../../core/errors/index.ts';
import { isLoopback } from '../../core/hosts.ts';
import { systemClock } from '../../core/time.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import { makeDelivery } from '../../testing/deliveries.ts';
import { verifyWebhook } from '../../webhooks/index.ts';
import { accountClient, webhookSecret } from '../account.ts';
import {
  type Command,
  countOption,
  EXIT,
  type Given,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';
import { serve } from '../loopback.ts';
import { eventLine, FEED_OPTIONS, followFeed, wantedEvents } from './tail.ts';

/** The `paystate listen` command, which forwards the service's events to a local server. */
export const listen: Command = {
  usage: 'listen [options]',
  about: `forward events to a server on this machine, signed like webhooks; no tunnel needed
It reads the event feed, so you don't need a subscription. With --port it receives webhooks on this
machine instead, such as the sandbox's. It verifies their signatures and forwards them unchanged.
Set the secret in PAYSTATE_WEBHOOK_SECRET.
If the server doesn't respond, the event is reported and not retried.`,
  options: {
    ...FEED_OPTIONS,
    to: {
      type: 'string',
      value: 'URL',
      help: 'URL on this machine to send webhooks to',
    },
    port: { type: 'string', value: 'N', help: 'port to receive webhooks on; 0 picks a free one' },
  },
  async run(given, _, terminal) {
    const secret = webhookSecret();
    if (secret === undefined)
      throw new UsageError(
        'the webhook secret is missing: set PAYSTATE_WEBHOOK_SECRET to the one your server uses',
      );
    const to = readTarget(given);
    const port = countOption(given, 'port', 65_535);
    if (port !== undefined) return receive(given, { secret, to, port }, terminal);
    if (to === undefined) throw new UsageError(`pass your server's URL with --to`);
    const events = followFeed(accountClient(given), given, terminal);
    terminal.print(`sending events to ${terminal.style('bold', to)}`);
    for await (const event of events)
      report(event, await deliver(await makeDelivery(event, secret, { url: to })), terminal);
    return EXIT.ok;
  },
};

/**
 * Reads the target URL. It must be on this machine, because signed events would be forgeries
 * anywhere else.
 */
function readTarget(given: Given): string | undefined {
  const to = textOption(given, 'to');
  if (to === undefined) return undefined;
  if (!URL.canParse(to) || !isLoopback(new URL(to).hostname))
    throw new UsageError('--to must be a URL on this machine, such as http://localhost:3000/hooks');
  return to;
}

/** Sends a webhook. Resolves to the response status, or to `undefined` if there's no response. */
async function deliver(request: Request): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(30_000);
    const { status } = await fetch(request, { redirect: 'manual', signal });
    return status < 200 || status > 599 ? 500 : status;
  } catch {
    return undefined;
  }
}

function report(event: ServiceEvent, status: number | undefined, terminal: Terminal): void {
  const isTaken = status !== undefined && status < 300;
  terminal.emit({ event, status: status ?? null });
  const shown = terminal.style(isTaken ? 'green' : 'red', `${status ?? 'no answer'}`);
  terminal.print(`${shown} ${eventLine(event, undefined, terminal)}`);
}

const CONNECTION = /^(host|connection|content-length|transfer-encoding|keep-alive|expect)$/;

/**
 * Runs a webhook receiver. It rejects requests without a valid signature and forwards all others
 * unchanged.
 */
async function receive(
  given: Given,
  {
    secret,
    to,
    port,
  }: { readonly secret: string; readonly to: string | undefined; readonly port: number },
  terminal: Terminal,
): Promise<number> {
  const { isWanted, most } = wantedEvents(given);
  const full = new AbortController();
  let count = 0;
  const server = await serve(
    async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const { headers } = request;
      try {
        const event = await verifyWebhook({ body, headers }, secret);
        if (!isWanted(event)) return new Response(null);
        const own = [...headers].filter(([name]) => !CONNECTION.test(name));
        const passedOn = { method: 'POST', headers: new Headers(own), body };
        const status = to === undefined ? 200 : await deliver(new Request(to, passedOn));
        report(event, status, terminal);
        count += 1;
        if (count >= most) full.abort();
        return new Response(null, { status: status ?? 502 });
      } catch (thrown) {
        if (!isPaystateError(thrown)) throw thrown;
        terminal.complain(`refused a delivery: ${thrown.message}`);
        return new Response(null, { status: 401 });
      }
    },
    { port },
  );
  terminal.print(
    `receiving webhooks at ${terminal.style('bold', `${server.url}/`)}` +
      (to === undefined ? '' : ` and sending them to ${to}`),
  );
  terminal.emit({ url: `${server.url}/` });
  const over = AbortSignal.any([terminal.signal, full.signal]);
  if (!over.aborted) await once(over, 'abort');
  await systemClock.wait(50); // lets the last response reach the client
  await server.close();
  return EXIT.ok;
}
