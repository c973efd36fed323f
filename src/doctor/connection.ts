import {
  checkArgument,
  isPaystateError,
  type Open,
  type PaystateError,
} from '../core/errors/index.ts';
import { addressFault, isLoopback, plainAddress } from '../core/hosts.ts';
import {
  blockedFor,
  type Bucket,
  type Connection,
  type DriftCheck,
  type Endpoint,
  internals,
  quietly,
  send,
  serviceTime,
  withPriority,
} from '../core/http/index.ts';
import { parseUrl } from '../core/platform.ts';
import { printable } from '../core/text.ts';
import type { Drift } from '../resources/drift.ts';

/** Subject of a finding. */
export type FindingSubject =
  | 'address'
  | 'credential'
  | 'clock'
  | 'scopes'
  | 'limits'
  | 'drift'
  | 'webhooks';

/**
 * Verdict of a finding. `ok` means that there's nothing to do, and `problem` that something needs
 * fixing. `unknown` means that it couldn't be checked, and the message explains why.
 */
export type Verdict = 'ok' | 'problem' | 'unknown';

/** Finding codes, in the order of the checks. The guide explains each one. */
export type FindingCode =
  | 'ADDRESS_INVALID'
  | 'ADDRESS_HAS_VERSION'
  | 'ADDRESS_NOT_SECURE'
  | 'ADDRESS_UNREACHABLE'
  | 'ADDRESS_NOT_SERVICE'
  | 'ADDRESS_OK'
  | 'SERVICE_AWAY'
  | 'KEY_REFUSED'
  | 'TOKEN_UNAVAILABLE'
  | 'KEY_UNKNOWN'
  | 'KEY_OK'
  | 'CLOCK_WRONG'
  | 'CLOCK_UNKNOWN'
  | 'CLOCK_OK'
  | 'SCOPE_MISSING'
  | 'SCOPES_UNKNOWN'
  | 'SCOPES_OK'
  | 'BLOCKED'
  | 'RATE_LIMIT_USED'
  | 'LIMITS_UNKNOWN'
  | 'LIMITS_OK'
  | 'DRIFT_NEW'
  | 'DRIFT_BROKEN'
  | 'DRIFT_READ_FAILED'
  | 'DRIFT_UNREAD'
  | 'DRIFT_OK'
  | 'WEBHOOK_NONE'
  | 'WEBHOOK_DISABLED'
  | 'WEBHOOK_DOUBLED'
  | 'WEBHOOK_UNREACHABLE'
  | 'WEBHOOK_NOT_VERIFIED'
  | 'WEBHOOK_SECRET_INVALID'
  | 'WEBHOOK_SECRET_WRONG'
  | 'WEBHOOK_REFUSED'
  | 'WEBHOOK_UNKNOWN'
  | 'WEBHOOK_OK';

/** The result of one check. */
export interface Finding {
  /** Subject of the finding. */
  readonly subject: FindingSubject;
  /** Verdict of the check. */
  readonly verdict: Verdict;
  /** Code of the finding, for your program. */
  readonly code: Open<FindingCode>;
  /** Description of the finding and how to fix it. It's in English and contains no secrets. */
  readonly message: string;
  /** Service change that caused the finding. Absent for all other findings. */
  readonly drift?: Drift | undefined;
}

export function makeFinding(subject: FindingSubject) {
  return (verdict: Verdict, code: FindingCode, message: string): Finding => ({
    subject,
    verdict,
    code,
    message: printable(message),
  });
}

const addressFinding = makeFinding('address');
const clockFinding = makeFinding('clock');

/**
 * Checks the URL of the service without sending a request. Finds every mistake for which
 * `createClient` would throw.
 * @param baseUrl URL of the service, as for `createClient`
 *
 * @example
 * const { code } = checkAddress('https://payments.example/v1'); // 'ADDRESS_HAS_VERSION'
 */
export function checkAddress(baseUrl: string | URL): Finding {
  checkArgument('baseUrl', baseUrl instanceof URL ? baseUrl.href : (baseUrl ?? null), 'string');
  const url = parseUrl(String(baseUrl));
  const fault = addressFault(url, isLoopback(url?.hostname ?? ''));
  return fault
    ? addressFinding('problem', FAULTS[fault.rule], `the address ${fault.advice}`)
    : addressFinding('ok', 'ADDRESS_OK', plainAddress(url!));
}

