import { sha256 } from '@noble/hashes/sha2.js';
import { hexOfBytes } from './words.ts';

/** The one door to hashing beside `signature.ts`; synchronous, so that reading a text never has to wait. */
export { sha256 };

export function sha256Hex(bytes: Uint8Array): string {
  return hexOfBytes(sha256(bytes));
}
