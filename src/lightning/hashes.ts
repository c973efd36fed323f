import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { bytesOfHex, toHex } from '../core/platform.ts';

/**
 * Decodes a base58 string and verifies its checksum, the start of a double SHA-256 hash.
 * @returns the version byte and the content, or `undefined` if the text is invalid
 */
export function decodeBase58check(text: string): Uint8Array | undefined {
  try {
    return createBase58check(sha256).decode(text);
  } catch {
    // the library's error message would contain the text, which may be a private key
    return undefined;
  }
}

export function encodeBase58check(bytes: Uint8Array): string {
  return createBase58check(sha256).encode(bytes);
}

/**
 * Hashes synchronously, so that decoding can be synchronous too. Only this file, `signature.ts` and
 * `payee.ts` import hashing code.
 */
export function sha256Hex(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/**
 * Returns whether a preimage proves that an invoice was paid.
 * @param preimage 32 bytes in hex, as the service reports it
 * @param paymentHash the invoice's payment hash, in hex
 * @returns whether the preimage's hash is the payment hash. A result of `false` doesn't prove that
 * the invoice is unpaid
 *
 * @example isPreimageOf(payment.lightning!.preImage!, decodeBolt11(invoice).paymentHash)
 */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  if (!/^[\da-f]{64}$/i.test(preimage) || typeof paymentHash !== 'string') return false;
  return sha256Hex(bytesOfHex(preimage)!) === paymentHash.toLowerCase();
}
