import type { LogEntry, Sandbox } from '../sandbox/index.ts';
import { readSent, readUpTo } from '../testing/exchanges.ts';
import { cutSecrets } from '../testing/secrets.ts';

/** Recorded details of a request that aren't in the log. */
interface Trace {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  /** Error code from the response. */
  readonly code?: string;
  /**
   * Time until the response in milliseconds, on the system clock. Absent while the request is in
   * progress.
   */
  readonly took?: number;
  /** Ids of the resources in the request and the response. List items don't count. */
  readonly about: readonly string[];
}

export interface RecordedSandbox extends Sandbox {
  /** The sandbox's own log, without recorded bodies. */
  readonly entries: readonly LogEntry[];
  traceOf(call: number): Trace | undefined;
  /** Called when a request ends. Assign your own function. */
  onEnd: () => void;
}

/** Maximum number of log entries with bodies. */
const MAX_LOGGED = 200;
/** Maximum number of requests whose bodies and headers are stored. */
const MAX_BODIES = 1_000;
/** Maximum number of requests whose duration and ids are stored. */
const MAX_TRACES = 10_000;
/** Maximum length of a stored body, in characters. */
const LONGEST = 4_000;
/** Maximum number of bytes to read from a response. */
const READ = 65_536;
/** Maximum number of ids to store for a request. */
const MAX_IDS = 8;

const CUT = '…';

class Traces extends Map<number, Trace> {
  keep(call: number, more: Partial<Trace>): void {
    const before = this.get(call);
    const about = new Set([...(before?.about ?? []), ...(more.about ?? [])]);
    this.set(call, { ...before, ...more, about: [...about].slice(0, MAX_IDS) });
  }

  forgetBefore(call: number): void {
    this.delete(call - MAX_TRACES);
    const { about, took } = this.get(call - MAX_BODIES) ?? {};
    if (about && took !== undefined) this.set(call - MAX_BODIES, { about, took });
  }

  async follow(
    { call, path }: LogEntry,
    requestHeaders: Readonly<Record<string, string>>,
    sent: ReturnType<typeof readSent>,
    answer: Promise<Response>,
  ): Promise<void> {
    const begunAt = performance.now();
    const response = answer.then(readResponse);
    response.catch(() => {}); // the caller handles the rejection
    this.forgetBefore(call);
    this.keep(call, { requestHeaders, about: path.match(UUID) ?? [] });
    try {
      const { body, secrets } = await sent;
      if (body) this.keep(call, { requestBody: show(body, secrets), about: idsIn(body) });
      const { text, ...more } = await response;
      if (text) this.keep(call, { responseBody: show(text, secrets), about: idsIn(text) });
      this.keep(call, more);
    } catch {
      // keep the details recorded so far
    }
    this.keep(call, { took: performance.now() - begunAt });
  }

  add(entry: LogEntry): LogEntry {
    const { requestBody, responseBody, code } = this.get(entry.call) ?? {};
    return {
      ...entry,
      ...(requestBody !== undefined && { requestBody }),
      ...(responseBody !== undefined && { responseBody }),
      ...(code !== undefined && { code }),
    };
  }
}

/** Wraps a sandbox so its log also has the bodies of the latest requests, without secrets. */
export function recordBodies(sandbox: Sandbox): RecordedSandbox {
  const traces = new Traces();
  const recorded = Object.create(sandbox) as RecordedSandbox; // keeps the sandbox's getters
  const fetch: Sandbox['fetch'] = (input, init) => {
    const sent = readSent(input, init);
    const place = sandbox.log.length;
    const answer = sandbox.fetch(input, init);
    const entry = sandbox.log[place]; // absent if the request was aborted before it was sent
    if (entry)
      void traces
        .follow(entry, shownHeaders(input, init), sent, answer)
        .then(() => recorded.onEnd());
    else sent.catch(() => {});
    return answer;
  };
  return Object.defineProperties(recorded, {
    fetch: { value: fetch },
    log: {
      get: () => [
        ...sandbox.log.slice(0, -MAX_LOGGED),
        ...sandbox.log.slice(-MAX_LOGGED).map((entry) => traces.add(entry)),
      ],
    },
    entries: { get: () => sandbox.log },
    traceOf: { value: (call: number) => traces.get(call) },
    onEnd: { value: () => {}, writable: true },
  });
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** Matches fields that contain a resource id. Account ids and correlation ids don't count. */
const ID =
  /"(?!issuerId|receiverId|payerId|accountId|correlationId)\w*[iI]d"\s*:\s*"([\da-f-]{36})"/g;

/**
 * Returns the resource ids in a body. A list has none, because it isn't about a single resource.
 */
function idsIn(text: string): readonly string[] {
  if (/^\s*\[|"items"\s*:\s*\[/.test(text)) return [];
  return Array.from(text.matchAll(ID), ([, id]) => id!);
}

/** Returns the request headers without credentials. Only the authorization scheme remains. */
function shownHeaders(
  input: string | URL | Request,
  init: RequestInit = {},
): Readonly<Record<string, string>> {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}));
  const kind = headers.get('authorization')?.split(' ')[0];
  return {
    ...Object.fromEntries(headers),
    ...(kind !== undefined && { authorization: `${kind} ${CUT}` }),
  };
}

async function readResponse(
  response: Response,
): Promise<Pick<Trace, 'responseHeaders' | 'code'> & { readonly text: string }> {
  const { text } = await readUpTo(response.clone(), READ);
  const code = response.ok
    ? undefined
    : /"data"\s*:\s*\{[^{}]*?"code"\s*:\s*"(\w+)"/.exec(text)?.[1];
  return {
    text,
    responseHeaders: Object.fromEntries(response.headers),
    ...(code !== undefined && { code }),
  };
}

const ACCOUNT_NUMBER = /("accountNumber"\s*:\s*")(?:[^"\\]|\\.)*/g;

/** Removes secrets from a body and truncates it to the maximum length. */
function show(text: string, secrets: readonly string[]): string {
  const open = cutSecrets(text, secrets).replace(ACCOUNT_NUMBER, `$1${CUT}`);
  return open.length > LONGEST ? `${open.slice(0, LONGEST)}${CUT}` : open;
}
