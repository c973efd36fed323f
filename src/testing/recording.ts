import type { CallDecision } from '../core/http/index.ts';

/** The format version that this package writes and reads. */
export const RECORDING_VERSION = 2 as const;

/**
 * A client's activity without its secrets, as plain data: `JSON.stringify` writes a file, and
 * `parseRecording` reads it. It holds amounts, names and account numbers, so treat it like a log.
 */
export interface Recording {
  /** Version of the format. */
  readonly version: 2;
  /** The seed of the random numbers of `recorder.clientOptions`. */
  readonly seed?: number | undefined;
  /** The ids that `recorder.clientOptions` made, in order. */
  readonly ids: readonly string[];
  /** Requests and their responses, in the order of sending. */
  readonly exchanges: readonly RecordedExchange[];
  /** Deliveries of webhooks. Events of the feed are in their responses. */
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

/** One request and its result. */
export interface RecordedExchange {
  /** HTTP method. */
  readonly method: string;
  /** Path and query, without the host. */
  readonly path: string;
  /** The sent body. */
  readonly body?: string | undefined;
  /** Idempotency key of the request. */
  readonly idempotencyKey?: string | undefined;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** Absent without a response. */
  readonly response?: RecordedResponse | undefined;
  /**
   * The thrown error if no response arrived. Also absent if the client stopped waiting, by its
   * timeout or its caller's signal.
   */
  readonly failure?: RecordedFailure | undefined;
}

/** A response as far as it was read. */
export interface RecordedResponse {
  /** HTTP status. */
  readonly status: number;
  /** `date`, and for a failure `content-type` and `retry-after`, if present. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body: string;
  /**
   * `broken`: the connection broke · `cut`: it exceeded the limit · `unfinished`: the client
   * stopped waiting for the rest.
   */
  readonly end: 'whole' | 'broken' | 'cut' | 'unfinished';
  /** Milliseconds until it arrived. */
  readonly delay: number;
  /** Its position among all responses and failures, in order of arrival. */
  readonly order: number;
}

/** Why no response arrived, in the runtime's words. */
export interface RecordedFailure {
  /** Name of the error, such as `TypeError`. */
  readonly name: string;
  /** The runtime's own message. */
  readonly message: string;
  /** Milliseconds until it was thrown. */
  readonly delay: number;
  /** Its position among all responses and failures, in order of arrival. */
  readonly order: number;
}

/** The time of an entry. */
interface Timed {
  /** Milliseconds since the recorder was made, unaffected by jumps of the wall clock. */
  readonly at: number;
}

/** A webhook that arrived at a recorded handler. */
export interface RecordedDelivery extends Timed {
  /** The body, without secrets. */
  readonly body: string;
  /** Whether it had a signature. The signature itself isn't stored. */
  readonly isSigned: boolean;
  /** HTTP status of the handler's response. Absent while it works, and if it threw. */
  readonly status?: number | undefined;
  /** Its position in the order of the handlers' responses. */
  readonly order?: number | undefined;
}

/** One emission of a recorded watch. */
export interface RecordedState extends Timed {
  /** The name passed to `recorder.watch`. */
  readonly watch: string;
  /** `next` with a value, or the end of the watch. */
  readonly kind: 'next' | 'error' | 'complete';
  /** The snapshot or the error, as JSON. */
  readonly value?: unknown;
}

/** A decision of a call. */
export interface RecordedDecision extends Timed, CallDecision {
  /** The member of the client, such as `invoices.create`. */
  readonly operation: string;
  /** The number of its attempt, from 1. */
  readonly attempt: number;
}

/** A reading of the wall clock. */
export interface RecordedClockReading extends Timed {
  /** Milliseconds since 1970. */
  readonly now: number;
}
