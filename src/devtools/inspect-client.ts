import {
  type AttemptResult,
  type CallDecision,
  type CheckedRequest,
  type Connection,
  internals,
  checkClient,
  type RequestView,
  type Slot,
  slotState,
  type Tap,
  TAPS,
} from '../core/http/index.ts';
import { parseJson } from '../core/platform.ts';
import { type Clock, parseMillis } from '../core/time.ts';
import { each, isolated, type WatchStatus } from '../core/watch.ts';
import type { AnyEntry } from '../state/entry.ts';
import type { Freshness } from '../state/index.ts';
import { getKnown } from '../state/known.ts';
import { getHub } from '../state/watch-one.ts';
import { beginExchange, endExchange } from '../testing/exchanges.ts';
import {
  type RecordedClockReading,
  type RecordedDecision,
  type RecordedExchange,
  type Recording,
  RECORDING_VERSION,
} from '../testing/recording.ts';

/** One attempt at a request, with its bodies. Credentials and secrets are removed. */
export interface InspectedRequest extends RequestView {
  /** Number of this attempt among all of the client's attempts, counting from 1. */
  readonly number: number;
  /** Request and response in recording format. */
  readonly exchange: RecordedExchange;
  /** Error code from the response, or the reason why there was no response. */
  readonly code?: string | undefined;
  /**
   * Time until the response body ended, in milliseconds. Absent while the attempt is in progress.
   */
  readonly duration?: number | undefined;
  /** What the client decided to do after the attempt, such as a retry. Absent if it succeeded. */
  readonly decision?: RecordedDecision | undefined;
}

/**
 * Maximum number of stored requests. `MOST_TEXT` limits the total size of their bodies, in
 * characters.
 */
const MOST = 500;
const MOST_TEXT = 2_000_000;
/** Maximum length of a stored body, in characters. Longer bodies are truncated. */
const MOST_OF_BODY = 65_536;

