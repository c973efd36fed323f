import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import {
  type AttemptResult,
  type CallDecision,
  type CheckedRequest,
  CLIENT_OPTIONS,
  type ClientOptions,
  type Connection,
  internals,
  type RequestView,
  type Responded,
  slotState,
  type Tap,
  TAPS,
} from '../core/http/index.ts';
import { seededRandom, systemRandom, systemUuid } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import type { Watch } from '../core/watch.ts';
import { SIGNATURE_HEADER } from '../webhooks/verify.ts';
import { beginExchange, endExchange, readResponse, readSent } from './exchanges.ts';
import { recordedWatch } from './recorded-watch.ts';
import {
  type RecordedClockReading,
  type RecordedExchange,
  type RecordedState,
  type Recording,
  RECORDING_VERSION,
} from './recording.ts';
import { Ring } from './ring.ts';
import { cutSecrets } from './secrets.ts';

/** A `fetch` that sends a client's requests. */
export type RecordedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** Options for a recorder. */
export interface RecorderOptions {
  /** Function that sends requests. Defaults to the platform's `fetch`. */
  readonly fetch?: RecordedFetch | undefined;
  /** Clock for all times in the recording. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
  /** Generates the seed for `clientOptions.random`. Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Generates the ids for `clientOptions.uuid`. Defaults to random UUIDs. */
  readonly uuid?: (() => string) | undefined;
  /**
   * Maximum size of the recording as JSON, in bytes. The oldest entries are dropped. Defaults to
   * 256,000.
   */
  readonly maxBytes?: number | undefined;
  /** Maximum size of a recorded body, in bytes. Longer bodies are truncated. Defaults to 65,536. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Accepted options. Users may pass all of a client's options, and the recorder ignores those it
 * doesn't use.
 */
const RECORDER_OPTIONS: Expected<RecorderOptions & Partial<ClientOptions>> =
  /* @__PURE__ */ Object.assign({}, CLIENT_OPTIONS, {
    baseUrl: 'any',
    maxBytes: 'number',
    maxBodyBytes: 'number',
  } as const);

/** Records a client's activity, within a size limit and without secrets. */
export interface Recorder {
  /** Options to pass to the recorded client, so a replay repeats its delays and ids. */
  readonly clientOptions: { readonly random: () => number; readonly uuid: () => string };
  /**
   * Starts recording the requests and decisions made by a client and its children. Returns a
   * function that stops it. It's cheaper than recording with `fetch`, because it doesn't copy
   * bodies.
   */
  attach(client: Connection): () => void;
  /** Wraps a watch to record its emissions under a name. */
  watch<T>(watch: Watch<T>, name?: string): Watch<T>;
  /** Wraps a webhook handler, such as an inbox's handler, to record its deliveries. */
  handle<Rest extends readonly unknown[]>(
    handler: (request: Request, ...rest: Rest) => Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
  /**
   * Sends and records requests. Use it for requests without a client, or as the `fetch` option of a
   * client that you don't attach.
   */
  readonly fetch: RecordedFetch;
  /**
   * Returns the recording so far, with at most `maxBytes` as JSON. Waits until the bodies of
   * received responses have been read. Requests that have no response yet are included.
   */
  recording(): Promise<Recording>;
}

/**
 * Creates a recorder. It records the latest requests and responses, decisions, emissions, webhooks
 * and clock readings. It removes credentials, secrets, passwords, tokens and preimages before it
 * stores anything.
 * @param options options such as size limits and sources of time and randomness
 * @throws InputError for limits that aren't whole numbers above zero
 *
 * @example
 * const recorder = createRecorder(options);
 * const watched = createClient({ ...options, ...recorder.clientOptions });
 * recorder.attach(watched);
 * const text = JSON.stringify(await recorder.recording());
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  checkOptions(options, RECORDER_OPTIONS);
  const { maxBytes = 256_000, maxBodyBytes = 65_536 } = options;
  for (const [name, limit] of Object.entries({ maxBytes, maxBodyBytes }))
    if (!Number.isInteger(limit) || limit < 1)
      throw badInput(name, 'must be a whole number above 0');
  return new FlightRecorder(options, maxBytes, maxBodyBytes);
}

interface Attached {
  /** Sender of the last request, which can remove the client's credential from recorded texts. */
  sender: Responded['sender'] | undefined;
}

/** Smallest wall-clock jump to record, in milliseconds. */
const JUMP_MS = 50;

class FlightRecorder implements Recorder {
  readonly fetch: RecordedFetch = (input, init) => this.#send(input, init);
  readonly #fetch: RecordedFetch;
  readonly #clock: Clock;
  readonly #mostOfBody: number;
  readonly #seed: number;
  readonly #ring: Ring;
  readonly #begin: RecordedClockReading;
  readonly #begunAt: number;
  /** Recording tasks in progress. The client never waits for them. */
  readonly #work: Set<Promise<void>> = new Set();
  readonly #attached: Set<Attached> = new Set();
  readonly clientOptions: Recorder['clientOptions'];
  /** Difference between the wall clock and the time since the start. */
  #wall: number;
  #watches = 0;
  /** Number of requests that have received a response or failed. */
  #ended = 0;
  #responded = 0;

