import { badInput } from '../core/errors/index.ts';
import {
  type AttemptResult,
  type CallDecision,
  type CheckedRequest,
  type Connection,
  internals,
  type RequestView,
  type Responded,
  stateOf,
  type Tap,
  TAPS,
} from '../core/http/index.ts';
import { seededRandom, systemRandom, systemUuid } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import {
  iterate,
  type Listener,
  observerOf,
  type SubscribeOptions,
  type Watch,
  watchClock,
} from '../core/watch.ts';
import { SIGNATURE_HEADER } from '../webhooks/verify.ts';
import {
  cutSecrets,
  endOf,
  exchangeOf,
  headersOf,
  readSent,
  type RecordedClockReading,
  RECORDING_VERSION,
  type RecordedDecision,
  type RecordedDelivery,
  type RecordedExchange,
  type RecordedResponse,
  type RecordedState,
  type Recording,
} from './recording.ts';

/** A `fetch`, as a client and the platform take it. */
export type RecordedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** The sources of a recording, and its size. */
export interface RecorderOptions {
  /** Sends requests; the platform's `fetch`. */
  readonly fetch?: RecordedFetch | undefined;
  /** The source of times; the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Draws the seed of `clientOptions.random`; `Math.random` when absent. */
  readonly random?: (() => number) | undefined;
  /** Makes the ids of `clientOptions.uuid`; random UUIDs when absent. */
  readonly uuid?: (() => string) | undefined;
  /** Largest size of a recording as JSON, bytes: older entries are dropped; 256,000. */
  readonly maxBytes?: number | undefined;
  /** Longer bodies are cut, bytes; 65,536. */
  readonly maxBodyBytes?: number | undefined;
}

/** Records what a client does and sees; bounded, and without secrets. */
export interface Recorder {
  /**
   * Options that a client has to be made with, so that its waiting times and ids can be played
   * again.
   */
  readonly clientOptions: { readonly random: () => number; readonly uuid: () => string };
  /**
   * Records the requests and decisions of a client and its children from now on; returns the
   * function that ends it. It costs less than `fetch`, because it copies no body.
   */
  attach(client: Connection): () => void;
  /** Returns the same watch, whose emissions to its subscribers are recorded under a name. */
  watch<T>(watch: Watch<T>, name?: string): Watch<T>;
  /**
   * Returns the same handler of webhooks, such as that of an inbox, whose deliveries are recorded.
   */
  handle<Rest extends readonly unknown[]>(
    handler: (request: Request, ...rest: Rest) => Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
  /**
   * Sends, and records what comes of it: for what is sent without a client, and as the option
   * `fetch` of a client that is not attached.
   */
  readonly fetch: RecordedFetch;
  /**
   * The recording so far, at most `maxBytes` as JSON. Resolves when the bodies of the responses
   * that came have been read; requests without a response are in it too.
   */
  recording(): Promise<Recording>;
}

/**
 * Records requests and responses, decisions, emissions, webhooks and readings of the clock; the
 * newest only. Credentials, secrets of subscriptions and orders, passwords, tokens and preimages
 * are cut before anything is kept.
 *
 * @param options what sends, and how much is kept
 * @throws InputError for limits that are no whole numbers above zero
 * @example
 * const recorder = createRecorder(options);
 * const watched = createClient({ ...options, ...recorder.clientOptions });
 * recorder.attach(watched);
 * const text = JSON.stringify(await recorder.recording());
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const { maxBytes = 256_000, maxBodyBytes = 65_536 } = options;
  for (const [name, limit] of Object.entries({ maxBytes, maxBodyBytes }))
    if (!Number.isInteger(limit) || limit < 1)
      throw badInput(name, 'must be a whole number above 0');
  const recorder = new FlightRecorder(options, maxBytes, maxBodyBytes);
  return {
    clientOptions: recorder.clientOptions,
    attach: (client) => recorder.attach(client),
    watch: (watch, name) => recorder.watch(watch, name),
    handle: (handler) => recorder.handle(handler),
    fetch: recorder.fetch,
    recording: () => recorder.recording(),
  };
}

/** Lists of a recording that have the kept entries, and the entries of each. */
interface Lists {
  readonly ids: { readonly id: string };
  readonly exchanges: RecordedExchange;
  readonly deliveries: RecordedDelivery;
  /** The value is JSON text until the recording is made. */
  readonly states: Omit<RecordedState, 'value'> & { readonly json?: string | undefined };
  readonly decisions: RecordedDecision;
  readonly clock: RecordedClockReading;
}

/** One entry. `facts` are replaced when more is known of it. */
interface Entry<Name extends keyof Lists = keyof Lists> {
  readonly list: Name;
  facts: Lists[Name];
  size: number;
  isDropped: boolean;
}

/** About what an entry takes in addition to its texts. */
const ENTRY_BYTES = 100;
/** Jumps of the wall clock that are noted, milliseconds. */
const JUMP_MS = 50;
/** Dropped entries that may be at the beginning of the array before it is made shorter. */
const MAX_GAP = 1_000;

/** The newest entries of all lists, within a size. */
class Ring {
  readonly #most: number;
  /** The oldest first; those before `#first` are dropped. */
  #entries: (Entry | undefined)[] = [];
  #first = 0;
  #size = 0;
  dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The oldest first. */
  get entries(): readonly Entry[] {
    return this.#entries.slice(this.#first) as Entry[];
  }

