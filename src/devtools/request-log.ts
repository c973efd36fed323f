import type { Clock } from '../core/time.ts';
import type { AttemptResult, CheckedRequest, RequestView } from '../core/http/index.ts';
import {
  cutSecrets,
  type RecordedExchange,
  type RecordedResponse,
  type Recording,
} from '../testing/recorder.ts';

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
}

/** Requests that are kept, and about how many characters of their texts. */
const MOST = 500;
const MOST_TEXT = 2_000_000;
/** Longer bodies are cut, characters. */
const MOST_OF_BODY = 65_536;
/** Headers of responses that a client reads. */
const HEADERS = ['content-type', 'date', 'retry-after'];

/** The newest requests of a client, as its tap shows them. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #rows: Map<number, InspectedRequest> = new Map();
  #count = 0;
  #size = 0;
  #dropped = 0;
  /** Called after each change. */
  changed: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The oldest first. */
  get rows(): readonly InspectedRequest[] {
    return [...this.#rows.values()];
  }

  /** Notes an attempt, now and when it has ended. Never throws. */
  add(view: RequestView, request: CheckedRequest, attempt: Promise<AttemptResult>): void {
    const number = ++this.#count;
    const begunAt = this.#clock.monotonic();
    const { pathname, search } = new URL(request.url, 'http://localhost');
    const sent: RecordedExchange = {
      method: request.method,
      path: cutSecrets(pathname + search, []),
      body: request.body && cutSecrets(request.body, []),
      idempotencyKey: request.idempotencyKey,
      sentAt: view.sentAt,
    };
    this.#keep({ ...view, number, exchange: sent });
    void attempt.then((result) => {
      if (!this.#rows.has(number)) return; // dropped meanwhile
      const duration = this.#clock.monotonic() - begunAt;
      const exchange = { ...sent, ...endOf(result, request.body, duration) };
      this.#keep({ ...view, number, exchange, duration, code: codeOf(result, exchange) });
    });
  }

  /** All of it, for `replay` of `paystate/testing`. */
  recording(): Recording {
    return {
      version: 1,
      exchanges: this.rows.map(({ exchange }) => exchange),
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

/** How an attempt ended, as a recording says it. */
function endOf(
  result: AttemptResult,
  sent: string | undefined,
  delay: number,
): Pick<RecordedExchange, 'response' | 'failure'> {
  if (result.reason === undefined) {
    const { status, headers, text, sender } = result;
    const body = cutSecrets(sender.redact(text, sent).slice(0, MOST_OF_BODY), []);
    const end = text.length > MOST_OF_BODY ? 'cut' : 'whole';
    return { response: { status, headers: headersOf(headers), body, end, delay } };
  }
  const { reason, status, cause } = result;
  if (status !== undefined) {
    const end: RecordedResponse['end'] = reason === 'RESPONSE_TOO_LARGE' ? 'cut' : 'broken';
    return { response: { status, headers: {}, body: '', end, delay } };
  }
  if (reason === 'ABORTED' || reason === 'TOKEN_UNAVAILABLE') return {};
  const { name = 'Error', message = reason } = cause ?? {};
  return { failure: { name, message, delay } };
}

function headersOf(headers: Headers): Readonly<Record<string, string>> {
  const entries = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
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
