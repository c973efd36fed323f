import type { Clock } from '../../core/time.ts';
import { type Connection, request } from '../../core/http/index.ts';
import type { Subscription } from '../../resources/subscriptions.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import { makeDelivery } from '../../testing/deliveries.ts';
import { isLoopback } from './address.ts';
import { type Finding, findingOf } from './finding.ts';

const found = findingOf('webhooks');

/** The service waits so long for a receiver. */
const PATIENCE = 5_000;
/** Deliveries that are younger may be under way. */
const SETTLED_AFTER = 120_000;
/** So many of the latest events are looked at. */
const LATEST = 20;

interface WebhookOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly uuid: () => string;
  /** The time of the service, milliseconds since 1970. */
  serviceNow(): number;
  /** Signs a harmless event, to see whether the receiver has the same. */
  readonly secret: string | undefined;
  /** Receivers are asked too. */
  readonly asksReceivers: boolean;
}

/** Who is subscribed, whether they can be reached, and whether they check what comes. */
export async function checkWebhooks(options: WebhookOptions): Promise<readonly Finding[]> {
  const subscriptions = await request<readonly Subscription[]>(
    options.connection,
    'GET',
    '/v1/subscriptions',
  );
  const enabled = subscriptions.filter((one) => one.enabled);
  if (enabled.length === 0)
    return [
      found(
        'problem',
        subscriptions.length > 0 ? 'WEBHOOK_DISABLED' : 'WEBHOOK_NONE',
        subscriptions.length > 0
          ? 'no subscription is enabled, so no webhook is sent'
          : 'no subscription, so no webhook is sent: create one, or read the event feed',
      ),
    ];
  const receivers = [...new Set(enabled.map(({ webhookUrl }) => webhookUrl))];
  const asked = options.asksReceivers
    ? (await Promise.all(receivers.map((url) => checkReceiver(url, options)))).flat()
    : [];
  const findings = [...doubledFindings(enabled), ...asked, ...(await failures(enabled, options))];
  return findings.some(({ verdict }) => verdict === 'problem')
    ? findings
    : [
        found('ok', 'WEBHOOK_OK', `webhooks go to ${receivers.map(plainAddress).join(', ')}`),
        ...findings,
      ];
}

/** An address without what may be secret in it. */
function plainAddress(url: string): string {
  if (!URL.canParse(url)) return 'an address that cannot be read';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Two subscriptions of one address bring each event twice. */
function doubledFindings(enabled: readonly Subscription[]): readonly Finding[] {
  const byReceiver = new Map<string, string[]>();
  for (const { webhookUrl, eventTypes } of enabled) {
    const types = byReceiver.get(webhookUrl) ?? [];
    byReceiver.set(webhookUrl, [...types, ...eventTypes]);
  }
  return [...byReceiver].flatMap(([url, types]) =>
    new Set(types).size === types.length
      ? []
      : [
          found(
            'problem',
            'WEBHOOK_DOUBLED',
            `two subscriptions send the same events to ${plainAddress(url)}, so each comes twice: remove one`,
          ),
        ],
  );
}

async function checkReceiver(url: string, options: WebhookOptions): Promise<readonly Finding[]> {
  const unsigned = new Request(url, { method: 'POST', body: '{}', headers: JSON_BODY });
  const status = await statusOf(unsigned, options.clock);
  const name = plainAddress(url);
  if (status === undefined)
    return [
      found(
        'problem',
        'WEBHOOK_UNREACHABLE',
        `${name} does not answer this machine${isLoopback(new URL(url).hostname) ? '' : '; if the service reaches it, ask from where it can be reached'}`,
      ),
    ];
  if (status < 300)
    return [
      found(
        'problem',
        'WEBHOOK_NOT_VERIFIED',
        `${name} accepts what nobody has signed (${status}): check the signature first`,
      ),
    ];
  if (![400, 401, 403].includes(status))
    return [
      found(
        'problem',
        'WEBHOOK_UNREACHABLE',
        `${name} answers ${status}; a receiver of webhooks answers 401 to what is not signed`,
      ),
    ];
  return options.secret === undefined ? [] : checkSecret(url, options.secret, options);
}

const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' };

/** An event of a type that does not exist: who is subscribed to real ones passes it over. */
async function checkSecret(
  url: string,
  secret: string,
  { clock, uuid, serviceNow }: WebhookOptions,
): Promise<readonly Finding[]> {
  const event: ServiceEvent = {
    id: uuid(),
    eventType: 'paystate.doctor',
    webhookVersion: 'v1',
    data: { entityId: uuid() },
    created: new Date(serviceNow()).toISOString(),
  };
  const status = await statusOf(await makeDelivery(event, secret, { url }), clock);
  if (status !== undefined && status < 300) return [];
  return [
    found(
      'problem',
      'WEBHOOK_SECRET_WRONG',
      `${plainAddress(url)} refuses what is signed with the secret of PAYSTATE_WEBHOOK_SECRET (${status ?? 'no answer'}): one of the two is not that of the subscription`,
    ),
  ];
}

/** The status that comes in time; the body is left. */
async function statusOf(request: Request, clock: Clock): Promise<number | undefined> {
  const stop = new AbortController();
  const late = clock.wait(PATIENCE, stop.signal).then(() => stop.abort());
  try {
    const response = await fetch(request, { redirect: 'manual', signal: stop.signal });
    void response.body?.cancel().catch(() => {});
    return response.status;
  } catch {
    return undefined;
  } finally {
    stop.abort();
    await late;
  }
}

/** What the service itself could not deliver. */
async function failures(
  enabled: readonly Subscription[],
  { connection, serviceNow }: WebhookOptions,
): Promise<readonly Finding[]> {
  const { items } = await request<{ readonly items: readonly ServiceEvent[] }>(
    connection,
    'GET',
    '/v1/events',
    { params: { $orderby: 'created desc', $top: LATEST } },
  );
  const expected = items.filter(
    ({ created, eventType }) =>
      Date.parse(created) < serviceNow() - SETTLED_AFTER &&
      enabled.some((one) => one.eventTypes.includes(eventType) && one.created < created),
  );
  const failed = expected.filter(({ deliverySuccess }) => deliverySuccess === false);
  return failed.length === 0
    ? []
    : [
        found(
          'problem',
          'WEBHOOK_REFUSED',
          `${failed.length} of the latest ${expected.length} events were not delivered: the receiver was away, or the secret of the subscription is not that of the receiver`,
        ),
      ];
}
