/** Forms of real credentials: 64 hex digits, and three parts with dots. */
const REAL = /^Bearer +([\dA-F]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]*)$/i;

/**
 * Whether an authorization looks like one of the real service; a sandbox's own keys look so too.
 */
export function looksReal(authorization: string | null): boolean {
  return REAL.test(authorization ?? '');
}
