import { AuthenticationError, type Next, type Outcome } from '../core/errors/index.ts';

/** Why there is no token. */
export type LoginCode =
  | 'LOGIN_REQUIRED'
  | 'REFRESH_UNKNOWN'
  | 'LOGIN_REFUSED'
  | 'LOGIN_STATE_MISMATCH';

interface LoginFacts {
  readonly next?: Next;
  readonly outcome?: Outcome;
  /** The login server's own word, such as `invalid_client`. */
  readonly error?: string | undefined;
}

/** Makes the error for a login that cannot go on. */
export function loginError(
  code: LoginCode,
  message: string,
  { next = 'login', outcome = 'not-done', error }: LoginFacts = {},
): AuthenticationError {
  return new AuthenticationError(message, {
    code,
    outcome,
    next,
    values: error === undefined ? undefined : { error },
  });
}

/** No login, or none any more. */
export function loginNeeded(): AuthenticationError {
  return loginError('LOGIN_REQUIRED', 'there is no login, or it is over: log in again');
}

/** An answer was lost, and with it perhaps the tokens. */
export function loginUnsure(): AuthenticationError {
  const message =
    'no answer came from the login server: call again; logging in again may be needed, for a new token may be lost';
  return loginError('REFRESH_UNKNOWN', message, { next: 'retry', outcome: 'unknown' });
}

/** Nothing is known of the login, and nothing was sent. */
export function storeAway(): AuthenticationError {
  return loginError('REFRESH_UNKNOWN', 'the store did not answer: call again', { next: 'retry' });
}

/** The login server said no for a reason that no new login mends. */
export function loginRefused(error: string): AuthenticationError {
  return loginError('LOGIN_REFUSED', `the login server refused: ${error}`, {
    error,
    next: error === 'access_denied' ? 'login' : 'stop',
  });
}

/** Somebody else's answer, or one that came twice. */
export function loginSuspect(): AuthenticationError {
  return loginError(
    'LOGIN_STATE_MISMATCH',
    'this is not the end of a login that this session began, or it was finished already: begin again',
  );
}

const WORDS = /^[a-z_]{1,40}$/;

/** A word of the protocol; anything else may hold anything and is not repeated. */
export function wordOf(error: unknown): string {
  return typeof error === 'string' && WORDS.test(error) ? error : 'unnamed';
}
