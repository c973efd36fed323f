import { readBody } from './body.ts';
import type { Connection, WireRequest } from './connection.ts';
import { isPaystateError } from './errors.ts';

/** What came of sending once, before anybody judges it. */
export type Trial =
  | { readonly came: 'answer'; readonly status: number; readonly headers: Headers; readonly text: string }
  /** There was no credential to send it with. */
  | { readonly came: 'unsent' }
  | { readonly came: 'nothing'; readonly why: Why; readonly status: number | undefined };

type Why = 'TIMEOUT' | 'ABORTED' | 'OFFLINE' | 'RESPONSE_TOO_LARGE';

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
  const ended = new AbortController(); // its reason says why
  const over = new AbortController();
  const abort = () => ended.abort('ABORTED');
  // the end counts at once, even if what is under way does not listen
  const end = new Promise<never>((_, reject) => ended.signal.addEventListener('abort', () => reject(ended.signal.reason as Error)));
  let status: number | undefined;
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  void clock.wait(limit, over.signal).then(() => over.signal.aborted || ended.abort('TIMEOUT'));
  try {
    return await Promise.race([exchange(), end]);
  } catch (thrown) {
    if (isPaystateError(thrown)) return { came: 'unsent' };
    return { came: 'nothing', why: ended.signal.aborted ? (ended.signal.reason as Why) : 'OFFLINE', status };
  } finally {
    signal?.removeEventListener('abort', abort);
    over.abort();
  }

  async function exchange(): Promise<Trial> {
    const response = await connection.exchange({ ...request, signal: ended.signal });
    status = response.status;
    const text = await clock.external(readBody(response, settings.maxBody));
    return text === undefined ? { came: 'nothing', why: 'RESPONSE_TOO_LARGE', status } : { came: 'answer', status, headers: response.headers, text };
  }
}
