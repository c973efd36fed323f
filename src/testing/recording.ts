import { badInput } from '../core/errors/index.ts';
import type { CallDecision } from '../core/http/index.ts';

/** The version of the format that this package writes and reads. */
export const RECORDING_VERSION = 2 as const;

/**
 * What a client did and saw, without its secrets. Plain data: `JSON.stringify` makes a file of it,
 * and `parseRecording` reads the file. It holds amounts, names and numbers of accounts: treat it
 * like a log.
 */
export interface Recording {
  /** Version of the format. */
  readonly version: 2;
  /** What the random numbers of `recorder.clientOptions` were made from. */
  readonly seed?: number | undefined;
  /** The ids that `recorder.clientOptions` made, in their order. */
  readonly ids: readonly string[];
  /** Requests and their responses, in the order in which they were sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** Deliveries of webhooks. Events of the feed are in the responses that brought them. */
  readonly deliveries: readonly RecordedDelivery[];
  /** What the recorded watches emitted. */
  readonly states: readonly RecordedState[];
  /** What calls decided after a failure or before a wait. */
  readonly decisions: readonly RecordedDecision[];
  /** The first reading of the clock, and one after each jump of the wall clock. */
  readonly clock: readonly RecordedClockReading[];
  /** How many older entries were dropped to stay within the limit. */
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
   * What was thrown where no response came; absent too where the client stopped waiting: its time
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
  /** Such as `TypeError`. */
  readonly name: string;
  /** In the runtime's own words. */
  readonly message: string;
  /** Milliseconds until it was thrown. */
  readonly delay: number;
  /** Its place among all responses and failures, in the order in which they came. */
  readonly order: number;
}

/** What the entries below have: when it was. */
interface Timed {
  /** Milliseconds since the recorder was made; no jump of the wall clock affects them. */
  readonly at: number;
}

/** A webhook that arrived at a recorded handler. */
export interface RecordedDelivery extends Timed {
  /** The body, without secrets. */
  readonly body: string;
  /** Whether it came with a signature. The signature itself is not kept. */
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

/** What the wall clock said. */
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
