import {
  type AttemptResult,
  type CallDecision,
  type CheckedRequest,
  type Connection,
  internals,
  checkClient,
  type RequestView,
  type Slot,
  stateOf,
  type Tap,
  TAPS,
} from '../core/http/index.ts';
import { parseJson } from '../core/platform.ts';
import { type Clock, parseMillis } from '../core/time.ts';
import { each, isolated, type WatchStatus } from '../core/watch.ts';
import type { Freshness } from '../state/index.ts';
import { knownOf } from '../state/known.ts';
import { hubOf } from '../state/watch-one.ts';
import { beginExchange, endExchange } from '../testing/exchanges.ts';
import {
  type RecordedClockReading,
  type RecordedDecision,
  type RecordedExchange,
  type Recording,
  RECORDING_VERSION,
} from '../testing/recording.ts';

/** One attempt as it was seen, with its texts; credentials and secrets are cut. */
export interface InspectedRequest extends RequestView {
  /** Counts what was seen, from 1 on. */
  readonly number: number;
  /** The request and its response, in the form of a recording. */
  readonly exchange: RecordedExchange;
  /** Code of the refusal, or why no response came. */
  readonly code?: string | undefined;
  /** Milliseconds until the end of the body; absent while it is under way. */
  readonly duration?: number | undefined;
  /** The decision of the call after this attempt; absent where it succeeded. */
  readonly decision?: RecordedDecision | undefined;
}

/** Requests that are kept, and about how many characters of their texts. */
const MOST = 500;
const MOST_TEXT = 2_000_000;
/** Longer bodies are cut, characters. */
const MOST_OF_BODY = 65_536;

