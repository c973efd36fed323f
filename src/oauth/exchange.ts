import { readBody } from '../core/http/index.ts';
import { refreshUnknown } from './errors.ts';
import type { LoginSettings } from './options.ts';

/** Longest answer that is read, bytes. */
const LONGEST = 1_000_000;

/**
 * What is sent of a request of the protocol library; its other headers and options are left out.
 */
interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * One request to the login server, under a time limit that stays armed while the body is read. The
 * answer is made anew of status, type and text, so that nothing else of it is looked at.
 */
export async function exchange(
  { fetch, clock, attemptTimeout }: LoginSettings,
  url: string,
  { method, headers, body }: Outgoing,
): Promise<Response> {
  const ended = new AbortController();
  let cancel!: () => void;
  const end = new Promise<never>((_, reject) => {
    cancel = clock.after(attemptTimeout, () => {
      reject(refreshUnknown());
      ended.abort();
    });
  });
  try {
    return await Promise.race([answer(), end]);
  } catch {
    throw refreshUnknown(); // what the runtime says may hold a secret
  } finally {
    cancel();
  }

  async function answer(): Promise<Response> {
    const { accept = 'application/json', authorization, 'content-type': type } = headers;
    const init: RequestInit = {
      method,
      signal: ended.signal,
      redirect: 'manual',
      headers: {
        accept,
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body: String(body) }),
    };
    const response = await (fetch ? fetch(url, init) : globalThis.fetch(url, init));
    const text = await clock.external(readBody(response, LONGEST));
    if (text === undefined) throw refreshUnknown();
    return new Response(text || null, {
      status: response.status,
      headers: { 'content-type': response.headers.get('content-type') ?? '' },
    });
  }
}
