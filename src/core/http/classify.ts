import {
  AuthenticationError,
  badField,
  type ErrorCause,
  type ErrorFacts,
  mayPass,
  findMeaning,
  type PaystateError,
  RateLimitError,
  RefusedError,
  ResponseError,
  type ServiceWords,
  UnreachableError,
  toValidationError,
  type ValidationErrors,
  type ValidationIssue,
  toValidationErrors,
} from '../errors/index.ts';
import { parseJson } from '../platform.ts';
import { agreesWith } from './agreement.ts';
import type { AttemptResult, NoResponse, Responded } from './attempt.ts';
import type { CheckedRequest } from './call.ts';
import {
  type Connection,
  type DriftCheck,
  type DriftSubject,
  type Settings,
  type Slot,
  slotState,
  internals,
} from './connection.ts';
import type { AnyEndpoint, Asked } from './endpoint.ts';

export interface Failure {
  /** Error class to throw if the failure ends the call. */
  readonly error: new (
    message: string,
    facts: ErrorFacts,
  ) => PaystateError;
  readonly message: string;
  readonly facts: Omit<ErrorFacts, 'outcome'>;
  /** Set if the request may have had an effect even though it failed. */
  readonly ambiguous?: boolean | undefined;
  /**
   * Set if the service reports that the resource exists or is being processed, possibly because of
   * this request.
   */
  readonly exists?: boolean | undefined;
  /** Set if a retry may succeed. */
  readonly transient?: boolean | undefined;
  /** Milliseconds until the service will accept requests again. */
  readonly delay?: number | undefined;
}

export type Classified = Failed | { readonly failure?: undefined; readonly value: unknown };

interface Failed {
  readonly failure: Failure;
  readonly value?: undefined;
}

export function makeFailure(
  code: string,
  message: string,
  facts?: Partial<ErrorFacts>,
  more?: Partial<Failure>,
): Failed {
  const { kind, transient } = findMeaning(code);
  const error = kind ? ResponseError : UnreachableError;
  return {
    failure: { error, message, facts: { code, ...facts }, ambiguous: true, transient, ...more },
  };
}

type Times = Pick<DriftSubject, 'sentAt' | 'receivedAt'>;

/**
 * Classifies the result of an attempt. An error response only counts as a refusal by the service if
 * it has the service's error format.
 */
export function classify(
  endpoint: AnyEndpoint,
  request: CheckedRequest,
  result: AttemptResult,
  now: number,
  { rateLimits, drift }: Settings,
  times: Times,
): Classified {
  if (result.reason) return failedWithout(result, request.url);
  const { status, headers } = result;
  if (status >= 200 && status < 300) return accept(endpoint, request, result, drift, times);
  if (status < 400)
    return makeFailure('REDIRECT', 'the response is a redirect; check baseUrl', { status });
  const delay = [429, 503].includes(status)
    ? retryAfter(headers.get('retry-after'), serviceTime(headers, now))
    : undefined;
  return refuse(endpoint, result, request.body, delay, rateLimits[endpoint.bucket].block, drift);
}

/**
 * Classifies an attempt without a response. If the token couldn't be fetched, the failure counts as
 * unreachable, not as refused.
 */
function failedWithout(result: NoResponse, url: string): Failed {
  const { reason, status, isSent, login, cause } = result;
  const hasNoToken = reason === 'TOKEN_UNAVAILABLE';
  if (hasNoToken && login) {
    const { code, message, next = 'login' } = login;
    return { failure: { error: AuthenticationError, message, facts: { code, next } } };
  }
  const noResponse = status === undefined ? 'no response from' : 'incomplete response from';
  const message = hasNoToken
    ? 'could not get a token'
    : // Only the host is included, because the rest of the URL may be private.
      `${isSent ? noResponse : 'no connection to'} ${new URL(url).host}${runtimeCodeIn(cause)}`;
  return makeFailure(reason, message, { status, cause }, { ambiguous: isSent });
}

/**
 * Returns the runtime's error code, or the part of Deno's message that describes the error. Other
 * messages aren't used, because they may come from the caller's `fetch`.
 */
