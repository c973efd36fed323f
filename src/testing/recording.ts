import { badInput } from '../core/errors/index.ts';
import type {
  AttemptResult,
  CallDecision,
  CheckedRequest,
  RequestView,
} from '../core/http/index.ts';

/** The version of the format that this package writes and reads. */
export const RECORDING_VERSION = 2 as const;

/**
 * The acts and observations of a client, without its secrets. Plain data: `JSON.stringify` makes a
 * file of it, and `parseRecording` reads the file. It holds amounts, names and numbers of accounts:
 * treat it like a log.
 */
export interface Recording {
  /** Version of the format. */
  readonly version: 2;
  /** The seed of the random numbers of `recorder.clientOptions`. */
  readonly seed?: number | undefined;
  /** The ids that `recorder.clientOptions` made, in their order. */
  readonly ids: readonly string[];
  /** Requests and their responses, in the order in which they were sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** Deliveries of webhooks. Events of the feed are in the responses that brought them. */
  readonly deliveries: readonly RecordedDelivery[];
  /** The emissions of the recorded watches. */
  readonly states: readonly RecordedState[];
  /** The decisions of calls after a failure or before a wait. */
  readonly decisions: readonly RecordedDecision[];
  /** The first reading of the clock, and one after each jump of the wall clock. */
  readonly clock: readonly RecordedClockReading[];
  /** Number of older entries that were dropped to stay within the limit. */
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
  /**
   * The thrown error where no response came; absent too where the client stopped waiting: its time
   * limit or its caller ended the request.
   */
  readonly failure?: RecordedFailure | undefined;
}

/** A response as far as it was read. */
export interface RecordedResponse {
  /** HTTP status. */
  readonly status: number;
  /** `date`, and of a failure `content-type` and `retry-after`, as far as they came. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body: string;
  /**
   * `broken`: the connection broke off · `cut`: it was longer than is kept · `unfinished`: the
   * client stopped waiting for the rest.
   */
  readonly end: 'whole' | 'broken' | 'cut' | 'unfinished';
  /** Milliseconds until it came. */
  readonly delay: number;
  /** Its place among all responses and failures, in the order in which they came. */
  readonly order: number;
}

/** Why no response came, in the runtime's words. */
export interface RecordedFailure {
  /** Name of the error, such as `TypeError`. */
  readonly name: string;
  /** In the runtime's own words. */
  readonly message: string;
  /** Milliseconds until it was thrown. */
  readonly delay: number;
  /** Its place among all responses and failures, in the order in which they came. */
  readonly order: number;
}

/** The time of an entry. */
interface Timed {
  /** Milliseconds since the recorder was made; no jump of the wall clock affects them. */
  readonly at: number;
}

/** A webhook that arrived at a recorded handler. */
export interface RecordedDelivery extends Timed {
  /** The body, without secrets. */
  readonly body: string;
  /** True if it came with a signature. The signature itself is not kept. */
  readonly isSigned: boolean;
  /** HTTP status of the handler's response; absent while it works, and where it threw. */
  readonly status?: number | undefined;
  /** Its place in the order in which handlers responded. */
  readonly order?: number | undefined;
}

/** One emission of a recorded watch. */
export interface RecordedState extends Timed {
  /** The name that `recorder.watch` was given. */
  readonly watch: string;
  /** `next` with a value, or how the watch ended. */
  readonly kind: 'next' | 'error' | 'complete';
  /** The snapshot or the error, as JSON. */
  readonly value?: unknown;
}

/** A decision of a call. */
export interface RecordedDecision extends Timed, CallDecision {
  /** The member of the client, such as `invoices.create`. */
  readonly operation: string;
  /** The attempt that it is about: 1 for the first. */
  readonly attempt: number;
}