class RequestLog {
  readonly #clock: Clock;
  readonly #rows: Map<number, InspectedRequest> = new Map();
  /** Attempt numbers, by request. */
  readonly #numbers: WeakMap<object, number> = new WeakMap();
  readonly #begin: RecordedClockReading;
  readonly #begunAt: number;
  #count = 0;
  #ended = 0;
  #size = 0;
  #dropped = 0;
  changed: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begin = { at: 0, now: clock.now() };
    this.#begunAt = clock.monotonic();
  }

  /** All stored attempts, oldest first. */
  get rows(): readonly InspectedRequest[] {
    return [...this.#rows.values()];
  }

  /** Records an attempt when it starts and when it ends. Never throws. */
  add(view: RequestView, request: CheckedRequest, attempt: Promise<AttemptResult>): void {
    const number = ++this.#count;
    const begunAt = this.#clock.monotonic();
    const sent = beginExchange(view, request);
    this.#numbers.set(view, number);
    this.#keep({ ...view, number, exchange: sent });
    void attempt.then((result) => {
      const row = this.#rows.get(number);
      if (!row) return; // the entry was dropped in the meantime
      const duration = this.#clock.monotonic() - begunAt;
      const when = { delay: duration, order: ++this.#ended };
      const exchange = { ...sent, ...endExchange(result, request.body, when, MOST_OF_BODY) };
      this.#keep({ ...row, exchange, duration, code: findCode(result, exchange) });
    });
  }

  /** Records what the client decided to do after an attempt. Never throws. */
  addDecision(request: Omit<RequestView, 'sentAt'>, decision: CallDecision): void {
    const row = this.#rows.get(this.#numbers.get(request) ?? 0);
    if (!row) return; // there was no attempt yet, or its entry was dropped
    const { operation, attempt } = request;
    const at = this.#clock.monotonic() - this.#begunAt;
    this.#keep({ ...row, decision: { at, operation, attempt, ...decision } });
  }

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

/** Returns the error code of a response, or the reason why there was no response. */
function findCode({ reason }: AttemptResult, { response }: RecordedExchange): string | undefined {
  if (reason || !response || response.status < 400) return reason;
  const { data } = (parseJson(response.body) ?? {}) as {
    readonly data?: { readonly code?: unknown };
  };
  return typeof data?.code === 'string' ? data.code : undefined;
}

/** A resource that a client watches. */
export interface InspectedWatch {
  /** Resource name, such as `invoice`. */
  readonly resource: string;
  /** Resource id. */
  readonly id: string;
  /**
   * The resource's state at the last read. Absent before the first read, and for resources without
   * states.
   */
  readonly state?: string | undefined;
  /** Freshness of the value, which tells you how far you can trust it. */
  readonly freshness: Freshness;
  /** Time when the value was current, in milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** Number of active subscribers of the watch. */
  readonly observers: number;
  /** Status of the watch, such as the time of the next read and its reason. */
  readonly status: WatchStatus;
}

function listWatches(client: Connection, limit: number = Infinity): readonly InspectedWatch[] {
  const { hub } = getHub(client);
  if (!hub) return [];
  // sorted by name, because each read changes the order of the hub's map
  const name = ({ type, id }: AnyEntry): string => `${type.name} ${id}`;
  const watched = [...getKnown(client).watched.values()].sort((a, b) =>
    name(a) < name(b) ? -1 : 1,
  );
  return watched.slice(0, limit).map(({ type, id, held, snapshot, observers }) => ({
    resource: type.name,
    id,
    state: type.states && held?.state,
    freshness: snapshot.freshness,
    asOf: snapshot.asOf,
    observers: each(observers).length,
    status: hub.status(type.name, id)!,
  }));
}

/** An entry in the history of a client or of one resource. */
export interface TimelineEntry {
  /** Time in milliseconds since 1970. Times that the service reported are on its own clock. */
  readonly at: number;
  /**
   * Kind of entry. `request` was sent by this client. `state` means that a response reported a new
   * state. `service` is a timestamp from the resource, such as when it was created or paid, or when
   * a quote expires. `event` comes from the event feed.
   */
  readonly kind: 'request' | 'state' | 'service' | 'event';
  /** Short description of the entry. */
  readonly text: string;
  /** Id of the resource that the entry is about, if any. */
  readonly id?: string | undefined;
  /** Details of the request. Only present if `kind` is `request`. */
  readonly request?: InspectedRequest | undefined;
}

type Shown = Readonly<Record<string, unknown>>;

const IDS = ['invoiceId', 'paymentId', 'quoteId', 'receiveRequestId', 'id'];

/** Caches the parsed objects of each response. */
const PARSED = new WeakMap<RecordedExchange, readonly Shown[]>();

function readObjects(exchange: RecordedExchange): readonly Shown[] {
  const known = PARSED.get(exchange);
  if (known) return known;
  const objects = [...objectsIn(parseJson(exchange.response?.body ?? ''))];
  PARSED.set(exchange, objects);
  return objects;
}

/**
 * Returns the history of one resource. Without an id, returns all requests, events and state
 * changes.
 */
function buildTimeline(
  requests: readonly InspectedRequest[],
  wanted: string | undefined,
): readonly TimelineEntry[] {
  const entries = new Map<string, TimelineEntry>();
  const add = (entry: TimelineEntry): void => {
    const { at, kind, text, id, request } = entry;
    if (!Number.isNaN(at))
      entries.set(`${request?.number ?? `${at} ${id}`} ${kind} ${text}`, entry);
  };
  const states = new Map<string, unknown>();
  for (const request of requests) {
    const { path, body = '', response } = request.exchange;
    const sent = `${path} ${body}`;
    if (wanted !== undefined && !(wanted && `${sent} ${response?.body}`.includes(wanted))) continue;
    const objects = readObjects(request.exchange);
    const [whole = {}] = objects;
    const id = wanted ?? /[\da-f]{8}-[\da-f-]{27}/.exec(path)?.[0] ?? findId(whole);
    // a list that contains the resource isn't a request about it
    if (wanted === undefined || sent.includes(wanted) || isResource(whole, wanted))
      add({ kind: 'request', at: request.sentAt, text: describeRequest(request), id, request });
    for (const one of objects) {
      for (const [at, text] of wanted ? listFacts(one, wanted, path) : [])
        add({ kind: 'service', at, text, id: wanted });
      const { eventType, created, data } = one;
      const subject = (data as Shown | undefined)?.['entityId'] as string;
      if (
        typeof eventType === 'string' &&
        typeof subject === 'string' &&
        (wanted ?? subject) === subject
      )
        add({ kind: 'event', at: parseTime(created), text: eventType, id: subject });
      const own = wanted ?? findId(one) ?? '';
      const before = states.get(own);
      const state = one['state'] as string;
      if (!isResource(one, own) || state === before) continue;
      states.set(own, state);
      if (before === undefined && wanted === undefined) continue;
      const at = request.sentAt + (request.duration ?? 0);
      add({ kind: 'state', at, text: before ? `${before} → ${state}` : state, id: own });
    }
  }
  return [...entries.values()].sort((one, other) => one.at - other.at);
}

function describeRequest(request: InspectedRequest): string {
  const { exchange, code } = request;
  const end = [exchange.response?.status ?? (code ? 'no answer' : 'under way'), code];
  return `${nameRequest(request)}: ${end.filter(Boolean).join(' ')}`;
}

export function nameRequest({ operation, attempt }: InspectedRequest): string {
  return `${operation}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
}

function findId(one: Shown): string | undefined {
  return IDS.map((name) => one[name]).find((id) => typeof id === 'string');
}

function isResource(one: Shown, id: string): boolean {
  return typeof one['state'] === 'string' && IDS.some((name) => one[name] === id);
}

function listFacts(one: Shown, id: string, path: string): (readonly [number, string])[] {
  const { created, completed, expiration, lnInvoice, transactions } = one;
  if (lnInvoice && expiration && path.includes(id)) return [[parseTime(expiration), 'a code ends']];
  if (!isResource(one, id)) return [];
  const parts = Array.isArray(transactions) ? (transactions as Shown[]) : [];
  return [
    [parseTime(created), 'created'],
    [parseTime(completed), 'completed'],
    ...parts.map((part) => [parseTime(part['completed']), 'payment received'] as const),
  ];
}

/** Parses a timestamp from the service. Returns NaN if it's absent or invalid. */
function parseTime(text: unknown): number {
  return (typeof text === 'string' ? parseMillis(text) : undefined) ?? NaN;
}

function* objectsIn(value: unknown): Iterable<Shown> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Shown;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** Everything that a client and its children have done since you called `inspectClient`. */
export interface ClientInspection {
  /** Returns the latest attempts, at most 500, oldest first. */
  requests(): readonly InspectedRequest[];
  /** Returns the active watches. `limit` is the maximum number, which defaults to all. */
  watches(limit?: number): readonly InspectedWatch[];
  /**
   * Returns the history of one resource in chronological order. Without an id, returns all
   * requests, events and state changes.
   */
  timeline(id?: string): readonly TimelineEntry[];
  /** Returns the stored requests as a recording, for `replay` from `paystate/testing`. */
  recording(): Recording;
  /** Deletes all stored requests. */
  clear(): void;
  /**
   * Calls `changed` each time a request starts, ends or is deleted. Returns a function that
   * unsubscribes.
   */
  subscribe(changed: () => void): () => void;
  /** Stops observing the client. If you inspect it again, the earlier requests are still there. */
  stop(): void;
}

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
 * Observes the requests, responses and watches of a client. Removes credentials and secrets before
 * it stores anything, and sends no requests itself.
 * @param client a client, or a connection from `createConnection`. Also observes its children
 *
 * @example
 * const inspection = inspectClient(client);
 * console.log(inspection.requests().map(({ operation, reason, code }) => [operation, reason, code]));
 * inspection.stop();
 */
export function inspectClient(client: Connection): ClientInspection {
  checkClient(client);
  const shared = slotState(client, LOG);
  const taps = slotState(client, TAPS);
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
