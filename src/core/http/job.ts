import { InputError, isHarmless, type RefusedError } from '../errors/index.ts';
import { validationErrorOf, validationErrorsOf } from '../errors/index.ts';
import { addressOf } from './address.ts';
import type { CallOptions } from './call.ts';
import { type Connection, internals } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { NameLifetime } from './unknown-outcomes.ts';

/** What one call sends, beside its endpoint. */
export interface Job<Where, Draft, Value> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /**
   * Turns "this exists already" into the original, in the time that `rest` leaves. Called after an
   * attempt of unknown outcome, of this call or an earlier one: `since` is when the first such
   * attempt was sent, in service time.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Value>;
  /** Whether a response can be about what was sent, for creations that give no name to compare. */
  fits?(value: Value): boolean;
  /** Resolves what exists also where no outcome is unknown. */
  readonly adopts?: boolean;
  /** Key or correlationId were made by this call: what was made under them is its own. */
  readonly isOwn?: boolean;
  /** How long the name may be sent for, where that is bounded. */
  readonly lifetime?: NameLifetime | undefined;
}

export type AnyJob<Value = unknown> = Job<unknown, unknown, Value>;

/** What every attempt of a call sends, and what a response is compared with. */
export interface CheckedRequest {
  readonly url: string;
  readonly method: AnyEndpoint['method'];
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** What was asked for, by name. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

/** Makes URL and body, checked before anything is sent. */
export function checkRequest(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob,
): CheckedRequest {
  const { baseUrl, settings } = connection[internals];
  const { method, operation, input } = endpoint;
  const { draft, correlationId, idempotencyKey } = job;
  const base = baseUrl();
  const where = job.where as Readonly<Record<string, unknown>>;
  try {
    return {
      url: addressOf(base, endpoint, where, settings.paths),
      method,
      body: JSON.stringify(input ? input.read(draft) : draft), // none for nothing
      idempotencyKey: idempotencyKey && checkIdempotencyKey(idempotencyKey),
      asked: { ...(draft as object | undefined), ...where },
      fits: job.fits,
    };
  } catch (thrown) {
    const { message, violations } = validationErrorOf(thrown);
    throw new InputError(`${operation}: ${message}; nothing was sent (INPUT_INVALID)`, {
      code: 'INPUT_INVALID',
      outcome: 'not-done',
      operation,
      next: 'fix-input',
      validationErrors: validationErrorsOf(violations),
      correlationId,
      idempotencyKey,
    });
  }
}

/**
 * What names the thing that is to happen once: its key, its correlationId, or the address of what
 * is to change.
 */
export function nameOf(
  { idempotency }: AnyEndpoint,
  { correlationId }: AnyJob,
  { idempotencyKey, url }: CheckedRequest,
): string | undefined {
  if (isHarmless(idempotency)) return undefined;
  const address = idempotency === 'same-request' ? url.toLowerCase() : undefined;
  return idempotencyKey ?? correlationId ?? address;
}
