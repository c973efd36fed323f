import type { AttemptResult, CheckedRequest, RequestView } from '../core/http/index.ts';
import type { RecordedExchange, RecordedResponse } from './recording.ts';
import { cutSecrets, secretsIn } from './secrets.ts';

/** The part of a request that's recorded and then compared in replays. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Credential of the request and the secrets in its body. They're never stored. */
  readonly secrets: readonly string[];
}

export async function readSent(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<SentRequest> {
  const request = typeof input === 'object' && 'method' in input ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  const url = new URL(request?.url ?? `${input as string | URL}`, 'http://localhost');
  const text = await readBody(init.body ?? undefined, request);
  const secrets = secretsIn(headers.get('authorization') ?? '', text ?? '');
  return {
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    path: cutSecrets(`${url.pathname}${url.search}`, secrets),
    body: text === undefined ? undefined : cutSecrets(text, secrets),
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
    secrets,
  };
}

async function readBody(
  body: BodyInit | undefined,
  request: Request | undefined,
): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body instanceof ReadableStream) return '[stream]';
  if (body !== undefined) return new Response(body).text();
  return request && !/^(GET|HEAD)$/i.test(request.method) ? request.clone().text() : undefined;
}

/**
 * Headers that a client reads from every response. For errors, it reads those in
 * `HEADERS_OF_FAILURES`.
 */
const HEADERS: readonly string[] = ['date'];
const HEADERS_OF_FAILURES: readonly string[] = ['date', 'content-type', 'retry-after'];

/**
 * Returns the response headers that a client reads. Other headers aren't recorded, because reading
 * each one takes a microsecond.
 */
function keptHeaders(headers: Headers, status: number): Readonly<Record<string, string>> {
  const names = status < 400 ? HEADERS : HEADERS_OF_FAILURES;
  const found = names.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

export function beginExchange(view: RequestView, request: CheckedRequest): RecordedExchange {
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

/** Normalizes the query as `URL` does, because replays compare it in this form. */
function pathWithQuery(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return cutSecrets(pathname + search, []);
}

/**
 * Returns the recorded result of an attempt.
 * @param most maximum length of a recorded body, in characters
 */
export function endExchange(
  result: AttemptResult,
  sent: string | undefined,
  when: Pick<RecordedResponse, 'delay' | 'order'>,
  most: number,
): Pick<RecordedExchange, 'response' | 'failure'> {
  if (result.reason === undefined) {
    const { status, text, sender } = result;
    const headers = keptHeaders(result.headers, status);
    const whole = cutSecrets(sender.redact(text, sent), []);
    const end = whole.length <= most ? 'whole' : 'cut';
    return { response: { status, headers, body: whole.slice(0, most), end, ...when } };
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

/** Records a response. Clones it immediately, because the client will read the original. */
export function readResponse(
  response: Response,
  when: Pick<RecordedResponse, 'delay' | 'order'>,
  most: number,
): (secrets: readonly string[]) => Promise<RecordedResponse> {
  const { status, headers } = response;
  const copy = readUpTo(response.clone(), most);
  return async (secrets) => {
    const { text, end } = await copy;
    const kept = keptHeaders(headers, status);
    return { status, headers: kept, body: cutSecrets(text, secrets), end, ...when };
  };
}

export async function readUpTo(
  { body }: Response,
  most: number,
): Promise<{ readonly text: string; readonly end: RecordedResponse['end'] }> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  let size = 0;
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, most - size), { stream: true });
      size += value.byteLength;
      if (size <= most) continue;
      reader.cancel().catch(() => {});
      return { text, end: 'cut' };
    }
    return { text: text + decoder.decode(), end: 'whole' };
  } catch {
    return { text, end: 'broken' };
  }
}