/** The time of the wall clock. */
export interface RecordedClockReading extends Timed {
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Check = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be text');
const number: Check = (value) => (Number.isFinite(value) ? undefined : 'must be a number');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const anything: Check = () => undefined;

const oneOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    allowed.includes(value as string) ? undefined : `must be ${allowed.join(', ')}`;

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

/** A fault inside of a value, with the path to it. */
const within = (name: string, fault: string | undefined): string | undefined =>
  fault && `${name}${/^[[.]/.test(fault) ? '' : ' '}${fault}`;

const object =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isObject(value)) return 'must be an object';
    for (const [name, check] of Object.entries(checks)) {
      const fault = within(`.${name}`, check(value[name]));
      if (fault) return fault;
    }
    return undefined;
  };

const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    for (const [at, one] of value.entries()) {
      const fault = within(`[${at}]`, check(one));
      if (fault) return fault;
    }
    return undefined;
  };

/** A status that a response can be made with. */
const status: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599
    ? undefined
    : 'must be a status of HTTP';

/** Headers that can be sent. */
const headers: Check = (value) => {
  if (!isObject(value)) return 'must be an object';
  try {
    new Headers(value as Record<string, string>);
    return undefined;
  } catch {
    return 'must hold headers of HTTP';
  }
};

const clock = listOf(object({ at: number, now: number }));

const checkMembers = object({
  seed: optional(number),
  ids: listOf(text),
  exchanges: listOf(
    object({
      method: text,
      path: text,
      body: optional(text),
      idempotencyKey: optional(text),
      sentAt: number,
      response: optional(
        object({
          status,
          headers,
          body: text,
          end: oneOf('whole', 'broken', 'cut', 'unfinished'),
          delay: number,
          order: number,
        }),
      ),
      failure: optional(object({ name: text, message: text, delay: number, order: number })),
    }),
  ),
  deliveries: listOf(
    object({
      at: number,
      body: text,
      isSigned: flag,
      status: optional(number),
      order: optional(number),
    }),
  ),
  states: listOf(
    object({
      at: number,
      watch: text,
      kind: oneOf('next', 'error', 'complete'),
      value: anything,
    }),
  ),
  decisions: listOf(
    object({
      at: number,
      operation: text,
      attempt: number,
      kind: oneOf('retry', 'wait', 'read-first', 'give-up'),
      why: text,
      delay: optional(number),
    }),
  ),
  clock: (value) => clock(value) ?? ((value as unknown[]).length ? undefined : 'must not be empty'),
  dropped: number,
});

/** Refuses what is no recording, or one of another version. */
export function checkRecording(recording: unknown): asserts recording is Recording {
  if (!isObject(recording)) throw badInput('recording', 'must be one of createRecorder');
  const { version } = recording;
  if (version !== RECORDING_VERSION)
    throw badInput(
      'recording.version',
      `must be ${RECORDING_VERSION}, which this version of the package reads`,
    );
  const fault = checkMembers(recording);
  if (!fault) return;
  const [, path = '', problem = ''] = /^(\S*) ?(must .*)$/.exec(fault) ?? [];
  throw badInput(`recording${path}`, problem);
}

/**
 * Reads a recording from the text of a file and checks all of it, so that a file from elsewhere
 * fails here and not while it is played. Members that are not known are kept.
 *
 * @param json the text that `JSON.stringify` made of a recording
 * @returns the recording
 * @throws InputError where the text is no JSON, the version is another one, or a member is missing
 * or of another type: it names the member
 * @example
 * const recorder = createRecorder({ fetch: options.fetch });
 * const file = JSON.stringify(await recorder.recording());
 * console.log(parseRecording(file).exchanges.length); // 0
 */
export function parseRecording(json: string): Recording {
  let recording: unknown;
  try {
    recording = JSON.parse(json);
  } catch {
    throw badInput('recording', 'must be JSON, as JSON.stringify writes it; the file is broken');
  }
  checkRecording(recording);
  return recording;
}

// Turns requests and responses into entries of a recording, without their secrets.

