import { isPaystateError } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { internals } from '../core/http/index.ts';
import { onAbort } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { Subscription } from '../resources/subscriptions.ts';
import { keysOf, signWebhook, SIGNATURE_HEADER } from '../webhooks/verify.ts';
import { plainAddress } from '../core/hosts.ts';
import { type Probe, type Finding, makeFinding } from './connection.ts';

/** Options of the check of webhooks. */
export interface DoctorWebhookOptions {
  /**
   * Secret of the subscription. With it each receiver gets a signed event of the type
   * `paystate.doctor`, which no handler knows, and must accept it.
   */
  readonly secret?: string | undefined;
  /**
   * Sends each receiver an unsigned request, which it must refuse, and with a `secret` a signed
   * one; true.
   */
  readonly askReceivers?: boolean | undefined;
  /**
   * Sends a request to a receiver; the platform's `fetch` when absent. A Worker that is the
   * receiver itself passes its own handler: on Cloudflare a Worker cannot fetch its own route. The
   * response is awaited for five seconds by the client's clock; in a sandbox, work that is neither
   * a promise chain nor a wait of its clock belongs into `sandbox.clock.external`.
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
}

/** The known facts of the account when webhooks are checked. */
interface WebhookFacts {
  readonly probe: Probe;
  readonly subscriptions: readonly Subscription[];
  /** The latest ones. */
  readonly events: readonly ServiceEvent[];
}

/** The service waits this long for a receiver, milliseconds. */
const RECEIVER_TIMEOUT_MS = 5_000;
/** Deliveries of younger events may not have ended, milliseconds. */
const DELIVERED_AFTER_MS = 120_000;

const found = makeFinding('webhooks');

/** Finds out whether webhooks are sent, arrive, and are verified by those that get them. */
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
            'no subscription is enabled, so no webhook is sent: enable one',
          )
        : found(
            'problem',
            'WEBHOOK_NONE',
            'no subscription exists, so no webhook is sent: create one, or read the event feed',
          ),
    ];
  const receivers = [...new Set(enabled.map(({ webhookUrl }) => webhookUrl))];
  const usable = invalid.length > 0 ? { ...options, secret: undefined } : options;
  const findings = [...invalid, ...doubledFindings(enabled)];
  // one after another: a Worker has six connections, and a request that waits for one looks late
  for (const url of askReceivers ? receivers : [])
    findings.push(...(await receiverFindings(url, facts.probe, usable)));
  findings.push(...deliveryFindings(enabled, facts));
  return findings.length > 0
    ? findings
    : [found('ok', 'WEBHOOK_OK', `webhooks go to ${receivers.map(nameReceiver).join(', ')}`)];
}

/** A secret with a space or a line break at its end is a usual mistake of configuration. */
function secretFindings(secret: string | undefined): readonly Finding[] {
  if (secret === undefined) return [];
  try {
    keysOf(secret);
    return [];
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const message = thrown.message.replace('secrets[0]', 'the given webhook secret');
    return [found('problem', 'WEBHOOK_SECRET_INVALID', message)];
  }
}

/** A receiver's address without what may be secret in it. */
function nameReceiver(url: string): string {
  return URL.canParse(url) ? plainAddress(new URL(url)) : 'an address that is not a URL';
}

/** Finds subscriptions that send an event to the same address twice. */
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
        `two subscriptions send the same events to ${nameReceiver(url)}, so each event arrives ` +
          'twice: remove one',
      ),
    );
}

/** Statuses that a receiver may answer to an unsigned request. */
const REFUSALS: readonly number[] = [400, 401, 403];

const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' };

/** Sends a receiver an unsigned request and, with a secret, a signed one. */
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
        `${name} accepts an unsigned request (status ${status}): verify the signature first`,
      ),
    ];
  if (!REFUSALS.includes(status))
    return [
      found(
        'problem',
        'WEBHOOK_UNREACHABLE',
        `${name} responds with status ${status}; a receiver must answer 401 to an unsigned request`,
      ),
    ];
  const { secret } = options;
  if (secret === undefined) return [];
  const body = JSON.stringify(eventFor(probe));
  const { clock } = probe.connection[internals];
  const signature = await clock.external(signWebhook(body, secret));
  const accepted = await ask(body, { [SIGNATURE_HEADER]: signature });
  if (accepted !== undefined && accepted < 300) return [];
  return [
    found(
      'problem',
      'WEBHOOK_SECRET_WRONG',
      `${name} refuses an event that is signed with the given secret ` +
        `(${accepted === undefined ? 'no response' : `status ${accepted}`}): it has another secret`,
    ),
  ];
}

/** The service may reach a receiver that this machine does not reach. */
function spoilAddress(url: string): string {
  const isHere = !URL.canParse(url) || isLoopback(new URL(url).hostname);
  return isHere ? '' : '; if the service reaches it, run this check where it can be reached too';
}

/** An event of a type that does not exist: handlers of real types ignore it. */
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

/** Browsers show no status of a redirect. */
const REDIRECTED = 302;

interface ReceiverRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The status of the response; `undefined` where none comes in time. The body is not read. */
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

/** Finds events that the service itself could not deliver. */
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
      `${failed.length} of the latest ${expected.length} events were not delivered: the ` +
        'receiver did not respond, or it has another secret than the subscription',
    ),
  ];
}
