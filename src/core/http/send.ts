import { type Call, callOf, type CallOptions, type CallResult } from './call.ts';
import { CallRun } from './call-run.ts';
import { type Connection, internals } from './connection.ts';
import type { AnyEndpoint, Endpoint } from './endpoint.ts';
import { type AnyJob, checkRequest, type Job } from './job.ts';
import { numbersOf } from './numbers.ts';
import { singleFlight } from './single-flight.ts';

/**
 * Sends an endpoint's request: the only caller of `fetch`. Checks, waits for its place, repeats
 * what may be repeated.
 */
export function send<Where, Draft, Value>(
  connection: Connection,
  endpoint: Endpoint<Where, Draft, Value>,
  job: Job<Where, Draft, Value>,
  options: CallOptions = {},
): Call<Value> {
  const any = endpoint as unknown as AnyEndpoint;
  return callOf(deliver(connection, any, job as AnyJob<Value>, options));
}

async function deliver<Value>(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob<Value>,
  options: CallOptions,
): Promise<CallResult<Value>> {
  const { settings, priority = endpoint.priority } = connection[internals];
  const request = checkRequest(connection, endpoint, job);
  const { attemptTimeout = settings.attemptTimeout, bucket } = endpoint;
  // watches and feeds, which are 'normal', ask again by themselves
  const queueTimeout =
    settings.queueTimeout ??
    (priority === 'normal' ? settings.callTimeout : 1.5 * settings.rateLimits[bucket].window);
  const numbers = numbersOf(options, { ...settings, attemptTimeout, queueTimeout });
  const begin = (signal: AbortSignal | undefined) =>
    new CallRun(connection, endpoint, job, { ...options, ...numbers, signal }, request).run();
  // a read with a priority, or with a time limit as resolvers have, was asked for now: one that was
  // sent earlier is not the same
  const isShared =
    settings.dedupeReads &&
    endpoint.method === 'GET' &&
    !priority &&
    !(options.maxAttempts ?? options.attemptTimeout ?? options.callTimeout ?? options.queueTimeout);
  return isShared
    ? singleFlight(connection, request.url, options.signal, begin)
    : begin(options.signal);
}
