import { millisOf } from '../core/time.ts';
import { type InspectedRequest, jsonOf } from './request-log.ts';

/** One thing that happened to a resource. */
export interface TimelineEntry {
  /** Milliseconds since 1970; of the service's clock where the service said it. */
  readonly at: number;
  /**
   * `request` this client asked · `state` a response showed another state · `service` what the
   * service says of it: created, paid, the end of a code · `event` it was in the event feed.
   */
  readonly kind: 'request' | 'state' | 'service' | 'event';
  /** What happened. */
  readonly text: string;
}

type Shown = Readonly<Record<string, unknown>>;

const IDS = ['invoiceId', 'paymentId', 'quoteId', 'receiveRequestId', 'id'];

/** All that was seen of a resource, in the order of time. */
export function timelineOf(
  requests: readonly InspectedRequest[],
  id: string,
): readonly TimelineEntry[] {
  const entries = new Map<string, TimelineEntry>();
  const add = (kind: TimelineEntry['kind'], at: number | undefined, text: string): void => {
    if (at !== undefined)
      entries.set(kind === 'request' ? `${entries.size}` : `${at} ${text}`, { at, kind, text });
  };
  let state: unknown;
  for (const request of requests) {
    const { path, body = '', response } = request.exchange;
    const text = response?.body ?? '';
    if (!id || !`${path} ${body} ${text}`.includes(id)) continue;
    const [whole, ...parts] = objectsIn(jsonOf(text));
    const isAboutIt = `${path} ${body}`.includes(id) || (whole && isResource(whole, id));
    if (isAboutIt) add('request', request.sentAt, wordsOf(request)); // a list that holds it is not
    for (const one of whole ? [whole, ...parts] : []) {
      for (const [at, what] of factsOf(one, id, path)) add('service', at, what);
      if (isEventOf(one, id)) add('event', timeOf(one['created']), `${one['eventType']}`);
      if (!isResource(one, id) || one['state'] === state) continue;
      add(
        'state',
        request.sentAt + (request.duration ?? 0),
        state ? `${state} → ${one['state']}` : `${one['state']}`,
      );
      ({ state } = one);
    }
  }
  return [...entries.values()].sort((one, other) => one.at - other.at);
}

/** A request in a line. */
export function wordsOf({ exchange, code, operation, attempt }: InspectedRequest): string {
  const end = [exchange.response?.status ?? (code ? 'no answer' : 'under way'), code];
  return `${operation}${attempt > 1 ? ` (attempt ${attempt})` : ''}: ${end.filter(Boolean).join(' ')}`;
}

function isResource(one: Shown, id: string): boolean {
  return typeof one['state'] === 'string' && IDS.some((name) => one[name] === id);
}

function isEventOf({ eventType, data }: Shown, id: string): boolean {
  return typeof eventType === 'string' && (data as Shown | undefined)?.['entityId'] === id;
}

/** What the service says of times. */
function factsOf(one: Shown, id: string, path: string): (readonly [number | undefined, string])[] {
  const { created, completed, expiration, lnInvoice, transactions } = one;
  if (lnInvoice && expiration && path.includes(id)) return [[timeOf(expiration), 'a code ends']];
  if (!isResource(one, id)) return [];
  const parts = Array.isArray(transactions) ? (transactions as Shown[]) : [];
  return [
    [timeOf(created), 'created'],
    [timeOf(completed), 'completed'],
    ...parts.map((part) => [timeOf(part['completed']), 'money came in'] as const),
  ];
}

function timeOf(text: unknown): number | undefined {
  return typeof text === 'string' ? millisOf(text) : undefined;
}

/** Every object of a value, whatever it stands in. */
function* objectsIn(value: unknown): Iterable<Shown> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Shown;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}
