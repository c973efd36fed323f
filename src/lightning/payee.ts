import { sha256 } from '@noble/hashes/sha2.js';
import { recoverPublicKey, Signature } from '@noble/secp256k1';
import type { SignatureParts } from './bolt11.ts';

// The elliptic curve code is as large as a small client, so checkouts load this file on demand. It
// doesn't import this package's other files, because a bundler would have to move them to a shared
// chunk.

/**
 * Returns the public key that signed an invoice, in hex, if the signature matches. If the invoice
 * contains a `payee`, that must be the signer, and S must be low (BOLT 11). Otherwise, the key is
 * recovered with the recovery flag.
 */
export function findPayee({ message, signature, payee }: SignatureParts): string | undefined {
  const hash = sha256(message);
  const bytes = signature.subarray(0, 64);
  const flag = signature[64] as number;
  const keyBy = (recovery: number) =>
    withoutThrowing(() =>
      toHex(recoverPublicKey(Uint8Array.of(recovery, ...bytes), hash, { prehash: false })),
    );
  if (payee === undefined) return keyBy(flag);
  const isLow = withoutThrowing(() => !Signature.fromBytes(bytes).hasHighS());
  return isLow && [flag, 0, 1, 2, 3].some((each) => keyBy(each) === payee) ? payee : undefined;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns `undefined` if `attempt` throws. The library throws for invalid signatures. */
export function withoutThrowing<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
