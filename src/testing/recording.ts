/**
 * What a client asked and what it got, without its secrets. Plain data: `JSON.stringify` makes a
 * file of it. It holds amounts, names and numbers of accounts: treat it like a log.
 */
export interface Recording {
  /** Form of the recording. */
  readonly version: 1;
  /** In the order in which they were sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** How many older ones were dropped to stay within the limit. */
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
  /** What was thrown where no response came; absent too where the request was aborted. */
  readonly failure?: RecordedFailure | undefined;
}

/** A response as far as it was read. */
export interface RecordedResponse {
  /** HTTP status. */
  readonly status: number;
  /** `content-type`, `date` and `retry-after`, as far as they came. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body: string;
  /** `broken`: the connection broke off · `cut`: it was longer than is kept. */
  readonly end: 'whole' | 'broken' | 'cut';
  /** Milliseconds until its headers came. */
  readonly delay: number;
}

/** Why no response came, in the runtime's words. */
export interface RecordedFailure {
  /** Such as `TypeError`. */
  readonly name: string;
  /** In the runtime's own words. */
  readonly message: string;
  /** Milliseconds until it was thrown. */
  readonly delay: number;
}

/** A `fetch`, as a client and the platform take it. */
export type RecordedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** What of a request is recorded and compared. */
export interface SentRequest {
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
  const inner = /^basic$/i.test(scheme) ? passwordIn(value) : undefined;
  return [value, inner ?? ''];
}

function passwordIn(base64: string): string | undefined {
  try {
    return /:(.*)$/.exec(atob(base64))?.[1];
  } catch {
    return undefined; // no base64
  }
}

/** Shorter texts are no secrets, and stand in too many words. */
const SHORTEST = 8;
const CUT = '[secret]';

/** Members that hold secrets, of the service and of its login server; also one that is cut off. */
const IN_JSON =
  /("(?:secret|client_secret|password|api_?key|(?:access_|refresh_|id_)?token|code_verifier)"\s*:\s*")((?:[^"\\]|\\.)*)("|$)/gi;
const IN_FORM =
  /(^|[?&])(secret|client_secret|password|api_?key|(?:access_|refresh_|id_)?token|code_verifier|code)=[^&]*/gi;

/** A text without secrets, also where it ends in the middle of one. */
export function cutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets)
    for (const form of new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]))
      rest = withoutBegun(rest.replaceAll(form, CUT), form);
  return rest.replace(IN_JSON, `$1${CUT}$3`).replace(IN_FORM, `$1$2=${CUT}`);
}

/** A text whose end is not the beginning of a secret. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + CUT;
  return text;
}