function runtimeCodeIn({ code, message }: Partial<ErrorCause> = {}): string {
  const said = code ?? /client error \(\w+\): (.+)$/.exec(message ?? '')?.[1];
  return said && /^[\w .():-]+$/.test(said) ? `: ${said}` : '';
}

/**
 * Accepts a successful response if its body matches the endpoint. Any other 2xx response may come
 * from a different server, which leaves the outcome unknown.
 */
function accept(
  endpoint: AnyEndpoint,
  request: CheckedRequest,
  response: Responded,
  drift: DriftCheck | undefined,
  times: Times,
): Classified {
  const { output, path, statuses } = endpoint;
  const { status, text } = response;
  if (!text && (output ? output.mayBeEmpty : [202, 204, ...statuses].includes(status)))
    return { value: undefined };
  const json = parseJson(text);
  if (json === undefined)
    return makeFailure('RESPONSE_NOT_JSON', 'the response is not JSON', { status });
  try {
    if (!output && !isOfService(endpoint, status, json)) throw badField('body', 'must be empty');
    const value = output?.read(json);
    if (isAboutAnother(endpoint, request, value, json))
      return makeFailure('RESPONSE_MISMATCH', 'the response does not belong to this request', {
        status,
      });
    const { asked } = request;
    if (output?.schema) drift?.(path, output.schema, json, { asked, endpoint, ...times });
    return { value };
  } catch (thrown) {
    const { message, violations } = toValidationError(thrown);
    const values = idsIn(parseRedacted(response, request.body));
    const facts = { status, values, validationErrors: toValidationErrors(violations) };
    return makeFailure('RESPONSE_INVALID', `invalid response: ${message}`, facts, {
      transient: !output,
    });
  }
}

/**
 * Checks whether an unexpected body could come from the service, based on the status code or on an
 * id or state in the body.
 */
function isOfService({ statuses }: AnyEndpoint, status: number, json: unknown): boolean {
  const body = objectIn(json);
  return !!body && (statuses.includes(status) || !!idsIn(body) || 'state' in body);
}

/**
 * Checks whether the response describes a different resource. Compares the raw response, because
 * the schema may have removed fields.
 */
function isAboutAnother(
  endpoint: AnyEndpoint,
  { asked, fits }: CheckedRequest,
  value: unknown,
  json: unknown,
): boolean {
  const { agrees, echo = {} } = endpoint;
  if (fits?.(value) === false || (agrees && !agreesWith(endpoint, asked, json))) return true;
  return Object.keys(echo).some((name) => {
    const echoed = ((value ?? json) as Asked | null)?.[echo[name]!];
    return (
      asked[name] !== undefined &&
      typeof echoed === 'string' &&
      echoed.toLowerCase() !== String(asked[name]).toLowerCase()
    );
  });
}

/**
 * Assumed duration of a block without `Retry-After`, if it's reported by `TOO_MANY_ATTEMPTS` or by
 * a proxy's 429.
 */
const FOREIGN_BLOCK_MS = 60_000;

/**
 * Maximum length of an error response in characters. For longer responses, the error contains only
 * the code and ids.
 */
const MAX_REFUSAL_LENGTH = 65_536;

/**
 * Codes that say no more than the HTTP status. Errors with these codes include the service's
 * message.
 */
const WORDLESS = /^(UNPROCESSABLE_ENTITY|BAD_GATEWAY|GATEWAY_TIMEOUT)$/;

/**
 * The format of the service's error responses. Any field may be missing or have an unexpected type.
 */
interface Envelope {
  readonly traceId?: unknown;
  readonly debug?: unknown;
  readonly data?: {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly values?: unknown;
    readonly validationErrors?: unknown;
  } | null;
}

/**
 * Classifies an error response as a refusal by the service if it has the service's error format.
 * Any other error response counts as a proxy's.
 */
