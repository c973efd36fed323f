import { readBody } from './body.ts';
import { type Connection, internals, type Note, type WireRequest } from './connection.ts';
import { isPaystateError, type AuthenticationError } from '../errors/index.ts';

/** What came of sending once, before anybody judges it. */
export type Trial = Heard | Unheard;

/** An answer, whoever gave it. */
export interface Heard {
  readonly why?: undefined;
  readonly unsent?: undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Cuts what was sent in confidence out of a text of JSON. */
  readonly redact?: ((json: string) => string) | undefined;
  /** Says that the credential was refused, where there may be another. */
  readonly refuse?: (() => void) | undefined;
}

/** Nothing that could be read to its end. */
interface Unheard {
  readonly why: 'TOKEN_UNAVAILABLE' | 'TIMEOUT' | 'ABORTED' | 'OFFLINE' | 'RESPONSE_TOO_LARGE';
  readonly status: number | undefined;
  /** Nothing was sent: there was no credential to send it with. */
  readonly unsent: boolean | undefined;
  /** What the provider of the credential says about that; of anything else that it throws nothing is looked at. */
  readonly login?: AuthenticationError | undefined;
  readonly refuse?: undefined;
}

type Ready = Omit<WireRequest, 'signal' | 'note'>;

/**
 * Sends once under a time limit that stays armed while the body is read. The end counts at once, even if what is under
 * way does not listen. Never throws: the runtimes' own messages differ and may hold the credential.
 */
export function attemptOnce(
  connection: Connection,
  request: Ready,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Trial> {
  const { clock, settings } = connection[internals];
  const ended = new AbortController();
  const note: Note = {};
  let status: number | undefined;

  return new Promise((resolve) => {
    const settle = (trial: Trial) => {
      cancel();
      signal?.removeEventListener('abort', abort);
      resolve(trial);
    };
    const end = (why: Unheard['why'], login?: AuthenticationError) => {
      const { unsent } = note;
      settle({
        why: unsent && why !== 'ABORTED' ? 'TOKEN_UNAVAILABLE' : why,
        status,
        unsent,
        login,
      });
      ended.abort(why);
    };
    const abort = () => end('ABORTED');
    const cancel = clock.after(limit, () => end('TIMEOUT'));
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) {
      note.unsent = true;
      return abort();
    }
    exchange().then(settle, (thrown) =>
      end(
        'OFFLINE',
        isPaystateError(thrown) && thrown.kind === 'authentication' ? thrown : undefined,
      ),
    );
  });

  async function exchange(): Promise<Trial> {
    const response = await connection[internals].exchange({
      ...request,
      signal: ended.signal,
      note,
    });
    status = response.status;
    const text = await clock.external(readBody(response, settings.maxResponseBytes));
    return text === undefined
      ? { why: 'RESPONSE_TOO_LARGE', status, unsent: false }
      : { status, headers: response.headers, text, redact: note.redact, refuse: note.refuse };
  }
}
