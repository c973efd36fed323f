// Names and forms that programs around a sandbox know; this file loads nothing of it.

/** Below it are the commands of the sandbox; no path of the service begins so. */
export const CONTROL_PATH = '/_sandbox/';

/** A page could send it only after a preflight, which is never allowed. */
export const CONTROL_HEADER = 'x-paystate-control';

/** Forms of real credentials: 64 hex digits, and three parts with dots. */
const REAL = /^Bearer +([\dA-F]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/**
 * True if an authorization looks like one of the real service; a sandbox's own keys look so too.
 */
export function looksReal(authorization: string | null): boolean {
  return REAL.test(authorization ?? '');
}
