import type { AttemptResult, CheckedRequest, RequestView } from '../core/http/index.ts';
import type { RecordedExchange, RecordedResponse } from './recording.ts';

// Turns requests and responses into entries of a recording, without their secrets.

/** What of a request is recorded and compared. */
interface SentRequest {
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

/** Shorter texts are no secrets: they occur in too many words. */
const SHORTEST = 8;
/** What is written in the place of a secret. */
export const CUT = '[secret]';

/**
 * Members that hold secrets: of the service, of its login server and of a relay. A text may end in
 * the middle of one.
 */
const IN_JSON =
  /("(?:(?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|authorization|pre_?image)"\s*:\s*")((?:[^"\\]|\\.)*)("|$)/gi;
const IN_FORM =
  /(^|[?&])((?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|code|pre_?image)=[^&]*/gi;

/** Most texts hold none of these words, which is found out faster than by the expressions above. */
const SUSPICIOUS =
  /secret|password|api_?key|token"|token=|verifier|authorization|image"|[?&]|^code=/i;

/** Returns a text without secrets, also where it ends in the middle of one. */
export function cutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets)
    for (const form of new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]))
      rest = withoutBegun(rest.replaceAll(form, CUT), form);
  if (!SUSPICIOUS.test(rest)) return rest;
  return rest.replace(IN_JSON, `$1${CUT}$3`).replace(IN_FORM, `$1$2=${CUT}`);
}

/** A text whose end is not the beginning of a secret. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + CUT;
  return text;
}

/** Headers that a client reads of every response, and those that it reads of a failed one. */
const HEADERS: readonly string[] = ['date'];
const HEADERS_OF_FAILURES: readonly string[] = ['date', 'content-type', 'retry-after'];

/** Keeps the headers of a response that a client reads. Each costs it a microsecond. */
export function headersOf(headers: Headers, status: number): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of status < 400 ? HEADERS : HEADERS_OF_FAILURES) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}

/** Begins the entry of a client's attempt. */
export function exchangeOf(view: RequestView, request: CheckedRequest): RecordedExchange {
  const { url, method, body, idempotencyKey } = request;
  return {
    method,
    path: url.includes('?')
      ? pathWithQuery(url)
      : url.slice(url.indexOf('/', url.indexOf('//') + 2)),
    body: body && cutSecrets(body, []),
    idempotencyKey,
    sentAt: view.sentAt,
  };
}

/** `URL` writes queries in its own way, by which a recording is compared. */
function pathWithQuery(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return cutSecrets(pathname + search, []);
}

/**
 * Says how an attempt ended.
 *
 * @param most longest body that is kept, characters
 */
export function endOf(
  result: AttemptResult,
  sent: string | undefined,
  when: Pick<RecordedResponse, 'delay' | 'order'>,
  most: number,
): Pick<RecordedExchange, 'response' | 'failure'> {
  if (result.reason === undefined) {
    const { status, text, sender } = result;
    const headers = headersOf(result.headers, status);
    const whole = cutSecrets(sender.redact(text, sent), []);
    if (whole.length <= most)
      return { response: { status, headers, body: whole, end: 'whole', ...when } };
    return { response: { status, headers, body: whole.slice(0, most), end: 'cut', ...when } };
  }
  const { reason, status, cause } = result;
  if (status !== undefined)
    return { response: { status, headers: {}, body: '', end: ENDS[reason] ?? 'broken', ...when } };
  if (reason !== 'UNREACHABLE' && reason !== 'OFFLINE') return {};
  const { name = 'Error', message = reason } = cause ?? {};
  return { failure: { name, message: cutSecrets(message, []), ...when } };
}

const ENDS: Readonly<Record<string, RecordedResponse['end']>> = {
  RESPONSE_TOO_LARGE: 'cut',
  TIMEOUT: 'unfinished',
  ABORTED: 'unfinished',
};
