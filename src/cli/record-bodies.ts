import type { LogEntry, Sandbox } from '../sandbox/index.ts';

/** The bodies of a request and its response, as far as a page shows them. */
interface Bodies {
  readonly requestBody?: string;
  readonly responseBody?: string;
  /** The service's code for a refusal. */
  readonly code?: string;
}

/** More of a request than its log entry has. */
interface Trace extends Bodies {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
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
/** Bytes of a body that are read for it. */
const READ = 65_536;

const CUT = '…';

/**
 * A sandbox whose log has the bodies of the last requests, without secrets. Everything else is that
 * of the given one.
 */
export function recordBodies(sandbox: Sandbox): RecordedSandbox {
  const traces = new Map<number, Trace>();
  const recorded = Object.create(sandbox) as RecordedSandbox; // getters of the sandbox stay getters
  const keep = (call: number, more: Partial<Trace>): void => {
    const before = traces.get(call);
    const about = new Set([...(before?.about ?? []), ...(more.about ?? [])]);
    traces.set(call, { ...before, ...more, about: [...about].slice(0, MAX_IDS) });
    traces.delete(call - MAX_TRACES);
    const old = traces.get(call - MAX_BODIES);
    if (old?.responseHeaders) traces.set(call - MAX_BODIES, { about: old.about, took: old.took! });
  };
  const fetch: Sandbox['fetch'] = (input, init) => {
    const sent = requestBody(input, init);
    const place = sandbox.log.length;
    const begunAt = performance.now();
    const answer = sandbox.fetch(input, init);
    const entry = sandbox.log[place]; // absent where the request was given up before it left
    if (entry) {
      const { call, path } = entry;
      keep(call, { about: path.match(UUID) ?? [], requestHeaders: headersOf(input, init) });
      const asked = sent
        .then((text) => text && keep(call, { requestBody: show(text), about: idsIn(text) }))
        .catch(() => {});
      void answer
        .then(async (response) => keep(call, await responseBodies(response)))
        .catch(() => {})
        .then(() => asked)
        .then(() => {
          keep(call, { took: performance.now() - begunAt });
          recorded.onEnd();
        });
    }
    return answer;
  };
  const log = (): readonly LogEntry[] =>
    sandbox.log.map((entry, at) =>
      sandbox.log.length - at > MAX_LOGGED
        ? entry
        : { ...entry, ...bodiesOf(traces.get(entry.call)) },
    );
  return Object.defineProperties(recorded, {
    fetch: { value: fetch },
    log: { get: log },
    entries: { get: () => sandbox.log },
    traceOf: { value: (call: number) => traces.get(call) },
    onEnd: { value: () => {}, writable: true },
  });
}

function bodiesOf({ requestBody, responseBody, code }: Partial<Trace> = {}): Bodies {
  return {
    ...(requestBody !== undefined && { requestBody }),
    ...(responseBody !== undefined && { responseBody }),
    ...(code !== undefined && { code }),
  };
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** Ids of a request that are kept. */
const MAX_IDS = 8;
/** A member that names a resource; accounts and the ids of a shop do not count. */
const ID =
  /"(?!issuerId|receiverId|payerId|accountId|correlationId)(\w*[iI]d)"\s*:\s*"([\da-f-]{36})"/g;

/** The resources that a body names; none for a page of a list, which is about no single one. */
function idsIn(text: string): readonly string[] {
  if (/^\s*\[|"items"\s*:\s*\[/.test(text)) return [];
  return Array.from(text.matchAll(ID), ([, , id]) => id!);
}

/** The headers of a request; of credentials only their kind. */
function headersOf(
  input: string | URL | Request,
  init: RequestInit = {},
): Readonly<Record<string, string>> {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}));
  const { authorization, ...others } = Object.fromEntries(headers);
  const [kind] = authorization?.split(' ') ?? [];
  return { ...(kind !== undefined && { authorization: `${kind} ${CUT}` }), ...others };
}

async function requestBody(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<string | undefined> {
  if (typeof init.body === 'string') return init.body;
  return input instanceof Request && input.body ? startOf(input.clone()) : undefined;
}

async function responseBodies(response: Response): Promise<Partial<Trace>> {
  const text = await startOf(response.clone());
  const responseHeaders = Object.fromEntries(response.headers);
  if (text === '') return { responseHeaders };
  const code = response.status < 400 ? undefined : codeIn(text);
  const about = idsIn(text);
  return { responseHeaders, responseBody: show(text), about, ...(code !== undefined && { code }) };
}

/** The beginning of a body, however long it is or wherever it breaks off. */
async function startOf({ body }: Request | Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  try {
    for (let length = 0; reader && length < READ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    void reader?.cancel().catch(() => {});
  } catch {
    // what came before the break is shown
  }
  return text;
}

function codeIn(text: string): string | undefined {
  try {
    const { data } = JSON.parse(text) as { readonly data?: { readonly code?: unknown } };
    return typeof data?.code === 'string' ? data.code : undefined;
  } catch {
    return undefined;
  }
}

const SECRETS =
  'secret|client_secret|clientSecret|apiKey|access_token|refresh_token|id_token|' +
  'accountNumber|password';
const IN_JSON = new RegExp(`("(?:${SECRETS})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'g');
const IN_FORM = new RegExp(`(^|&)(${SECRETS}|code|code_verifier|token)=[^&]*`, 'g');

/** A text as a page shows it: without secrets, and not too long. */
function show(text: string): string {
  const open = /^\s*[{[]/.test(text)
    ? text.replace(IN_JSON, `$1"${CUT}"`)
    : text.replace(IN_FORM, `$1$2=${CUT}`);
  return open.length > LONGEST ? `${open.slice(0, LONGEST)}${CUT}` : open;
}