  constructor(options: RecorderOptions, maxBytes: number, maxBodyBytes: number) {
    const { clock = systemClock, random = systemRandom, uuid = systemUuid } = options;
    const { fetch = (...given) => globalThis.fetch(...given) } = options;
    this.#fetch = fetch;
    this.#clock = clock;
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
        this.#ring.add('ids', id, id.length);
        return id;
      },
    };
  }

  attach(client: Connection): () => void {
    const taps = slotState(client, TAPS);
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
      if (kind === 'next' ? value === last : last === kind) return; // for another subscriber
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
      const copy = request.bodyUsed ? undefined : this.#clock.external(request.clone().text());
      const before = [...this.#attached]; // clients may be detached before the body is read
      this.#note(async () => {
        const whole = this.#cut((await copy) ?? '', [...before, ...this.#attached]);
        // truncate after removing secrets, so no part of a secret remains
        const body = whole.slice(0, this.#mostOfBody);
        this.#ring.update(entry, { ...entry.facts, body }, body.length);
      });
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
      this.#ring.update(entry, facts, exchangeSize(facts));
    };
    this.#note(async () => {
      const { secrets: _, ...request } = await sent;
      keep(request);
    });
    try {
      const response = await this.#fetch(input, init);
      const delay = this.#clock.now() - sentAt;
      const copy = readResponse(response, { delay, order: ++this.#ended }, this.#mostOfBody);
      this.#note(async () => keep({ response: await copy((await sent).secrets) }));
      return response;
    } catch (thrown) {
      const delay = this.#clock.now() - sentAt;
      const order = ++this.#ended;
      const signal = init?.signal ?? (input as Partial<Request>).signal;
      const { name = 'Error', message = '' } = (thrown ?? {}) as Partial<Error>;
      this.#note(async () => {
        if (signal?.aborted) return;
        const cut = cutSecrets(`${message}`, (await sent).secrets).slice(0, 200);
        keep({ failure: { name, message: cut, delay, order } });
      });
      throw thrown;
    }
  }

  async recording(): Promise<Recording> {
    await Promise.all(this.#work);
    const clock = [this.#begin];
    return this.#ring.recording({ version: RECORDING_VERSION, seed: this.#seed, clock });
  }

  #noteAttempt(
    attached: Attached,
    view: RequestView,
    request: CheckedRequest,
    attempt: Promise<AttemptResult>,
  ): void {
    const begunAt = this.#clock.monotonic();
    this.#readClock(view.sentAt, begunAt);
    const sent = beginExchange(view, request);
    const entry = this.#ring.add('exchanges', sent, exchangeSize(sent));
    void attempt.then((result) => {
      attached.sender = result.sender ?? attached.sender;
      const when = { delay: this.#clock.monotonic() - begunAt, order: ++this.#ended };
      const facts = { ...sent, ...endExchange(result, request.body, when, this.#mostOfBody) };
      this.#ring.update(entry, facts, exchangeSize(facts));
    });
  }

  #noteDecision({ operation, attempt }: Omit<RequestView, 'sentAt'>, decision: CallDecision): void {
    this.#ring.add('decisions', { at: this.#sinceBegin(), operation, attempt, ...decision }, 100);
  }

  #noteState(watch: string, kind: RecordedState['kind'], value: unknown): void {
    const at = this.#sinceBegin();
    const json = value === undefined ? undefined : this.#cut(toJson(value));
    const facts = { at, watch, kind, ...(json && { value: JSON.parse(json) as unknown }) };
    this.#ring.add('states', facts, watch.length + (json?.length ?? 0));
  }

  /** Removes secrets and attached clients' credentials from a string. */
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

  #readClock(now: number, monotonic: number): void {
    const at = monotonic - this.#begunAt;
    if (Math.abs(now - at - this.#wall) < JUMP_MS) return;
    this.#wall = now - at;
    this.#ring.add('clock', { at, now }, 0);
  }

  /** Runs a recording task in the background and ignores its errors. `recording` waits for it. */
  #note(read: () => Promise<void>): void {
    const task = read().catch(() => {});
    this.#work.add(task);
    void task.then(() => this.#work.delete(task));
  }
}

/** Returns an exchange's approximate size, both in memory and in a file. */
function exchangeSize({ path, body = '', response }: RecordedExchange): number {
  return 100 + path.length + body.length + (response ? 100 + response.body.length : 0);
}

/** Converts an emission to JSON. Returns `null` if it can't be serialized. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return 'null'; // for example, it contains a cycle
  }
}
