import { isPaystateError } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { internals } from '../core/http/index.ts';
import { onAbort } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { Subscription } from '../resources/subscriptions.ts';
import { listKeys, signWebhook, SIGNATURE_HEADER } from '../webhooks/verify.ts';
import { plainAddress } from '../core/hosts.ts';
import { type Probe, type Finding, makeFinding } from './connection.ts';

/** Options for the doctor's webhook check. */
export interface DoctorWebhookOptions {
  /**
   * Secret of the webhook subscription. If you pass it, each receiver gets a signed event of the
   * unknown type `paystate.doctor`, which it must accept.
   */
  readonly secret?: string | undefined;
  /**
   * Whether to send each receiver an unsigned request, which it must reject, and with a `secret`
   * also a signed one. Defaults to true.
   */
  readonly askReceivers?: boolean | undefined;
  /**
   * Function that sends a request to a receiver. Defaults to the platform's `fetch`. If a
   * Cloudflare Worker runs the doctor and receives the webhooks itself, pass its handler, because a
   * Worker can't fetch its own route. The timeout is five seconds on the client's clock. In a
   * sandbox, wrap everything except promises and waits on its clock in `sandbox.clock.external`.
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
}

interface WebhookFacts {
  readonly probe: Probe;
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly ServiceEvent[];
}

/** The service's timeout for webhook receivers, in milliseconds. */
const RECEIVER_TIMEOUT_MS = 5_000;
/** Time during which an event may still be waiting for delivery, in milliseconds. */
const DELIVERED_AFTER_MS = 120_000;

const found = makeFinding('webhooks');

/** Checks that webhooks are sent and arrive, and that receivers verify their signatures. */
export async function webhookFindings(
  facts: WebhookFacts,
  options: DoctorWebhookOptions,
): Promise<readonly Finding[]> {
  const { subscriptions } = facts;
  const enabled = subscriptions.filter((one) => one.enabled);
  const { secret, askReceivers = true } = options;
  const invalid = secretFindings(secret);
  if (enabled.length === 0)
    return [
      ...invalid,
      subscriptions.length > 0
        ? found(
            'problem',
            'WEBHOOK_DISABLED',
            'all subscriptions are disabled, so no webhooks are sent: enable one',
          )
        : found(
            'problem',
            'WEBHOOK_NONE',
            'there are no subscriptions, so no webhooks are sent: create one, or read the event feed',
          ),
    ];
  const receivers = [...new Set(enabled.map(({ webhookUrl }) => webhookUrl))];
  const usable = invalid.length > 0 ? { ...options, secret: undefined } : options;
  const findings = [...invalid, ...doubledFindings(enabled)];
  // one after another, because a Worker only has six connections, and a request that waits for one
  // would look slow
  for (const url of askReceivers ? receivers : [])
    findings.push(...(await receiverFindings(url, facts.probe, usable)));
  findings.push(...deliveryFindings(enabled, facts));
  return findings.length > 0
    ? findings
    : [found('ok', 'WEBHOOK_OK', `webhooks go to ${receivers.map(nameReceiver).join(', ')}`)];
}

/** Checks the format of the secret. A trailing space or line break is a common mistake. */
function secretFindings(secret: string | undefined): readonly Finding[] {
  if (secret === undefined) return [];
  try {
    listKeys(secret);
    return [];
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const message = thrown.message.replace('secrets[0]', 'the given webhook secret');
    return [found('problem', 'WEBHOOK_SECRET_INVALID', message)];
  }
}

function nameReceiver(url: string): string {
  return URL.canParse(url) ? plainAddress(new URL(url)) : 'an invalid URL';
}

function doubledFindings(enabled: readonly Subscription[]): readonly Finding[] {
  const byReceiver = new Map<string, string[]>();
  for (const { webhookUrl, eventTypes } of enabled)
    byReceiver.set(webhookUrl, [...(byReceiver.get(webhookUrl) ?? []), ...eventTypes]);
  return [...byReceiver]
    .filter(([, types]) => new Set(types).size < types.length)
    .map(([url]) =>
      found(
        'problem',
        'WEBHOOK_DOUBLED',
        `two subscriptions send the same events to ${nameReceiver(url)}, so each event arrives twice: remove one of them`,
      ),
    );
}

/** HTTP statuses that a receiver may use to reject an unsigned request. */
const REFUSALS: readonly number[] = [400, 401, 403];

const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' };

async function receiverFindings(
  url: string,
  probe: Probe,
  options: DoctorWebhookOptions,
): Promise<readonly Finding[]> {
  const ask = (body: string, headers: Readonly<Record<string, string>>) =>
    askStatus({ url, body, headers: { ...JSON_BODY, ...headers } }, probe, options);
  const name = nameReceiver(url);
  const status = await ask('{}', {});
  if (status === undefined)
    return [
      found('problem', 'WEBHOOK_UNREACHABLE', `no response from ${name}${spoilAddress(url)}`),
    ];
  if (status < 300)
    return [
      found(
        'problem',
        'WEBHOOK_NOT_VERIFIED',
        `${name} accepts an unsigned request (status ${status}), so anyone can send it forged events: verify the signature first`,
      ),
    ];
  if (!REFUSALS.includes(status))
    return [
      found(
        'problem',
        'WEBHOOK_UNREACHABLE',
        `${name} responds with status ${status}; it must respond 401 to an unsigned request`,
      ),
    ];
  const { secret } = options;
  if (secret === undefined) return [];
  const body = JSON.stringify(eventFor(probe));
  const { clock } = probe.connection[internals];
  const signature = await clock.external(signWebhook(body, secret));
  const accepted = await ask(body, { [SIGNATURE_HEADER]: signature });
  if (accepted !== undefined && accepted < 300) return [];
  const answer = accepted === undefined ? 'no response' : `status ${accepted}`;
  return [
    found(
      'problem',
      'WEBHOOK_SECRET_WRONG',
      `${name} rejects an event signed with the given secret (${answer}), so it uses a different secret`,
    ),
  ];
}

/** Returns a hint that the service may reach the receiver even if this machine can't. */
function spoilAddress(url: string): string {
  const isHere = !URL.canParse(url) || isLoopback(new URL(url).hostname);
  return isHere ? '' : '; if the service reaches it, run this check where it can be reached too';
}

/** Creates an event with a type that handlers ignore. */
function eventFor({ connection, ahead }: Probe): ServiceEvent {
  const { uuid, clock } = connection[internals];
  return {
    id: uuid(),
    eventType: 'paystate.doctor',
    webhookVersion: 'v1',
    data: { entityId: uuid() },
    created: new Date(clock.now() - (ahead() ?? 0)).toISOString(),
  };
}

/** Status to report for a redirect, because browsers hide the real one. */
const REDIRECTED = 302;

interface ReceiverRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request to a receiver. Resolves to the status, or to `undefined` if there's no response
 * in time.
 */
async function askStatus(
  { url, body, headers }: ReceiverRequest,
  { connection, signal }: Probe,
  { deliver }: DoctorWebhookOptions,
): Promise<number | undefined> {
  const { clock } = connection[internals];
  const stop = new AbortController();
  const unlisten = onAbort(signal, () => stop.abort());
  const late = clock.wait(RECEIVER_TIMEOUT_MS, stop.signal).then(() => undefined);
  const respond = async (): Promise<number | undefined> => {
    const request = new Request(url, { method: 'POST', headers, body });
    const response = await (deliver
      ? deliver(request)
      : clock.external(fetch(request, { redirect: 'manual', signal: stop.signal })));
    response.body?.cancel().catch(() => {});
    return response.status || REDIRECTED;
  };
  const status = await Promise.race([respond().catch(() => undefined), late]);
  unlisten();
  stop.abort();
  signal?.throwIfAborted();
  return status;
}

/** Returns the finding about events that the service couldn't deliver. */
function deliveryFindings(
  enabled: readonly Subscription[],
  { probe, events }: WebhookFacts,
): readonly Finding[] {
  const serviceNow = probe.connection[internals].clock.now() - (probe.ahead() ?? 0);
  const expected = events.filter(
    ({ created, eventType }) =>
      Date.parse(created) < serviceNow - DELIVERED_AFTER_MS &&
      enabled.some((one) => one.eventTypes.includes(eventType) && one.created < created),
  );
  const failed = expected.filter(({ deliverySuccess }) => deliverySuccess === false);
  if (failed.length === 0) return [];
  return [
    found(
      'problem',
      'WEBHOOK_REFUSED',
      `${failed.length} of the latest ${expected.length} events were not delivered: the receiver did not respond, or uses a different secret than the subscription`,
    ),
  ];
}