/** The part of a request that is recorded and compared. */
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
  const inner = scheme.toLowerCase() === 'basic' ? passwordIn(value) : undefined;
  return [value, inner ?? ''];
}

function passwordIn(base64: string): string | undefined {
  try {
    return /:(.*)$/.exec(atob(base64))?.[1];
  } catch {
    return undefined; // no base64
  }
}

/** Shorter texts are no secrets: they occur in too many words. */
const SHORTEST = 8;
/** The text that replaces a secret. */
export const CUT = '[secret]';

/**
 * Members that hold secrets: of the service, of its login server and of a relay. A text may end in
 * the middle of one.
 */
const IN_JSON =
  /("(?:(?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|authorization|pre_?image)"\s*:\s*")((?:[^"\\]|\\.)*)("|$)/gi;
const IN_FORM =
  /(^|[?&])((?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|code|pre_?image)=[^&]*/gi;

/** Most texts hold none of these words, which is found out faster than by the expressions above. */
const SUSPICIOUS =
  /secret|password|api_?key|token"|token=|verifier|authorization|image"|[?&]|^code=/i;

/** Returns a text without secrets, also where it ends in the middle of one. */
export function cutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets)
    for (const form of new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]))
      rest = withoutBegun(rest.replaceAll(form, CUT), form);
  if (!SUSPICIOUS.test(rest)) return rest;
  return rest.replace(IN_JSON, `$1${CUT}$3`).replace(IN_FORM, `$1$2=${CUT}`);
}

/** A text whose end is not the beginning of a secret. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + CUT;
  return text;
}

/** Headers that a client reads of every response, and those that it reads of a failed one. */
const HEADERS: readonly string[] = ['date'];
const HEADERS_OF_FAILURES: readonly string[] = ['date', 'content-type', 'retry-after'];

/** Keeps the headers of a response that a client reads. Each costs it a microsecond. */
export function headersOf(headers: Headers, status: number): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of status < 400 ? HEADERS : HEADERS_OF_FAILURES) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}

/** Begins the entry of a client's attempt. */
export function exchangeOf(view: RequestView, request: CheckedRequest): RecordedExchange {
  const { url, method, body, idempotencyKey } = request;
  return {
    method,
    path: url.includes('?')
      ? pathWithQuery(url)
      : url.slice(url.indexOf('/', url.indexOf('//') + 2)),
    body: body && cutSecrets(body, []),
    idempotencyKey,
    sentAt: view.sentAt,
  };
}

/** `URL` writes queries in its own way, by which a recording is compared. */
function pathWithQuery(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return cutSecrets(pathname + search, []);
}

/**
 * Says how an attempt ended.
 *
 * @param most longest body that is kept, characters
 */
export function endOf(
  result: AttemptResult,
  sent: string | undefined,
  when: Pick<RecordedResponse, 'delay' | 'order'>,
  most: number,
): Pick<RecordedExchange, 'response' | 'failure'> {
  if (result.reason === undefined) {
    const { status, text, sender } = result;
    const headers = headersOf(result.headers, status);
    const whole = cutSecrets(sender.redact(text, sent), []);
    if (whole.length <= most)
      return { response: { status, headers, body: whole, end: 'whole', ...when } };
    return { response: { status, headers, body: whole.slice(0, most), end: 'cut', ...when } };
  }
  const { reason, status, cause } = result;
  if (status !== undefined)
    return { response: { status, headers: {}, body: '', end: ENDS[reason] ?? 'broken', ...when } };
  if (reason !== 'UNREACHABLE' && reason !== 'OFFLINE') return {};
  const { name = 'Error', message = reason } = cause ?? {};
  return { failure: { name, message: cutSecrets(message, []), ...when } };
}

const ENDS: Readonly<Record<string, RecordedResponse['end']>> = {
  RESPONSE_TOO_LARGE: 'cut',
  TIMEOUT: 'unfinished',
  ABORTED: 'unfinished',
};
