import { badInput } from '../core/errors/index.ts';
import { type Clock, systemClock } from '../core/time.ts';

/**
 * What a client asked and what it got, without its secrets. Plain data: `JSON.stringify` makes a
 * file of it. It holds amounts, names and numbers of accounts: treat it like a log.
 */
export interface Recording {
  /** Form of the recording. */
  readonly version: 1;
  /** In the order in which they were sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** How many older ones were dropped to stay within the limit. */
  readonly dropped: number;
}

/** One request, and what came of it. */
export interface RecordedExchange {
  /** HTTP method. */
  readonly method: string;
  /** Path and query; the host is left out. */
  readonly path: string;
  /** The body that was sent. */
  readonly body?: string | undefined;
  /** Idempotency key of the request. */
  readonly idempotencyKey?: string | undefined;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** Absent where none came. */
  readonly response?: RecordedResponse | undefined;
  /** What was thrown where no response came; absent too where the request was aborted. */
  readonly failure?: RecordedFailure | undefined;
}

/** A response as far as it was read. */
export interface RecordedResponse {
  /** HTTP status. */
  readonly status: number;
  /** `content-type`, `date` and `retry-after`, as far as they came. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body: string;
  /** `broken`: the connection broke off · `cut`: it was longer than is kept. */
  readonly end: 'whole' | 'broken' | 'cut';
  /** Milliseconds until its headers came. */
  readonly delay: number;
}

/** Why no response came, in the runtime's words. */
export interface RecordedFailure {
  /** Such as `TypeError`. */
  readonly name: string;
  /** In the runtime's own words. */
  readonly message: string;
  /** Milliseconds until it was thrown. */
  readonly delay: number;
}

/** A `fetch`, as a client and the platform take it. */
export type RecordedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** What of a request is recorded and compared. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Its credential and the secrets in its body, which are never kept. */
  readonly secrets: readonly string[];
}

/** Reads what `fetch` is given, without taking anything from it. */
export async function readSent(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<SentRequest> {
  const request = typeof input === 'object' && 'method' in input ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  const url = new URL(request?.url ?? `${input as string | URL}`, 'http://localhost');
  const text = await bodyOf(init.body ?? undefined, request);
  const secrets = [
    ...credentialsIn(headers.get('authorization') ?? ''),
    ...[...(text ?? '').matchAll(IN_JSON)].map(([, , secret = '']) => secret),
  ].filter(({ length }) => length >= SHORTEST);
  return {
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    path: cutSecrets(`${url.pathname}${url.search}`, secrets),
    body: text === undefined ? undefined : cutSecrets(text, secrets),
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
    secrets,
  };
}

async function bodyOf(
  body: BodyInit | undefined,
  request: Request | undefined,
): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body instanceof ReadableStream) return '[stream]';
  if (body !== undefined) return new Response(body).text();
  return request && !/^(GET|HEAD)$/i.test(request.method) ? request.clone().text() : undefined;
}

/** The credential of a header, and the secret inside of one in Basic form. */
function credentialsIn(authorization: string): readonly string[] {
  const [, scheme = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? [];
  const inner = /^basic$/i.test(scheme) ? passwordIn(value) : undefined;
  return [value, inner ?? ''];
}

function passwordIn(base64: string): string | undefined {
  try {
    return /:(.*)$/.exec(atob(base64))?.[1];
  } catch {
    return undefined; // no base64
  }
}

/** Shorter texts are no secrets, and stand in too many words. */
const SHORTEST = 8;
const CUT = '[secret]';

/** Members that hold secrets, of the service and of its login server; also one that is cut off. */
const IN_JSON =
  /("(?:secret|client_secret|password|api_?key|(?:access_|refresh_|id_)?token|code_verifier)"\s*:\s*")((?:[^"\\]|\\.)*)("|$)/gi;
const IN_FORM =
  /(^|[?&])(secret|client_secret|password|api_?key|(?:access_|refresh_|id_)?token|code_verifier|code)=[^&]*/gi;

/** A text without secrets, also where it ends in the middle of one. */
export function cutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets)
    for (const form of new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]))
      rest = withoutBegun(rest.replaceAll(form, CUT), form);
  return rest.replace(IN_JSON, `$1${CUT}$3`).replace(IN_FORM, `$1$2=${CUT}`);
}

/** A text whose end is not the beginning of a secret. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + CUT;
  return text;
}

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