function refuse(
  endpoint: AnyEndpoint,
  response: Responded,
  body: string | undefined,
  retryAfter: number | undefined,
  block: number,
  drift: DriftCheck | undefined,
): Failed {
  const { status, text, sender } = response;
  const envelope = (parseRedacted(response, body) ?? {}) as Envelope;
  const { traceId, data, debug } = envelope;
  const { code, message, values, validationErrors } = data ?? {};
  const isCode = typeof code === 'string' && /^\w{1,99}$/.test(code);
  const limited = isCode && code !== 'TOO_MANY_ATTEMPTS' ? block : FOREIGN_BLOCK_MS;
  const delay = retryAfter ?? (status === 429 ? limited : undefined);
  if (!isCode) return notFromService(status, delay, sender.excerpt(text, body));
  const isLong = text.length > MAX_REFUSAL_LENGTH;
  if (!isLong) tellRefusal(drift, endpoint.path, envelope);
  const facts = {
    code,
    status,
    traceId: typeof traceId === 'string' ? traceId.slice(0, 100) : undefined,
    values: isLong ? idsIn(values) : objectIn(values),
    validationErrors: isLong ? undefined : brokenRulesIn(validationErrors),
    neededScope: (status === 403 && endpoint.scope) || undefined,
    service: isLong ? undefined : wordsIn(message, objectIn(debug)),
  };
  const about =
    status === 403
      ? `needs the scope ${endpoint.scope}`
      : rulesIn(facts.validationErrors) ||
        (WORDLESS.test(code) && sender.excerpt(facts.service?.message ?? '', body));
  const isServer = status >= 500;
  const refused = status === 429 ? RateLimitError : RefusedError;
  const { exists, transient } = findMeaning(code);
  return {
    failure: {
      error: status === 401 ? AuthenticationError : isServer ? UnreachableError : refused,
      message: about ? `refused: ${about}` : 'refused',
      facts,
      ambiguous: isServer,
      exists: !isServer && exists,
      transient: isServer || transient,
      delay,
    },
  };
}

function wordsIn(message: unknown, debug: ServiceWords['debug']): ServiceWords | undefined {
  return typeof message === 'string' ? { message, ...(debug && { debug }) } : undefined;
}

/** Passes a refusal to the drift check. Errors thrown by the check are ignored. */
function tellRefusal(drift: DriftCheck | undefined, path: string, envelope: Envelope): void {
  try {
    drift?.(path, undefined, envelope);
  } catch {
    // The call already fails because of the refusal.
  }
}

