// Names and formats for programs around a sandbox. Doesn't load the sandbox itself.

/** Path prefix of the sandbox's commands. No path of the service begins with it. */
export const CONTROL_PATH = '/_sandbox/';

/** A page could only send this header after a preflight, which is never allowed. */
export const CONTROL_HEADER = 'x-paystate-control';

/** Formats of real credentials: 64 hex digits, or three parts separated by dots. */
const REAL = /^Bearer +([\dA-F]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/** A sandbox's own keys look real too. */
export function looksReal(authorization: string | null): boolean {
  return REAL.test(authorization ?? '');
}