/** The newest requests of a client, as its tap shows them. */
class RequestLog {
  readonly #clock: Clock;
  readonly #rows: Map<number, InspectedRequest> = new Map();
  /** Numbers of the attempts that calls may still decide about. */
  readonly #numbers: WeakMap<object, number> = new WeakMap();
  readonly #begin: RecordedClockReading;
  readonly #begunAt: number;
  #count = 0;
  #ended = 0;
  #size = 0;
  #dropped = 0;
  /** Called after each change. */
  changed: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begin = { at: 0, now: clock.now() };
    this.#begunAt = clock.monotonic();
  }

  /** The oldest first. */
  get rows(): readonly InspectedRequest[] {
    return [...this.#rows.values()];
  }

  /** Notes an attempt, now and when it has ended. Never throws. */
  add(view: RequestView, request: CheckedRequest, attempt: Promise<AttemptResult>): void {
    const number = ++this.#count;
    const begunAt = this.#clock.monotonic();
    const sent = beginExchange(view, request);
    this.#numbers.set(view, number);
    this.#keep({ ...view, number, exchange: sent });
    void attempt.then((result) => {
      const row = this.#rows.get(number);
      if (!row) return; // dropped meanwhile
      const duration = this.#clock.monotonic() - begunAt;
      const when = { delay: duration, order: ++this.#ended };
      const exchange = { ...sent, ...endExchange(result, request.body, when, MOST_OF_BODY) };
      this.#keep({ ...row, exchange, duration, code: findCode(result, exchange) });
    });
  }

  /** Notes what a call decided after an attempt. Never throws. */
  addDecision(request: Omit<RequestView, 'sentAt'>, decision: CallDecision): void {
    const row = this.#rows.get(this.#numbers.get(request) ?? 0);
    if (!row) return; // before the first attempt, or dropped meanwhile
    const { operation, attempt } = request;
    const at = this.#clock.monotonic() - this.#begunAt;
    this.#keep({ ...row, decision: { at, operation, attempt, ...decision } });
  }

  /** All of it, for `replay` of `paystate/testing`. */
  recording(): Recording {
    const { rows } = this;
    return {
      version: RECORDING_VERSION,
      ids: [],
      exchanges: rows.map(({ exchange }) => exchange),
      deliveries: [],
      states: [],
      decisions: rows.flatMap(({ decision }) => decision ?? []),
      clock: [this.#begin],
      dropped: this.#dropped,
    };
  }

  clear(): void {
    this.#dropped += this.#rows.size;
    this.#rows.clear();
    this.#size = 0;
    this.changed();
  }

  #keep(row: InspectedRequest): void {
    const before = this.#rows.get(row.number);
    this.#rows.set(row.number, row);
    this.#size += measureSize(row) - (before ? measureSize(before) : 0);
    for (const [number, oldest] of this.#rows) {
      if (this.#rows.size <= MOST && this.#size <= MOST_TEXT) break;
      this.#rows.delete(number);
      this.#size -= measureSize(oldest);
      this.#dropped++;
    }
    this.changed();
  }
}

function measureSize({ exchange: { path, body = '', response } }: InspectedRequest): number {
  return path.length + body.length + (response?.body.length ?? 0);
}

/** The code of the service's envelope, or why nothing came. */
function findCode({ reason }: AttemptResult, { response }: RecordedExchange): string | undefined {
  if (reason || !response || response.status < 400) return reason;
  const { data } = (parseJson(response.body) ?? {}) as {
    readonly data?: { readonly code?: unknown };
  };
  return typeof data?.code === 'string' ? data.code : undefined;
}

/** One watched resource of a client. */
export interface InspectedWatch {
  /** Name of the resource, such as `invoice`. */
  readonly resource: string;
  /** Id of the resource. */
  readonly id: string;
  /** As it was read last; absent before that, and where the resource has no states. */
  readonly state?: string | undefined;
  /** The freshness of the value. */
  readonly freshness: Freshness;
  /** When it was so, milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Number of its observers. */
  readonly observers: number;
  /** The plan, and when it is read next. */
  readonly status: WatchStatus;
}

/** The current watches of a client. */
function listWatches(client: Connection, limit: number = Infinity): readonly InspectedWatch[] {
  const { hub } = hubOf(client);
  if (!hub) return [];
  const rows: InspectedWatch[] = [];
  for (const { type, id, held, snapshot, observers } of knownOf(client).watched.values()) {
    if (rows.length >= limit) break;
    rows.push({
      resource: type.name,
      id,
      state: type.states && held?.state,
      freshness: snapshot.freshness,
      asOf: snapshot.asOf,
      observers: each(observers).length,
      status: hub.status(type.name, id)!,
    });
  }
  return rows;
}

/** One thing that happened to a resource. */
export interface TimelineEntry {
  /** Milliseconds since 1970; of the service's clock where the service said it. */
  readonly at: number;
  /**
   * `request` this client asked · `state` a response showed another state · `service` what the
   * service says of it: created, paid, the end of a code · `event` it was in the event feed.
   */
  readonly kind: 'request' | 'state' | 'service' | 'event';
  /** The event. */
  readonly text: string;
}

type Shown = Readonly<Record<string, unknown>>;

const IDS = ['invoiceId', 'paymentId', 'quoteId', 'receiveRequestId', 'id'];

/** All that was seen of a resource, in the order of time. */
function buildTimeline(
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
    const [whole, ...parts] = objectsIn(parseJson(text));
    const isAboutIt = `${path} ${body}`.includes(id) || (whole && isResource(whole, id));
    if (isAboutIt) add('request', request.sentAt, describeRequest(request)); // a list that holds it is not
    for (const one of whole ? [whole, ...parts] : []) {
      for (const [at, what] of listFacts(one, id, path)) add('service', at, what);
      if (isAboutSubject(one, id)) add('event', parseTime(one['created']), `${one['eventType']}`);
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
export function describeRequest({ exchange, code, operation, attempt }: InspectedRequest): string {
  const end = [exchange.response?.status ?? (code ? 'no answer' : 'under way'), code];
  return `${operation}${attempt > 1 ? ` (attempt ${attempt})` : ''}: ${end.filter(Boolean).join(' ')}`;
}

function isResource(one: Shown, id: string): boolean {
  return typeof one['state'] === 'string' && IDS.some((name) => one[name] === id);
}

function isAboutSubject({ eventType, data }: Shown, id: string): boolean {
  return typeof eventType === 'string' && (data as Shown | undefined)?.['entityId'] === id;
}

/** Times that the service says. */
function listFacts(
  one: Shown,
  id: string,
  path: string,
): (readonly [number | undefined, string])[] {
  const { created, completed, expiration, lnInvoice, transactions } = one;
  if (lnInvoice && expiration && path.includes(id)) return [[parseTime(expiration), 'a code ends']];
  if (!isResource(one, id)) return [];
  const parts = Array.isArray(transactions) ? (transactions as Shown[]) : [];
  return [
    [parseTime(created), 'created'],
    [parseTime(completed), 'completed'],
    ...parts.map((part) => [parseTime(part['completed']), 'money came in'] as const),
  ];
}

function parseTime(text: unknown): number | undefined {
  return typeof text === 'string' ? parseMillis(text) : undefined;
}

/** Every object of a value, at any depth. */
function* objectsIn(value: unknown): Iterable<Shown> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Shown;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** The work of a client and its children, from `inspectClient` on. */
export interface ClientInspection {
  /** The newest 500 requests, the oldest first; each attempt is one. */
  requests(): readonly InspectedRequest[];
  /** The current watches, at most `limit`. */
  watches(limit?: number): readonly InspectedWatch[];
  /** All that was seen of a resource, in the order of time. */
  timeline(id: string): readonly TimelineEntry[];
  /** The requests as a recording, for `replay` of `paystate/testing`. */
  recording(): Recording;
  /** Forgets the requests. */
  clear(): void;
  /** Calls at each change of the requests; returns what ends that. */
  subscribe(changed: () => void): () => void;
  /** Looks no longer. What was seen is kept for the next inspection of the client. */
  stop(): void;
}

/** State that all inspections of a client share. */
interface Shared {
  readonly log: RequestLog;
  readonly listeners: Set<() => void>;
  readonly tap: Tap;
  users: number;
}

const LOG: Slot<Shared> = {
  name: 'devtools',
  make: (client) => openLog(new RequestLog(client[internals].clock)),
};

/**
 * Looks at a client: its requests with their answers, its watches, a timeline of one resource.
 * Credentials and secrets are cut before anything is kept. Nothing is sent.
 *
 * @param client a client, or a connection of `createConnection`; its children are inspected too
 * @example
 * const inspection = inspectClient(client);
 * console.log(inspection.requests().map(({ operation, reason, code }) => [operation, reason, code]));
 * inspection.stop();
 */
export function inspectClient(client: Connection): ClientInspection {
  checkClient(client);
  const shared = stateOf(client, LOG);
  const taps = stateOf(client, TAPS);
  const { log, listeners, tap } = shared;
  const own = new Set<() => void>();
  let isOn = true;
  shared.users++;
  taps.add(tap);
  return {
    requests: () => log.rows,
    watches: (limit) => listWatches(client, limit),
    timeline: (id) => buildTimeline(log.rows, id),
    recording: () => log.recording(),
    clear: () => log.clear(),
    subscribe(changed) {
      const listener = (): void => changed();
      for (const all of [own, listeners]) all.add(listener);
      return () => void [own, listeners].map((all) => all.delete(listener));
    },
    stop() {
      for (const listener of own) listeners.delete(listener);
      if (isOn && --shared.users === 0) taps.delete(tap);
      isOn = false;
    },
  };
}

function openLog(log: RequestLog): Shared {
  const listeners = new Set<() => void>();
  log.changed = () => {
    for (const listener of listeners) isolated(listener);
  };
  const tap: Tap = {
    attempt: (...attempt) => log.add(...attempt),
    decide: (...decision) => log.addDecision(...decision),
  };
  return { log, listeners, tap, users: 0 };
}
