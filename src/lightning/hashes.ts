import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { bytesOfHex, toHex } from '../core/platform.ts';

/**
 * Reads base58 and checks its checksum, the first bytes of a double hash.
 * @returns version and content, or nothing when the text is no such code
 */
export function decodeBase58check(text: string): Uint8Array | undefined {
  try {
    return createBase58check(sha256).decode(text);
  } catch {
    // the library's message would repeat the text, which may be a key
    return undefined;
  }
}

export function encodeBase58check(bytes: Uint8Array): string {
  return createBase58check(sha256).encode(bytes);
}

/**
 * Hashes bytes synchronously, so that reading a text never waits. Only this file, `signature.ts`
 * and `payee.ts` load code for hashing.
 */
export function sha256Hex(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/**
 * Tells whether a preimage proves that an invoice was paid.
 * @param preimage 32 bytes in hex, as the service reports it
 * @param paymentHash of the invoice, hex
 * @returns true only when the hash of the preimage is the payment hash; false for anything else,
 * which is no proof
 * @example isPreimageOf(payment.lightning!.preImage!, decodeBolt11(invoice).paymentHash)
 */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  if (!/^[\da-f]{64}$/i.test(preimage) || typeof paymentHash !== 'string') return false;
  return sha256Hex(bytesOfHex(preimage)!) === paymentHash.toLowerCase();
}
