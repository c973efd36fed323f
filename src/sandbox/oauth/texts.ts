import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { World } from '../world/world.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Base64url without padding. */
function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
}

/** The challenge of a verifier, method S256. */
export function challengeOf(verifier: string): string {
  return base64Url(sha256(utf8(verifier)));
}

/** The next code or token of a kind: 43 characters. */
export function drawText(world: World, kind: string): string {
  const purpose = `oauth/${kind}`;
  return base64Url(world.random.bytes(purpose, world.random.next(purpose)));
}

/** A JWT with these claims; only the box itself knows the secret that it is signed with. */
export function jwtOf(world: World, claims: object): string {
  const head = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => base64Url(utf8(JSON.stringify(part))))
    .join('.');
  return `${head}.${base64Url(hmac(sha256, world.random.bytes('oauth/secret', 0), utf8(head)))}`;
}
