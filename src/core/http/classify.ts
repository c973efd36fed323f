import {
  AuthenticationError,
  badField,
  type ErrorCause,
  validationErrorOf,
  validationErrorsOf,
} from '../errors/index.ts';
import { agreesWith, type Asked } from './agreement.ts';
import type { AttemptResult, NoResponse, Responded } from './attempt.ts';
import type { DriftCheck, Settings } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { type Classified, failureOf, type Failed } from './failure.ts';
import { idsIn, parse } from './json.ts';
import { refuse } from './refusal.ts';
import { retryAfter, serviceTime } from './retry-after.ts';

/** What was asked for, by name, and whether a response can be about it. */
interface Question {
  readonly url: string;
  readonly body: string | undefined;
  readonly asked: Asked;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

/**
 * Classifies one attempt: only a response with the service's envelope is a refusal of the service.
 */
export function classify(
  endpoint: AnyEndpoint,
  question: Question,
  result: AttemptResult,
  now: number,
  { rateLimits, drift }: Settings,
): Classified {
  if (result.reason) return failedWithout(result, question.url);
  const { status, headers } = result;
  if (status >= 200 && status < 300) return accept(endpoint, question, result, drift);
  if (status < 400) return failureOf('REDIRECT', 'a redirect came; check baseUrl', { status });
  const delay = [429, 503].includes(status)
    ? retryAfter(headers.get('retry-after'), serviceTime(headers, now))
    : undefined;
  return refuse(endpoint, result, question.body, delay, rateLimits[endpoint.bucket].block);
}

/**
 * An attempt without a response. A credential that could not be got is unreachable, not refused.
 */
function failedWithout(result: NoResponse, url: string): Failed {
  const { reason, status, isUnsent, login, cause } = result;
  const hasNoToken = reason === 'TOKEN_UNAVAILABLE';
  if (hasNoToken && login) {
    const { code, message, next = 'login' } = login;
    return { failure: { error: AuthenticationError, message, facts: { code, next } } };
  }
  const message = hasNoToken ? 'no token came' : `${lossOf(result)} ${hostOf(url)}${saidBy(cause)}`;
  return failureOf(reason, message, { status, cause }, { ambiguous: !isUnsent });
}

function lossOf({ isUnsent, status }: NoResponse): string {
  if (isUnsent) return 'no connection to';
  return status === undefined ? 'no response came from' : 'no whole response came from';
}

/** Host and port, for people: a path may be private, and so may what stands before the host. */
function hostOf(url: string): string {
  return new URL(url).host;
}

/** The runtime's code, or what Deno says in its place; a caller's `fetch` may say anything else. */
function saidBy({ code, message }: Partial<ErrorCause> = {}): string {
  const said = code ?? /client error \(\w+\): (.+)$/.exec(message ?? '')?.[1];
  return said && /^[\w .():-]+$/.test(said) ? `: ${said}` : '';
}

/**
 * A success is a response that the endpoint knows; any other 2xx may be of another server, and the
 * request may have had its effect.
 */
function accept(
  endpoint: AnyEndpoint,
  question: Question,
  { status, text, sender }: Responded,
  drift: DriftCheck | undefined,
): Classified {
  const { output, path, statuses } = endpoint;
  if (!text && (output ? output.mayBeEmpty : [202, 204, ...statuses].includes(status)))
    return { value: undefined };
  const json = parse(text);
  if (json === undefined)
    return failureOf('RESPONSE_NOT_JSON', 'the response is not JSON', { status });
  try {
    if (!output) throw badField('body', 'must be empty');
    const value = output.read(json);
    if (isAboutAnother(endpoint, question, value))
      return failureOf('RESPONSE_MISMATCH', 'the response is about something else', { status });
    const { asked } = question;
    if (output.schema) drift?.(path, output.schema, json, { asked, assumes: endpoint.assumes });
    return { value };
  } catch (thrown) {
    const { message, violations } = validationErrorOf(thrown);
    const values = idsIn(parse(text, (all) => sender.redact(all, question.body)));
    const facts = { status, values, validationErrors: validationErrorsOf(violations) };
    return failureOf('RESPONSE_INVALID', `invalid response: ${message}`, facts, {
      transient: !output,
    });
  }
}

/** The response names another thing than the one that was asked for. */
function isAboutAnother(endpoint: AnyEndpoint, { asked, fits }: Question, value: unknown): boolean {
  const { echo = {} } = endpoint;
  if (fits?.(value) === false || !agreesWith(endpoint, asked, value)) return true;
  return Object.entries(echo).some(([name, member]) => {
    const echoed = (value as Asked | null)?.[member];
    return (
      asked[name] !== undefined &&
      typeof echoed === 'string' &&
      echoed.toLowerCase() !== String(asked[name]).toLowerCase()
    );
  });
}
