import type { CallDecision } from '../core/http/index.ts';

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
