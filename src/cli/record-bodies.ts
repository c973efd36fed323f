import type { LogEntry, Sandbox } from '../sandbox/index.ts';
import { readSent, readUpTo } from '../testing/exchanges.ts';
import { cutSecrets } from '../testing/secrets.ts';

/** Details of a request besides its log entry. */
interface Trace {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  /** The service's code for a refusal. */
  readonly code?: string;
  /**
   * Milliseconds until the response, by this machine's clock. Absent while the request is in
   * progress.
   */
  readonly took?: number;
  /** Ids of the resources in request and response, without a list's rows. */
  readonly about: readonly string[];
}

export interface RecordedSandbox extends Sandbox {
  /** The sandbox's own log, without copies. */
  readonly entries: readonly LogEntry[];
  traceOf(call: number): Trace | undefined;
  /** Called when a request has ended. */
  onEnd: () => void;
}

/** Log entries with bodies. */
const MAX_LOGGED = 200;
/** Requests with stored bodies and headers. */
const MAX_BODIES = 1_000;
/** Requests with a stored duration and ids. */
const MAX_TRACES = 10_000;
/** Stored characters of a body. */
const LONGEST = 4_000;
/** Bytes read of a response. */
const READ = 65_536;
/** Stored ids of a request. */
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
    response.catch(() => {}); // the caller handles it
    this.forgetBefore(call);
    this.keep(call, { requestHeaders, about: path.match(UUID) ?? [] });
    try {
      const { body, secrets } = await sent;
      if (body) this.keep(call, { requestBody: show(body, secrets), about: idsIn(body) });
      const { text, ...more } = await response;
      if (text) this.keep(call, { responseBody: show(text, secrets), about: idsIn(text) });
      this.keep(call, more);
    } catch {
      // keeps the partial trace
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

/**
 * Wraps a sandbox so its log has the bodies of the latest requests, without secrets. Everything
 * else stays the same.
 */
export function recordBodies(sandbox: Sandbox): RecordedSandbox {
  const traces = new Traces();
  const recorded = Object.create(sandbox) as RecordedSandbox; // getters of the sandbox stay getters
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
/** A field with a resource's id. Accounts and a shop's own ids don't count. */
const ID =
  /"(?!issuerId|receiverId|payerId|accountId|correlationId)\w*[iI]d"\s*:\s*"([\da-f-]{36})"/g;

/** A list page has none, because it isn't about a single resource. */
function idsIn(text: string): readonly string[] {
  if (/^\s*\[|"items"\s*:\s*\[/.test(text)) return [];
  return Array.from(text.matchAll(ID), ([, id]) => id!);
}

/** Credentials only show their type. */
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

/** Removes secrets and truncates to the maximum length. */
function show(text: string, secrets: readonly string[]): string {
  const open = cutSecrets(text, secrets).replace(ACCOUNT_NUMBER, `$1${CUT}`);
  return open.length > LONGEST ? `${open.slice(0, LONGEST)}${CUT}` : open;
}