/** Returns the validation errors by field. Omits malformed parts of the response. */
function brokenRulesIn(given: unknown): ValidationErrors | undefined {
  const fields = Object.entries(objectIn(given) ?? {}).flatMap(([field, issues]) => {
    const rules = Array.isArray(issues) ? issues.flatMap(ruleIn) : [];
    return rules.length > 0 ? [[field, rules] as const] : [];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function ruleIn(issue: unknown): readonly ValidationIssue[] {
  const { code, message, values } = objectIn(issue) ?? {};
  if (typeof code !== 'string') return [];
  const text = typeof message === 'string' ? message : code;
  const rule = { ...(issue as object), code, message: text };
  return [values === undefined ? rule : { ...rule, values: objectIn(values) }];
}

function rulesIn(errors: ValidationErrors | undefined): string {
  const rules = Object.entries(errors ?? {}).map(([field, [rule]]) => `${field} ${rule!.code}`);
  return `${rules}`.slice(0, 200);
}

/**
 * Creates the failure for a response that isn't in the service's error format. The service may have
 * received the request.
 */
function notFromService(
  status: number,
  delay: number | undefined,
  excerpt: string | undefined,
): Failed {
  const hint = status === 404 ? '; check baseUrl (without /v1) and paths of createClient' : '';
  return makeFailure(
    'NOT_FROM_SERVICE',
    `the response came from something in between, such as a proxy, not the service${hint}`,
    { status, excerpt },
    { transient: mayPass(status), delay },
  );
}

/** Maximum wait taken from a `Retry-After` header. The service's longest block is one hour. */
const LONGEST_WAIT_MS = 65 * 60_000;

/**
 * Parses an HTTP date in any of the three formats in RFC 9110 5.6.7. Returns milliseconds since
 * 1970.
 */
export function httpDate(text: string): number | undefined {
  const form =
    /^(?=Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[A-Z][a-z]+, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d\d|\d{4}) ([\d:]{8}) GMT|[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) ([\d:]{8}) (\d{4}))$/;
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [, day = parts[6], month = parts[5], year = parts[8]!, time = parts[7]] = parts;
  // Runtimes interpret two-digit years differently.
  const century = year.length === 4 ? '' : year < '70' ? '20' : '19';
  const at = Date.parse(`${day!.trim()} ${month} ${century}${year} ${time} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Returns the service's time from the `Date` header (RFC 9110 6.6.1), or `now` if the page can't
 * read the header because of CORS.
 */
export function serviceTime(headers: Headers, now: number): number {
  return httpDate(headers.get('date') ?? '') ?? now;
}

interface SaidTime {
  date: number;
  at: number;
  wall: number;
}

const SERVICE_TIME: Slot<SaidTime> = {
  name: 'core.service-time',
  make: () => ({ date: -Infinity, at: 0, wall: 0 }),
};

/**
 * Assumed minimum speed of the service's clock relative to ours. It's below 1, so a service clock
 * that was set back is eventually trusted again.
 */
const SLOWEST_CLOCK = 0.99;
const DATE_PRECISION_MS = 1_000;

/**
 * Returns the age of a cached response in milliseconds, measured up to the time of its request.
 * Returns 0 if the response was created for the request. A response is cached if it has an `Age`
 * header (RFC 9111 5.1) or a `Date` before the service's latest known time. Doesn't rely on the
 * local wall clock, which may be wrong.
 */
export function measureAge(
  connection: Connection,
  { headers }: Responded,
  sentAt: number,
  receivedAt: number,
): number {
  const said = slotState(connection, SERVICE_TIME);
  const latestAt = (at: number) => said.date + SLOWEST_CLOCK * (at - said.at);
  const date = serviceTime(headers, NaN);
  const behind = latestAt(sentAt) - date - DATE_PRECISION_MS;
  const wall = connection[internals].clock.now();
  if (date > latestAt(receivedAt)) Object.assign(said, { date, at: receivedAt, wall });
  else if (behind <= 0) {
    // Unless the machine slept, a wall clock that advanced further than the monotonic clock has
    // been set.
    const unset = wall - (receivedAt - said.at);
    if (unset > said.wall + DATE_PRECISION_MS) said.wall = unset;
  }
  const [seconds = '0'] = /^\d{1,10}/.exec(headers.get('age') ?? '') ?? [];
  return Math.max(0, behind || 0, 1_000 * Number.parseInt(seconds));
}

/**
 * Estimates the service's current time, at most one second ahead. Returns `undefined` if no
 * response had a `Date`. Uses whichever local clock has advanced further, because the monotonic
 * clock may stop during sleep.
 */
export function serviceNow(connection: Connection): number | undefined {
  const { clock } = connection[internals];
  const { date, at, wall } = slotState(connection, SERVICE_TIME);
  if (date === -Infinity) return undefined;
  return date + DATE_PRECISION_MS - 1 + Math.max(clock.monotonic() - at, clock.now() - wall);
}

/**
 * Parses a `Retry-After` header (RFC 9110 10.2.3), which contains a number of seconds or an HTTP
 * date. Returns the milliseconds to wait.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? +text * 1_000 : (httpDate(text) ?? NaN) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST_WAIT_MS);
}

/** Parses JSON after removing the request's secrets, so they can't end up in an error. */
function parseRedacted({ text, sender }: Responded, body: string | undefined): unknown {
  try {
    return JSON.parse(sender.redact(JSON.stringify(JSON.parse(text)), body)) as unknown;
  } catch {
    return undefined; // invalid JSON, or nested too deeply
  }
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Returns the ids in an unusable response, so the caller can look up the resource. */
function idsIn(json: unknown): Record<string, unknown> | undefined {
  const ids = Object.entries(objectIn(json) ?? {}).filter(
    ([name, id]) =>
      /^(\w{1,40}I|i)d$/.test(name) && typeof id === 'string' && /^[\w.-]{1,100}$/.test(id),
  );
  return ids.length === 0 ? undefined : Object.fromEntries(ids.slice(0, 10));
}
