import type {
  AttemptResult,
  CallDecision,
  CheckedRequest,
  RequestView,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { endOf, exchangeOf } from '../testing/exchanges.ts';
import {
  type RecordedClockReading,
  RECORDING_VERSION,
  type RecordedDecision,
  type RecordedExchange,
  type Recording,
} from '../testing/recording.ts';

/** One attempt as it was seen, with its texts; credentials and secrets are cut. */
export interface InspectedRequest extends RequestView {
  /** Counts what was seen, from 1 on. */
  readonly number: number;
  /** What was sent and what came, in the form of a recording. */
  readonly exchange: RecordedExchange;
  /** Code of the refusal, or why no response came. */
  readonly code?: string | undefined;
  /** Milliseconds until the end of the body; absent while it is under way. */
  readonly duration?: number | undefined;
  /** What the call decided after this attempt; absent where it succeeded. */
  readonly decision?: RecordedDecision | undefined;
}

/** Requests that are kept, and about how many characters of their texts. */
const MOST = 500;
const MOST_TEXT = 2_000_000;
/** Longer bodies are cut, characters. */
const MOST_OF_BODY = 65_536;

/** The newest requests of a client, as its tap shows them. */
export class RequestLog {
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
    const sent = exchangeOf(view, request);
    this.#numbers.set(view, number);
    this.#keep({ ...view, number, exchange: sent });
    void attempt.then((result) => {
      const row = this.#rows.get(number);
      if (!row) return; // dropped meanwhile
      const duration = this.#clock.monotonic() - begunAt;
      const when = { delay: duration, order: ++this.#ended };
      const exchange = { ...sent, ...endOf(result, request.body, when, MOST_OF_BODY) };
      this.#keep({ ...row, exchange, duration, code: codeOf(result, exchange) });
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
    this.#size += sizeOf(row) - (before ? sizeOf(before) : 0);
    for (const [number, oldest] of this.#rows) {
      if (this.#rows.size <= MOST && this.#size <= MOST_TEXT) break;
      this.#rows.delete(number);
      this.#size -= sizeOf(oldest);
      this.#dropped++;
    }
    this.changed();
  }
}

function sizeOf({ exchange: { path, body = '', response } }: InspectedRequest): number {
  return path.length + body.length + (response?.body.length ?? 0);
}

/** The code of the service's envelope, or why nothing came. */
function codeOf({ reason }: AttemptResult, { response }: RecordedExchange): string | undefined {
  if (reason || !response || response.status < 400) return reason;
  const { data } = (jsonOf(response.body) ?? {}) as { readonly data?: { readonly code?: unknown } };
  return typeof data?.code === 'string' ? data.code : undefined;
}

/** `undefined` where it is no JSON, or was cut. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