  add<Name extends keyof Lists>(list: Name, facts: Lists[Name], size: number): Entry<Name> {
    const entry: Entry<Name> = { list, facts, size: 0, isDropped: false };
    this.#entries.push(entry as Entry);
    this.update(entry, facts, size);
    return entry;
  }

  update<Name extends keyof Lists>(entry: Entry<Name>, facts: Lists[Name], size: number): void {
    if (entry.isDropped) return;
    entry.facts = facts;
    this.#size += size + ENTRY_BYTES - entry.size;
    entry.size = size + ENTRY_BYTES;
    while (this.#size > this.#most) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#entries[this.#first]!;
    oldest.isDropped = true;
    this.#size -= oldest.size;
    this.dropped++;
    this.#entries[this.#first++] = undefined;
    if (this.#first < MAX_GAP) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

/** A client that is attached. */
interface Attached {
  /** The client that sent for it last: it knows the credential, to cut it elsewhere too. */
  sender: Responded['sender'] | undefined;
}

class FlightRecorder {
  readonly fetch: RecordedFetch = (input, init) => this.#send(input, init);
  readonly #fetch: RecordedFetch;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #mostOfBody: number;
  readonly #seed: number;
  readonly #ring: Ring;
  readonly #begin: RecordedClockReading;
  readonly #begunAt: number;
  /** Goes on while the client works, who waits for none of it. */
  readonly #work: Set<Promise<void>> = new Set();
  readonly #attached: Set<Attached> = new Set();
  readonly clientOptions: Recorder['clientOptions'];
  /** The wall clock without its time since the beginning. */
  #wall: number;
  #watches = 0;
  /** Requests that got a response or failed. */
  #ended = 0;
  #responded = 0;

  constructor(options: RecorderOptions, maxBytes: number, maxBodyBytes: number) {
    const { clock = systemClock, random = systemRandom, uuid = systemUuid } = options;
    const { fetch = (...given) => globalThis.fetch(...given) } = options;
    this.#fetch = fetch;
    this.#clock = clock;
    this.#most = maxBytes;
    this.#mostOfBody = maxBodyBytes;
    this.#ring = new Ring(maxBytes);
    this.#begunAt = clock.monotonic();
    this.#wall = clock.now();
    this.#begin = { at: 0, now: this.#wall };
    this.#seed = Math.floor(random() * 2 ** 32);
    this.clientOptions = {
      random: seededRandom(this.#seed),
      uuid: () => {
        const id = uuid();
        this.#ring.add('ids', { id }, id.length);
        return id;
      },
    };
  }

  attach(client: Connection): () => void {
    const taps = stateOf(client, TAPS);
    const attached: Attached = { sender: undefined };
    this.#attached.add(attached);
    const isSender = client[internals].sender === this.fetch;
    const tap: Tap = {
      attempt: (view, request, attempt) => {
        if (!isSender) this.#noteAttempt(attached, view, request, attempt);
      },
      decide: (request, decision) => this.#noteDecision(request, decision),
    };
    taps.add(tap);
    return () => {
      taps.delete(tap);
      this.#attached.delete(attached);
    };
  }

  watch<T>(watch: Watch<T>, name = `watch ${++this.#watches}`): Watch<T> {
    let last: unknown;
    const note = (kind: RecordedState['kind'], value?: unknown): void => {
      if (kind === 'next' ? value === last : last === kind) return; // another subscriber's
      last = kind === 'next' ? value : kind;
      this.#noteState(name, kind, value);
    };
    return recordedWatch(watch, note);
  }

  handle<Rest extends readonly unknown[]>(
    handler: (request: Request, ...rest: Rest) => Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response> {
    return async (request, ...rest) => {
      const isSigned = request.headers.has(SIGNATURE_HEADER);
      const entry = this.#ring.add('deliveries', { at: this.#sinceBegin(), body: '', isSigned }, 0);
      const copy = request.bodyUsed ? '' : this.#clock.external(request.clone().text());
      const before = [...this.#attached]; // a client may be let go before the body is read
      const noted = Promise.resolve(copy).then(
        (text) => {
          const whole = this.#cut(text, [...before, ...this.#attached]);
          const body = whole.slice(0, this.#mostOfBody); // after the cut: no part of a secret is left
          this.#ring.update(entry, { ...entry.facts, body }, body.length);
        },
        () => {}, // a body that cannot be read is not there
      );
      this.#track(noted);
      const response = await handler(request, ...rest);
      const { status } = response;
      const facts = { ...entry.facts, status, order: ++this.#responded };
      this.#ring.update(entry, facts, facts.body.length);
      return response;
    };
  }

  async #send(input: Parameters<RecordedFetch>[0], init?: RequestInit): Promise<Response> {
    const sentAt = this.#now();
    const entry = this.#ring.add('exchanges', { method: '', path: '', sentAt }, 0);
    const sent = readSent(input, init);
    const keep = (more: Partial<RecordedExchange>): void => {
      const facts = { ...entry.facts, ...more };
      this.#ring.update(entry, facts, sizeOf(facts));
    };
    this.#note(
      sent.then(({ method, path, body, idempotencyKey }) =>
        keep({ method, path, body, idempotencyKey }),
      ),
    );
    try {
      const response = await this.#fetch(input, init);
      const delay = this.#clock.now() - sentAt;
      const copy = readResponse(response, { delay, order: ++this.#ended }, this.#mostOfBody);
      this.#note(sent.then(async ({ secrets }) => keep({ response: await copy(secrets) })));
      return response;
    } catch (thrown) {
      const delay = this.#clock.now() - sentAt;
      const signal = init?.signal ?? (input as Partial<Request>).signal;
      const { name = 'Error', message = '' } = (thrown ?? {}) as Partial<Error>;
      const order = ++this.#ended;
      if (!signal?.aborted)
        this.#note(
          sent.then(({ secrets }) => {
            const cut = cutSecrets(`${message}`, secrets).slice(0, 200);
            keep({ failure: { name, message: cut, delay, order } });
          }),
        );
      throw thrown;
    }
  }

  async recording(): Promise<Recording> {
    await Promise.all(this.#work);
    const all = this.#ring.entries;
    const base = { version: RECORDING_VERSION, seed: this.#seed, dropped: this.#ring.dropped };
    // digits of `dropped`
    let rest = this.#most - jsonSize(withLists(base, [], [this.#begin])) - 20;
    let first = all.length;
    while (first > 0 && (rest -= jsonSize(plainOf(all[first - 1]!)) + 1) >= 0) first--;
    return withLists({ ...base, dropped: base.dropped + first }, all.slice(first), [this.#begin]);
  }

  #noteAttempt(
    attached: Attached,
    view: RequestView,
    request: CheckedRequest,
    attempt: Promise<AttemptResult>,
  ): void {
    const begunAt = this.#clock.monotonic();
    this.#readClock(view.sentAt, begunAt);
    const sent = exchangeOf(view, request);
    const entry = this.#ring.add('exchanges', sent, sizeOf(sent));
    void attempt.then((result) => {
      attached.sender = result.sender ?? attached.sender;
      const when = { delay: this.#clock.monotonic() - begunAt, order: ++this.#ended };
      const facts = { ...sent, ...endOf(result, request.body, when, this.#mostOfBody) };
      this.#ring.update(entry, facts, sizeOf(facts));
    });
  }

  #noteDecision({ operation, attempt }: Omit<RequestView, 'sentAt'>, decision: CallDecision): void {
    this.#ring.add('decisions', { at: this.#sinceBegin(), operation, attempt, ...decision }, 100);
  }

  #noteState(watch: string, kind: RecordedState['kind'], value: unknown): void {
    const json = value === undefined ? value : this.#cut(jsonOf(value));
    const at = this.#sinceBegin();
    this.#ring.add('states', { at, watch, kind, json }, watch.length + (json?.length ?? 0));
  }

  /** Cuts secrets and the credentials of clients, of all that are attached unless said. */
  #cut(text: string, attached: Iterable<Attached> = this.#attached): string {
    let rest = text;
    for (const { sender } of attached) rest = sender?.redact(rest, undefined) ?? rest;
    return cutSecrets(rest, []);
  }

  #now(): number {
    const now = this.#clock.now();
    this.#readClock(now, this.#clock.monotonic());
    return now;
  }

  #sinceBegin(): number {
    const monotonic = this.#clock.monotonic();
    this.#readClock(this.#clock.now(), monotonic);
    return monotonic - this.#begunAt;
  }

  /** Notes where the wall clock was set to another time. */
  #readClock(now: number, monotonic: number): void {
    const at = monotonic - this.#begunAt;
    if (Math.abs(now - at - this.#wall) < JUMP_MS) return;
    this.#wall = now - at;
    this.#ring.add('clock', { at, now }, 0);
  }

  #note(task: Promise<void>): void {
    this.#track(task.catch(() => {})); // what cannot be read is not there
  }

  #track(noted: Promise<void>): void {
    this.#work.add(noted);
    void noted.then(() => this.#work.delete(noted));
  }
}

/** About what an exchange takes in memory and in a file. */
function sizeOf({ path, body = '', response }: RecordedExchange): number {
  return 100 + path.length + body.length + (response ? 100 + response.body.length : 0);
}

function jsonSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** JSON of what a watch emitted, which may hold errors. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return 'null'; // a value that JSON cannot hold
  }
}

/** An entry as the recording has it. */
function plainOf({ list, facts }: Entry): unknown {
  if (list === 'ids') return (facts as Lists['ids']).id;
  if (list !== 'states') return facts;
  const { json, ...state } = facts as Lists['states'];
  return json === undefined ? state : { ...state, value: JSON.parse(json) as unknown };
}

function withLists(
  base: Pick<Recording, 'version' | 'seed' | 'dropped'>,
  entries: readonly Entry[],
  begin: readonly RecordedClockReading[],
): Recording {
  const lists: Record<keyof Lists, unknown[]> = {
    ids: [],
    exchanges: [],
    deliveries: [],
    states: [],
    decisions: [],
    clock: [...begin],
  };
  for (const entry of entries) lists[entry.list].push(plainOf(entry));
  return { ...base, ...lists } as unknown as Recording;
}

/** A watch whose emissions are noted before its subscribers get them. */
function recordedWatch<T>(
  watch: Watch<T>,
  note: (kind: RecordedState['kind'], value?: unknown) => void,
): Watch<T> {
  const recorded: Watch<T> = {
    current: () => watch.current(),
    retry: () => watch.retry(),
    refresh: () => watch.refresh(),
    status: () => watch.status(),
    subscribe(to: Listener<T>, options?: SubscribeOptions) {
      const observer = observerOf(to);
      const { error } = observer;
      const noted = {
        next(value: T): void {
          note('next', value);
          observer.next?.(value);
        },
        complete(): void {
          note('complete');
          observer.complete?.();
        },
        // a subscriber without `error` must stay one: the watch reports that error as uncaught
        ...(error && {
          error(reason: unknown): void {
            note('error', reason);
            error.call(observer, reason);
          },
        }),
      };
      return watch.subscribe(noted, options);
    },
    '@@observable': () => recorded,
    [Symbol.asyncIterator]: () => iterate(recorded),
    ...(watch[watchClock] && { [watchClock]: watch[watchClock] }),
  };
  return recorded;
}

/** Reads a copy, which is made at once: the client reads the response itself. */
function readResponse(
  response: Response,
  when: Pick<RecordedResponse, 'delay' | 'order'>,
  most: number,
): (secrets: readonly string[]) => Promise<RecordedResponse> {
  const { status, headers } = response;
  const copy = readUpTo(response.clone(), most);
  return async (secrets) => {
    const { text, end } = await copy;
    const kept = headersOf(headers, status);
    return { status, headers: kept, body: cutSecrets(text, secrets), end, ...when };
  };
}

async function readUpTo(
  { body }: Response,
  most: number,
): Promise<{ readonly text: string; readonly end: RecordedResponse['end'] }> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  try {
    for (const reader = body?.getReader(); reader; ) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, most - size), { stream: true });
      size += value.byteLength;
      if (size <= most) continue;
      reader.cancel().catch(() => {});
      return { text, end: 'cut' };
    }
    return { text: text + decoder.decode(), end: 'whole' };
  } catch {
    return { text, end: 'broken' };
  }
}
