// HMAC-SHA-256 over bytes, by the platform. Comparing is the platform's too: it takes the same time
// for every wrong tag.

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

type Bytes = Uint8Array<ArrayBuffer>;

function importKey(key: Bytes, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, [usage]);
}

/** The 32 bytes of the tag. The platform refuses an empty key. */
export async function hmacOf(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', await importKey(copyBytes(key), 'sign'), copyBytes(message)),
  );
}

/** Whether the tag is that of the message; a tag of another length is wrong and nothing worse. */
export async function isHmacOf(
  key: Uint8Array,
  message: Uint8Array,
  tag: Uint8Array,
): Promise<boolean> {
  return crypto.subtle.verify(
    'HMAC',
    await importKey(copyBytes(key), 'verify'),
    copyBytes(tag),
    copyBytes(message),
  );
}

/**
 * A copy: the platform takes no shared memory, and the bytes must not change while they are read.
 */
function copyBytes(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}

/** Lower-case hex digits. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of hex digits in either case; `undefined` where the text is something else. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
