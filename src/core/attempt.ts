import { readBody, TooLarge } from './body.ts';
import type { Connection, WireRequest } from './connection.ts';
import { isPaystateError } from './errors.ts';

/** What came of sending once, before anybody judges it. */
export type Trial =
  | { readonly came: 'answer'; readonly status: number; readonly headers: Headers; readonly text: string }
  /** There was no credential to send it with. */
  | { readonly came: 'unsent' }
  | { readonly came: 'nothing'; readonly why: 'TIMEOUT' | 'ABORTED' | 'OFFLINE' | 'RESPONSE_TOO_LARGE'; readonly status?: number };

type Ready = Omit<WireRequest, 'signal'>;

/**
 * Sends once under a time limit that stays armed while the body is read.
 * Never throws: the runtimes' own messages differ and may hold the credential.
 */
export async function attemptOnce(
  connection: Connection,
  request: Ready,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Trial> {
  const { clock, settings } = connection;
  const ended = new AbortController();
  const over = new AbortController();
  const abort = () => ended.abort();
  let timedOut = false;
  let status: number | undefined;
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  void clock.wait(limit, over.signal).then(() => {
    timedOut = !over.signal.aborted;
    ended.abort();
  });
  const why = (thrown: unknown) =>
    signal?.aborted ? 'ABORTED' : timedOut ? 'TIMEOUT' : thrown instanceof TooLarge ? 'RESPONSE_TOO_LARGE' : 'OFFLINE';
  try {
    return await unless(ended.signal, exchange());
  } catch (thrown) {
    if (isPaystateError(thrown)) return { came: 'unsent' };
    return { came: 'nothing', why: why(thrown), ...(status !== undefined && { status }) };
  } finally {
    signal?.removeEventListener('abort', abort);
    over.abort();
  }

  async function exchange(): Promise<Trial> {
    const response = await connection.exchange({ ...request, signal: ended.signal });
    status = response.status;
    const text = await clock.external(readBody(response, settings.maxBody));
    return { came: 'answer', status, headers: response.headers, text };
  }
}

/** The work's result, or a rejection as soon as the signal aborts, even if the work does not listen. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