const FAULTS = {
  shape: 'ADDRESS_INVALID',
  parts: 'ADDRESS_INVALID',
  version: 'ADDRESS_HAS_VERSION',
  insecure: 'ADDRESS_NOT_SECURE',
} as const;

export interface FailedRead {
  readonly error: PaystateError;
  readonly bucket: Bucket;
  /** Parameters of the failed read. */
  readonly where: object;
}

type ProbeResult<Value> =
  | { readonly value: Value; readonly failed?: undefined }
  | { readonly value?: undefined; readonly failed: FailedRead };

export type ReadEndpoint<Value = unknown> = Endpoint<never, void, Value>;

/** Sends the doctor's reads, without retries or long waits. */
export interface Probe {
  readonly connection: Connection;
  readonly signal: AbortSignal | undefined;
  /** Reads an endpoint once. Never throws, unless the signal aborts. */
  read<Value>(endpoint: ReadEndpoint<Value>, where: object): Promise<ProbeResult<Value>>;
  /** Returns the first successful read of an endpoint, or else its latest failure. */
  result<Value>(endpoint: ReadEndpoint<Value>): ProbeResult<Value> | undefined;
  /**
   * Returns how many milliseconds the client's clock is ahead of the service. Returns `undefined`
   * if no response had a `date` header.
   */
  ahead(): number | undefined;
}

/** Maximum time that a read may wait because of the rate limit, in milliseconds. */
const QUEUE_TIMEOUT_MS = 1_000;

/**
 * Creates a probe for a client. Its requests count toward the client's rate limits. `drift`
 * receives every response, including invalid ones.
 */
export function openProbe(
  client: Connection,
  signal: AbortSignal | undefined,
  drift: DriftCheck | undefined,
): Probe {
  const { connection, ahead } = timeResponses(client, drift);
  const options = { signal, maxAttempts: 1, queueTimeout: QUEUE_TIMEOUT_MS, reason: 'doctor' };
  const results = new Map<string, ProbeResult<unknown>>();
  const readOnce = async <Value>(
    endpoint: ReadEndpoint<Value>,
    where: object,
  ): Promise<ProbeResult<Value>> => {
    const any = showAll(endpoint, drift) as unknown as Endpoint<object, void, Value>;
    try {
      return { value: await send(connection, any, { where }, options) };
    } catch (thrown) {
      signal?.throwIfAborted();
      if (!isPaystateError(thrown)) throw thrown;
      return { failed: { error: thrown, bucket: endpoint.bucket, where } };
    }
  };
  return {
    connection,
    signal,
    ahead,
    result: <Value>({ operation }: ReadEndpoint<Value>) =>
      results.get(operation) as ProbeResult<Value> | undefined,
    async read<Value>(endpoint: ReadEndpoint<Value>, where: object) {
      const result = await readOnce(endpoint, where);
      if (results.get(endpoint.operation)?.failed !== undefined || !results.has(endpoint.operation))
        results.set(endpoint.operation, result);
      return result;
    },
  };
}

/**
 * Wraps an endpoint so the drift check also gets invalid responses. By default, it only gets valid
 * ones.
 */
function showAll<Value>(
  endpoint: ReadEndpoint<Value>,
  drift: DriftCheck | undefined,
): ReadEndpoint<Value> {
  const { output, path } = endpoint;
  if (!output || !drift) return endpoint;
  const read = (json: unknown) => {
    try {
      return output.read(json);
    } catch (thrown) {
      drift(path, output.schema, json);
      throw thrown;
    }
  };
  return { ...endpoint, output: { ...output, read } };
}

/** Average rounding error of an HTTP date, which is in whole seconds. */
const HALF_SECOND_MS = 500;

/**
 * Creates a connection that compares the client's clock with the `date` header of each response.
 * The fastest response gives the most accurate result. The reads don't affect watches or the
 * client's own drift check.
 */
