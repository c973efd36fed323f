import { meaningOf, nextOf, type PaystateError } from '../errors/index.ts';
import type { CallState } from './call-state.ts';
import { CALL_ERRORS, type Failure } from './failure.ts';

/** Makes the error that a call ends with; what stays unknown is remembered beyond the call. */
export function endWith(call: CallState, found: Failure, attempts: number): PaystateError {
  const { connection, endpoint, job, record, refusal } = call;
  const { method, path, idempotency } = endpoint;
  const isUnrenewed = found.facts.code === 'TOKEN_UNAVAILABLE'; // no other credential: the service's refusal stands
  const { kind, message, facts, delay } = (isUnrenewed && refusal) || found;
  const isSettled = isSettledBy(call, facts.code);
  const outcome = isSettled ? 'not-done' : 'unknown';
  if (!isSettled) record.keep();
  const mayRenew = refusal && (found === refusal || (isUnrenewed && found.kind === 'unreachable'));
  return new CALL_ERRORS[kind](`${method} ${path}: ${message}`, {
    ...facts,
    outcome,
    attempts: attempts - call.unsent,
    next: facts.next ?? (mayRenew && isSettled ? 'retry' : nextOf(idempotency, facts, outcome)),
    correlationId: job.correlationId,
    idempotencyKey: job.idempotencyKey,
    retryAt: delay === undefined ? delay : connection.clock.now() + delay,
    maybeCreated: (!isSettled && idempotency === 'none') || undefined,
  });
}

/** Nothing was done: no attempt may have its effect, or the thing is in a state that none of them leads to. */
function isSettledBy({ endpoint, record }: CallState, code: string): boolean {
  const { isUnknown, isState, exists } = meaningOf(code);
  const isOther = isState && !exists && meaningOf(endpoint.original?.code ?? '').isState;
  return !isUnknown && (record.open === 0 || isOther === true);
}
