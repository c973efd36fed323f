import { AuthenticationError, type Next, type Outcome } from '../core/errors/index.ts';

type LoginCode = 'LOGIN_REQUIRED' | 'REFRESH_UNKNOWN' | 'LOGIN_REFUSED' | 'LOGIN_STATE_MISMATCH';

interface LoginFacts {
  readonly next?: Next;
  readonly outcome?: Outcome;
  /** The login server's error code as `error`, such as `invalid_client`. */
  readonly values?: { readonly error: string };
}

export function loginError(
  code: LoginCode,
  message: string,
  { next = 'login', outcome = 'not-done', values }: LoginFacts = {},
): AuthenticationError {
  return new AuthenticationError(message, {
    code,
    outcome,
    next,
    values,
  });
}

/** There's no login, or it has ended. */
export function loginRequired(): AuthenticationError {
  return loginError('LOGIN_REQUIRED', 'not logged in, or the login has ended; log in again');
}

/** A response was lost, and perhaps the tokens with it. */
export function refreshUnknown(): AuthenticationError {
  const message =
    'no usable response from the login server; try again, or log in if that keeps failing';
  return loginError('REFRESH_UNKNOWN', message, { next: 'retry', outcome: 'unknown' });
}

/** The login couldn't be read, and nothing was sent. */
export function storeUnavailable(): AuthenticationError {
  return loginError('REFRESH_UNKNOWN', 'the store failed or did not respond in time; try again', {
    next: 'retry',
  });
}

/**
 * The login server refused for a reason that logging in again doesn't fix, or the user denied
 * access.
 */
export function loginRefused(error: string): AuthenticationError {
  return loginError('LOGIN_REFUSED', `the login server refused: ${error}`, {
    values: { error },
    next: error === 'access_denied' ? 'login' : 'stop',
  });
}

/** The callback belongs to another session, or arrived twice. */
export function stateMismatch(): AuthenticationError {
  return loginError(
    'LOGIN_STATE_MISMATCH',
    'this session has no pending login for this callback; start the login again',
  );
}

const WORDS = /^[a-z_]{1,40}$/;

/**
 * Returns an error code from RFC 6749 5.2. Other values aren't repeated, because they may contain a
 * secret.
 */
export function readWord(error: unknown): string {
  return typeof error === 'string' && WORDS.test(error) ? error : 'unnamed';
}
