import { badInput } from '../core/errors/index.ts';
import { type Clock, systemClock } from '../core/time.ts';
import {
  cutSecrets,
  type RecordedExchange,
  type RecordedFetch,
  type RecordedResponse,
  type Recording,
  readSent,
  type SentRequest,
} from './recording.ts';

/** What is recorded, and how much of it. */
export interface RecorderOptions {
  /** What sends; the platform's. */
  readonly fetch?: RecordedFetch | undefined;
  /** Where times come from; that of the machine. */
  readonly clock?: Clock | undefined;
  /** About how much is kept in all, bytes: older exchanges are dropped; 1,000,000. */
  readonly maxBytes?: number | undefined;
  /** Longer bodies are cut, bytes; 65,536. */
  readonly maxBodyBytes?: number | undefined;
}

/** Records what is sent through its `fetch`. */
export interface Recorder {
  /** Sends, and records what comes of it: the option `fetch` of a client. */
  readonly fetch: RecordedFetch;
  /**
   * What was recorded so far. Resolves when the bodies of the responses that came have been read;
   * requests without a response are in it too.
   */
  recording(): Promise<Recording>;
}

type Entry = { -readonly [Name in keyof RecordedExchange]: RecordedExchange[Name] };

/** Headers of responses that a client reads. */
const HEADERS = ['content-type', 'date', 'retry-after'];

/**
 * Records what a client asks and gets, the newest exchanges only. Credentials, secrets of
 * subscriptions, passwords and tokens are cut before anything is kept.
 *
 * @param options what sends, and how much is kept
 * @throws InputError for limits that are no whole numbers above zero
 * @example
 * const recorder = createRecorder({ fetch: options.fetch });
 * const watched = createClient({ ...options, fetch: recorder.fetch });
 * const text = JSON.stringify(await recorder.recording());
 */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const { maxBytes = 1_000_000, maxBodyBytes = 65_536 } = options;
  for (const [name, limit] of Object.entries({ maxBytes, maxBodyBytes }))
    if (!Number.isInteger(limit) || limit < 1)
      throw badInput(name, 'must be a whole number above 0');
  const log = new ExchangeLog(options, maxBytes, maxBodyBytes);
  return {
    fetch: (input, init) => log.send(input, init),
    recording: () => log.recording(),
  };
}

class ExchangeLog {
  readonly #options: RecorderOptions;
  readonly #most: number;
  readonly #mostOfBody: number;
  /** The oldest first, each with its size. */
  readonly #entries: Map<Entry, number> = new Map();
  /** Goes on beside the client, who waits for none of it. */
  readonly #work = new Set<Promise<void>>();
  #size = 0;
  #dropped = 0;

  constructor(options: RecorderOptions, maxBytes: number, maxBodyBytes: number) {
    this.#options = options;
    this.#most = maxBytes;
    this.#mostOfBody = maxBodyBytes;
  }

  async send(input: Parameters<RecordedFetch>[0], init?: RequestInit): Promise<Response> {
    const { fetch = globalThis.fetch, clock = systemClock } = this.#options;
    const entry = this.#add(clock.now());
    const sent = readSent(input, init);
    this.#note(entry, sent.then(factsOf));
    try {
      const response = await fetch(input, init);
      const delay = clock.now() - entry.sentAt;
      this.#note(entry, sent.then(readResponse(response, delay, this.#mostOfBody)));
      return response;
    } catch (thrown) {
      const delay = clock.now() - entry.sentAt;
      const signal = init?.signal ?? (input as Partial<Request>).signal;
      if (!signal?.aborted) this.#note(entry, sent.then(readFailure(thrown, delay)));
      throw thrown;
    }
  }

  async recording(): Promise<Recording> {
    await Promise.all(this.#work);
    const exchanges = [...this.#entries.keys()].map((entry) => ({ ...entry }));
    return { version: 1, exchanges, dropped: this.#dropped };
  }

  #add(sentAt: number): Entry {
    const entry: Entry = { method: '', path: '', sentAt };
    this.#entries.set(entry, 0);
    return entry;
  }

  #keep(entry: Entry, facts: Partial<Entry>): void {
    Object.assign(entry, facts);
    const known = this.#entries.get(entry);
    if (known === undefined) return; // dropped meanwhile
    const size = sizeOf(entry);
    this.#entries.set(entry, size);
    this.#size += size - known;
    for (const [oldest, freed] of this.#entries) {
      if (this.#size <= this.#most) break;
      this.#entries.delete(oldest);
      this.#size -= freed;
      this.#dropped++;
    }
  }

  #note(entry: Entry, task: Promise<Partial<Entry>>): void {
    const noted = task.then(
      (facts) => this.#keep(entry, facts),
      () => {}, // what cannot be read is not there
    );
    this.#work.add(noted);
    void noted.then(() => this.#work.delete(noted));
  }
}

/** About what an exchange takes in memory and in a file. */
function sizeOf({ path, body = '', response }: Entry): number {
  return 200 + path.length + body.length + (response?.body.length ?? 0);
}

function factsOf({ method, path, body, idempotencyKey }: SentRequest): Partial<Entry> {
  return { method, path, body, idempotencyKey };
}

function readFailure(thrown: unknown, delay: number) {
  const { name = 'Error', message = '' } = (thrown ?? {}) as Partial<Error>;
  return ({ secrets }: SentRequest): Partial<Entry> => ({
    failure: { name, message: cutSecrets(`${message}`, secrets).slice(0, 200), delay },
  });
}

/** Reads a copy, which is made at once: the client reads the response itself. */
function readResponse(response: Response, delay: number, most: number) {
  const { status, headers } = response;
  const copy = readUpTo(response.clone(), most);
  return async ({ secrets }: SentRequest): Promise<Partial<Entry>> => {
    const { text, end } = await copy;
    const kept = HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const body = cutSecrets(text, secrets);
    return { response: { status, headers: Object.fromEntries(kept), body, end, delay } };
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
