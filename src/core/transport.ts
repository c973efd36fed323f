import { createFetch } from 'ofetch';
import type { WireRequest } from './connection.ts';

/** Any `fetch` that takes a URL text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Makes the one function that sends: text in, stream out, no retry, no redirect, no hooks.
 * Its errors may hold the bearer, so nobody may chain them.
 */
export function transportOf(fetch: Fetch | undefined, bearer: () => Promise<string | undefined>) {
  const own = (input: string, init: RequestInit): Promise<Response> =>
    fetch ? fetch(input, init) : globalThis.fetch(input, init);
  const { raw } = createFetch({ fetch: own as typeof globalThis.fetch }) as ReturnType<typeof createFetch>;
  return async (request: WireRequest): Promise<Response> => {
    const token = await bearer();
    return raw(request.url, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...(request.idempotencyKey !== undefined && { 'idempotency-key': request.idempotencyKey }),
      },
      ...(request.body !== undefined && { body: request.body }),
      signal: request.signal,
      redirect: 'manual',
      retry: 0,
      responseType: 'stream',
      ignoreResponseError: true,
    });
  };
}
