import { isHarmless } from '../errors/index.ts';
import type { CallOptions } from './call.ts';
import type { Connection, Priority } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { Failure } from './failure.ts';
import { type AnyJob, type CheckedRequest, nameOf } from './job.ts';
import type { Numbers } from './numbers.ts';
import { openRecord, type SendRecord } from './unknown-outcomes.ts';

/** One call under way: what it sends, and what its attempts came to. */
export interface CallState<Value = unknown> {
  readonly connection: Connection;
  readonly endpoint: AnyEndpoint;
  readonly job: AnyJob<Value>;
  readonly options: CallOptions & Numbers;
  readonly request: CheckedRequest;
  readonly priority: Priority;
  /** The request has no effect that matters. */
  readonly harmless: boolean;
  readonly record: SendRecord;
  /** When the call is over, monotonic milliseconds. */
  readonly end: number;
  /** Attempts of this call that may have their effect: from their sending on, until they are cleanly refused. */
  open: number;
  /** Attempts that ended before there was a credential. */
  unsent: number;
  /** What the service said of the first credential. */
  refusal: Failure | undefined;
}

/** Begins a call; throws where its name must not be sent any more. */
export function beginCall<Value>(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob<Value>,
  options: CallOptions & Numbers,
  request: CheckedRequest,
): CallState<Value> {
  const { clock, priority = 'high' } = connection;
  const name = nameOf(endpoint, job, request);
  const record = openRecord(connection, endpoint, name, request.body, job);
  const left = job.lifetime?.remaining(clock, record) ?? Infinity;
  return {
    connection,
    endpoint,
    job,
    options,
    request,
    priority: endpoint.bucket === 'execute' ? 'critical' : priority,
    harmless: isHarmless(endpoint.idempotency),
    record,
    end: clock.monotonic() + Math.min(options.callTimeout, left),
    open: 0,
    unsent: 0,
    refusal: undefined,
  };
}

/** Counts an attempt that may have its effect, or one that was cleanly refused. */
export function countOpen(call: CallState, by: 1 | -1): void {
  if (call.harmless) return;
  call.open += by;
  call.record.open += by;
}
