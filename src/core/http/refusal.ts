import { meaningOf, type ValidationErrors } from '../errors/index.ts';
import type { Responded } from './attempt.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { failed, type Failed } from './failure.ts';
import { idsIn, objectIn, parse } from './json.ts';

/** How long TOO_MANY_ATTEMPTS is respected where the service does not say. */
const A_MINUTE = 60_000;

/** Longer responses give no more to an error than code and ids. */
const LONG_REFUSAL = 65_536;

/** What is read of the service's envelope; nothing in it is trusted to be there. */
interface Envelope {
  readonly traceId?: unknown;
  readonly data?: EnvelopeData | null;
}

interface EnvelopeData {
  readonly code?: unknown;
  readonly values?: unknown;
  readonly validationErrors?: unknown;
}

/** Classifies a response that is no success: the service's refusal if it has the envelope, else that of something before it. */
export function refuse(
  endpoint: AnyEndpoint,
  { status, text, sender }: Responded,
  body: string | undefined,
  retryAfter: number | undefined,
  block: number,
): Failed {
  const { traceId, data } = (parse(text, (json) => sender.redact(json, body)) ?? {}) as Envelope;
  const limited = data?.code === 'TOO_MANY_ATTEMPTS' ? A_MINUTE : block;
  const delay = retryAfter ?? (status === 429 ? limited : undefined);
  if (typeof data?.code !== 'string' || !/^\w{1,99}$/.test(data.code))
    return foreign(status, delay);
  const { code } = data;
  const isServer = status >= 500;
  const { exists, transient } = meaningOf(code);
  const facts = {
    code,
    status,
    traceId: typeof traceId === 'string' ? traceId.slice(0, 100) : undefined,
    ...detailsOf(data, text.length > LONG_REFUSAL),
    neededScope: (status === 403 && endpoint.scope) || undefined,
  };
  const about = status === 403 ? `needs the scope ${endpoint.scope}` : fieldsOf(facts);
  return {
    failure: {
      kind: status === 401 ? 'authentication' : isServer ? 'unreachable' : 'refused',
      message: `${code} ${about}`.trim(),
      facts,
      ambiguous: isServer,
      exists: !isServer && exists,
      transient: isServer || transient,
      delay,
    },
  };
}

/** A response without the envelope: the service may have had the request or not. */
function foreign(status: number, delay: number | undefined): Failed {
  const hint = status === 404 ? '; check baseUrl (without /v1) and paths of createClient' : '';
  return failed(
    'NOT_FROM_SERVICE',
    `something before the service responded ${status}${hint}`,
    { status },
    { transient: status >= 500 || status === 408 || status === 429, delay },
  );
}

function detailsOf({ values, validationErrors }: EnvelopeData, isLong: boolean) {
  return isLong
    ? { values: idsIn(values) }
    : {
        values: objectIn(values),
        validationErrors: objectIn(validationErrors) as ValidationErrors | undefined,
      };
}

function fieldsOf({ validationErrors = {} }: { readonly validationErrors?: object | undefined }) {
  return Object.keys(validationErrors).join(', ').slice(0, 200);
}
