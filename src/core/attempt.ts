import { readBody } from './body.ts';
import type { Connection, WireRequest } from './connection.ts';
import { isPaystateError } from './errors.ts';

/** What came of sending once, before anybody judges it. */
export type Trial = Heard | Unheard;

/** An answer, whoever gave it. */
export interface Heard {
  readonly why?: undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Nothing that could be read to its end. `TOKEN_UNAVAILABLE`: there was no credential to send it with. */
interface Unheard {
  readonly why: 'TOKEN_UNAVAILABLE' | 'TIMEOUT' | 'ABORTED' | 'OFFLINE' | 'RESPONSE_TOO_LARGE';
  readonly status: number | undefined;
}

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
    const why = ended.signal.aborted ? (ended.signal.reason as Unheard['why']) : 'OFFLINE';
    return { why: isPaystateError(thrown) ? 'TOKEN_UNAVAILABLE' : why, status };
  } finally {
    signal?.removeEventListener('abort', abort);
    over.abort(0); // a reason of its own, for making the usual one is a tenth of a call
  }

  async function exchange(): Promise<Trial> {
    const response = await connection.exchange({ ...request, signal: ended.signal });
    status = response.status;
    const text = await clock.external(readBody(response, settings.maxBody));
    return text === undefined ? { why: 'RESPONSE_TOO_LARGE', status } : { status, headers: response.headers, text };
  }
}