function timeResponses(
  client: Connection,
  drift: DriftCheck | undefined,
): Pick<Probe, 'connection' | 'ahead'> {
  const inner = withPriority(quietly(client), 'low')[internals];
  const { clock, settings, authorize } = inner;
  let best: { readonly took: number; readonly ahead: number } | undefined;
  const compare = (headers: Headers, sentAt: number, took: number) => {
    const serviceNow = serviceTime(headers, NaN) + HALF_SECOND_MS;
    if (!Number.isNaN(serviceNow) && (!best || took < best.took))
      best = { took, ahead: sentAt + took / 2 - serviceNow };
  };
  const connection: Connection = {
    [internals]: {
      ...inner,
      settings: { ...settings, drift },
      async authorize(isRenewal) {
        const authorized = await authorize(isRenewal);
        return {
          ...authorized,
          async send(request) {
            const [sentAt, start] = [clock.now(), clock.monotonic()];
            const response = await authorized.send(request);
            compare(response.headers, sentAt, clock.monotonic() - start);
            return response;
          },
        };
      },
    },
  };
  return { connection, ahead: () => best?.ahead };
}

/**
 * Largest clock difference that isn't a problem, in milliseconds. The client itself tolerates two
 * minutes.
 */
const MAX_SKEW_MS = 60_000;

/** Returns the finding about the client's clock. `ahead` is in milliseconds. */
export function checkClock(ahead: number | undefined): Finding {
  if (ahead === undefined)
    return clockFinding(
      'unknown',
      'CLOCK_UNKNOWN',
      'the clock was not checked, because no response had a valid date',
    );
  if (Math.abs(ahead) <= MAX_SKEW_MS)
    return clockFinding('ok', 'CLOCK_OK', `this machine's clock agrees with the service's`);
  const difference = `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return clockFinding(
    'problem',
    'CLOCK_WRONG',
    `this machine's clock is ${difference} the service's: set it, because the clock decides when quotes expire and which events are new`,
  );
}

function formatDuration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

const FROM_ELSEWHERE: readonly string[] = ['NOT_FROM_SERVICE', 'REDIRECT', 'RESPONSE_NOT_JSON'];

export function isFromElsewhere({ code }: PaystateError): boolean {
  return FROM_ELSEWHERE.includes(code);
}

/**
 * Returns the finding for the failure that ended the reads. `isAnswered` is true if the service had
 * responded to an earlier read.
 */
export function describeEnd(
  client: Connection,
  { error, bucket }: FailedRead,
  isAnswered: boolean,
): Finding {
  const { code, status, kind, message, retryAt } = error;
  const until = retryAt === undefined ? '' : ` until ${new Date(retryAt).toISOString()}`;
  if (status === 429 || (kind === 'limited' && blockedFor(client, bucket) > 0))
    return makeFinding('limits')(
      'problem',
      'BLOCKED',
      `the service blocks this machine${until}, because it sent too many requests: send fewer, or send all of them from one machine`,
    );
  if (kind === 'limited')
    return makeFinding('limits')(
      'problem',
      'RATE_LIMIT_USED',
      `this client has used up its rate limit${until}: check again later`,
    );
  if (status === 401)
    return makeFinding('credential')(
      'problem',
      'KEY_REFUSED',
      `the service rejects this ${client[internals].canLogIn ? 'token' : 'key'}`,
    );
  if (kind === 'authentication' || code === 'TOKEN_UNAVAILABLE')
    return makeFinding('credential')(
      'problem',
      'TOKEN_UNAVAILABLE',
      `the client could not get a token: ${message}`,
    );
  if (isAnswered || (status !== undefined && !isFromElsewhere(error)))
    return addressFinding(
      isAnswered ? 'unknown' : 'problem',
      'SERVICE_AWAY',
      `the service is unavailable: ${message}`,
    );
  const answer = status === undefined ? '' : ` (status ${status})`;
  if (isFromElsewhere(error))
    return addressFinding(
      'problem',
      'ADDRESS_NOT_SERVICE',
      `the server at this URL is not the service${answer}: check the URL, and anything between this machine and the service`,
    );
  return addressFinding(
    'problem',
    'ADDRESS_UNREACHABLE',
    `there was no response from this URL: ${message}`,
  );
}

/**
 * Returns the finding about the client's URL. It may be invalid, because a path such as `/pay` only
 * works in a browser.
 */
export function describeAddress(client: Connection): Finding {
  try {
    return checkAddress(client[internals].baseUrl());
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return addressFinding('problem', 'ADDRESS_INVALID', thrown.message);
  }
}
