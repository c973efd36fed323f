import {
  AuthenticationError,
  meaningOf,
  RateLimitError,
  RefusedError,
  UnreachableError,
  type ValidationErrors,
} from '../errors/index.ts';
import type { Responded } from './attempt.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { failureOf, type Failed } from './failure.ts';
import { idsIn, objectIn, parse } from './json.ts';

/**
 * How long TOO_MANY_ATTEMPTS, and a 429 of something before the service, holds where it does not
 * say.
 */
const A_MINUTE = 60_000;

/** Longer responses give no more to an error than code and ids. */
const LONG_REFUSAL = 65_536;

/** What is read of the service's envelope; nothing in it is trusted to be there. */
interface Envelope {
  readonly traceId?: unknown;
  readonly data?: {
    readonly code?: unknown;
    readonly values?: unknown;
    readonly validationErrors?: unknown;
  } | null;
}

/**
 * Classifies a response that is no success: the service's refusal if it has the envelope, else that
 * of something before it.
 */
export function refuse(
  endpoint: AnyEndpoint,
  { status, text, sender }: Responded,
  body: string | undefined,
  retryAfter: number | undefined,
  block: number,
): Failed {
  const { traceId, data } = (parse(text, (json) => sender.redact(json, body)) ?? {}) as Envelope;
  const { code, values, validationErrors } = data ?? {};
  const isCode = typeof code === 'string' && /^\w{1,99}$/.test(code);
  const limited = isCode && code !== 'TOO_MANY_ATTEMPTS' ? block : A_MINUTE;
  const delay = retryAfter ?? (status === 429 ? limited : undefined);
  if (!isCode) return foreign(status, delay);
  const isLong = text.length > LONG_REFUSAL;
  const facts = {
    code,
    status,
    traceId: typeof traceId === 'string' ? traceId.slice(0, 100) : undefined,
    values: isLong ? idsIn(values) : objectIn(values),
    validationErrors: isLong ? undefined : (objectIn(validationErrors) as ValidationErrors),
    neededScope: (status === 403 && endpoint.scope) || undefined,
  };
  const about =
    status === 403 ? `needs the scope ${endpoint.scope}` : rulesIn(facts.validationErrors);
  const isServer = status >= 500;
  const refused = status === 429 ? RateLimitError : RefusedError;
  const { exists, transient } = meaningOf(code);
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

/** Which fields broke which rules; nothing of it is trusted to be there. */
function rulesIn(errors: ValidationErrors | undefined): string {
  const rules = Object.entries(errors ?? {}).map(([field, issues]) => {
    const code: unknown = issues?.[0]?.code;
    return typeof code === 'string' ? `${field} ${code}` : field;
  });
  return `${rules}`.slice(0, 200);
}

/** A response without the envelope: the service may have had the request or not. */
function foreign(status: number, delay: number | undefined): Failed {
  const hint = status === 404 ? '; check baseUrl (without /v1) and paths of createClient' : '';
  return failureOf(
    'NOT_FROM_SERVICE',
    `something before the service responded ${status}${hint}`,
    { status },
    { transient: status >= 500 || [408, 429].includes(status), delay },
  );
}
