import { AuthenticationError, type Next, type Outcome } from '../core/errors/index.ts';

type LoginCode = 'LOGIN_REQUIRED' | 'REFRESH_UNKNOWN' | 'LOGIN_REFUSED' | 'LOGIN_STATE_MISMATCH';

interface LoginFacts {
  readonly next?: Next;
  readonly outcome?: Outcome;
  /** An object whose `error` is the login server's error code, such as `invalid_client`. */
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

/** Creates the error for a login that is missing or has ended. */
export function loginRequired(): AuthenticationError {
  return loginError('LOGIN_REQUIRED', 'not logged in, or the login has ended; log in again');
}

/**
 * Creates the error for a lost response from the login server, which may have contained new tokens.
 */
export function refreshUnknown(): AuthenticationError {
  const message =
    'no usable response from the login server; try again, or log in if that keeps failing';
  return loginError('REFRESH_UNKNOWN', message, { next: 'retry', outcome: 'unknown' });
}

/** Creates the error for a store failure. No request was sent to the login server. */
export function storeUnavailable(): AuthenticationError {
  return loginError('REFRESH_UNKNOWN', 'the store failed or did not respond in time; try again', {
    next: 'retry',
  });
}

/**
 * Creates the error for a refusal by the login server or the user. Logging in again may only help
 * if it was the user who denied access.
 */
export function loginRefused(error: string): AuthenticationError {
  return loginError('LOGIN_REFUSED', `the login server refused the request: ${error}`, {
    values: { error },
    next: error === 'access_denied' ? 'login' : 'stop',
  });
}

/**
 * Creates the error for a callback that was already used or doesn't belong to a pending login in
 * this session.
 */
export function stateMismatch(): AuthenticationError {
  return loginError(
    'LOGIN_STATE_MISMATCH',
    'this session has no pending login for this callback; start the login again',
  );
}

const WORDS = /^[a-z_]{1,40}$/;

/**
 * Returns an error code in the format of RFC 6749 5.2. Other values are replaced, because they may
 * contain a secret.
 */
export function readWord(error: unknown): string {
  return typeof error === 'string' && WORDS.test(error) ? error : 'unnamed';
}
