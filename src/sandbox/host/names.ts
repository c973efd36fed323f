// Names and formats for programs that talk to a sandbox. They don't import the sandbox itself.

/** Path prefix for control commands. None of the service's endpoints start with it. */
export const CONTROL_PATH = '/_sandbox/';

/**
 * Header that every control command must have. Web pages can't send it to another origin, because
 * the preflight fails.
 */
export const CONTROL_HEADER = 'x-paystate-control';

/** Formats of real credentials, which are 64 hex digits or a JWT. */
const REAL = /^Bearer +([\dA-F]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/** Returns whether a string looks like a real credential. The sandbox's own keys match too. */
export function looksReal(authorization: string | null): boolean {
  return REAL.test(authorization ?? '');
}
