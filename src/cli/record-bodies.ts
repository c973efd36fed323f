import type { LogEntry, Sandbox } from '../sandbox/index.ts';
import { readSent, readUpTo } from '../testing/exchanges.ts';
import { cutSecrets } from '../testing/secrets.ts';

/** More of a request than its log entry has. */
interface Trace {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  /** The service's code for a refusal. */
  readonly code?: string;
  /** Milliseconds of this machine until the response; absent while the request is under way. */
  readonly took?: number;
  /** Ids of the resources that request and response name; a list's rows do not count. */
  readonly about: readonly string[];
}

/** A sandbox whose requests leave traces. */
export interface RecordedSandbox extends Sandbox {
  /** The log as the sandbox keeps it: no entry is copied. */
  readonly entries: readonly LogEntry[];
  traceOf(call: number): Trace | undefined;
  /** Is called when a request has ended. */
  onEnd: () => void;
}

/** Entries of the log that have their bodies. */
const MAX_LOGGED = 200;
/** Requests whose bodies and headers are kept. */
const MAX_BODIES = 1_000;
/** Requests of which the duration and the ids are kept. */
const MAX_TRACES = 10_000;
/** Characters of a body that are kept. */
const LONGEST = 4_000;
/** Bytes of a response that are read for it. */
const READ = 65_536;
/** Ids of a request that are kept. */
const MAX_IDS = 8;

const CUT = '…';

/** The traces of a sandbox's requests, by the number of the request. */
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

  /** Keeps what was sent and received, as far as it came. */
  async follow(
    { call, path }: LogEntry,
    requestHeaders: Readonly<Record<string, string>>,
    sent: ReturnType<typeof readSent>,
    answer: Promise<Response>,
  ): Promise<void> {
    const begunAt = performance.now();
    const response = answer.then(readResponse);
    response.catch(() => {}); // the caller hears of it
    this.forgetBefore(call);
    this.keep(call, { requestHeaders, about: path.match(UUID) ?? [] });
    try {
      const { body, secrets } = await sent;
      if (body) this.keep(call, { requestBody: show(body, secrets), about: idsIn(body) });
      const { text, ...more } = await response;
      if (text) this.keep(call, { responseBody: show(text, secrets), about: idsIn(text) });
      this.keep(call, more);
    } catch {
      // what is known until then is kept
    }
    this.keep(call, { took: performance.now() - begunAt });
  }

  /** An entry with its bodies. */
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
 * A sandbox whose log has the bodies of the last requests, without secrets. Everything else is that
 * of the given one.
 */
export function recordBodies(sandbox: Sandbox): RecordedSandbox {
  const traces = new Traces();
  const recorded = Object.create(sandbox) as RecordedSandbox; // getters of the sandbox stay getters
  const fetch: Sandbox['fetch'] = (input, init) => {
    const sent = readSent(input, init);
    const place = sandbox.log.length;
    const answer = sandbox.fetch(input, init);
    const entry = sandbox.log[place]; // absent where the request was given up before it left
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
/** A member that names a resource; accounts and the ids of a shop do not count. */
const ID =
  /"(?!issuerId|receiverId|payerId|accountId|correlationId)\w*[iI]d"\s*:\s*"([\da-f-]{36})"/g;

/** The resources that a body names; none for a page of a list, which is about no single one. */
function idsIn(text: string): readonly string[] {
  if (/^\s*\[|"items"\s*:\s*\[/.test(text)) return [];
  return Array.from(text.matchAll(ID), ([, id]) => id!);
}

/** The headers of a request; of credentials only their kind. */
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

/** A text as a page shows it: without secrets, and not too long. */
function show(text: string, secrets: readonly string[]): string {
  const open = cutSecrets(text, secrets).replace(ACCOUNT_NUMBER, `$1${CUT}`);
  return open.length > LONGEST ? `${open.slice(0, LONGEST)}${CUT}` : open;
}
