const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const MOST = 400;

/**
 * Tells whether a text looks like something that must never leave its owner: a private key in its
 * usual forms, also with a mistyped checksum, or the words of a wallet. Bounded: longer texts are
 * none of these.
 */
export function looksSecret(text: string): boolean {
  if (text.length > MOST) return false;
  const shapes = [
    `[5KL9c]${BASE58}{50,51}`, // wallet import format
    `6P${BASE58}{56}`, // the same under a password
    `S(?:${BASE58}{21}|${BASE58}{25}|${BASE58}{29})`, // mini key
    `[a-zA-Z]prv${BASE58}{70,}`, // extended key
    '(?:nsec|NSEC|ms|MS)1[a-zA-Z0-9]{40,}', // other networks' keys, shared secrets
    '(?:0x)?[0-9a-fA-F]{64}', // bare 32 bytes
    '[a-zA-Z]{3,8}(?: [a-zA-Z]{3,8}){11,23}', // recovery words
  ];
  return new RegExp(`^(?:${shapes.join('|')})$`).test(text.trim().replace(/[\s,]+/g, ' '));
}
