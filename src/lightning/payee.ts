import { sha256 } from '@noble/hashes/sha2.js';
import { recoverPublicKey, Signature } from '@noble/secp256k1';
import type { SignatureParts } from './bolt11.ts';

// The curve weighs as much as a small client, so checkouts load this file when they need it. It
// imports no other file of ours, which a bundler would have to share between the two.

/**
 * Finds whose key signed an invoice: hex, or `undefined` where the signature does not fit. BOLT 11:
 * when the payee is named, the flag does not count, but S must be low; without, the flag alone
 * decides.
 */
export function payeeOf({ message, signature, payee }: SignatureParts): string | undefined {
  const hash = sha256(message);
  const bytes = signature.subarray(0, 64);
  const flag = signature[64] as number;
  const keyBy = (recovery: number) =>
    withoutThrowing(() =>
      hexOf(recoverPublicKey(Uint8Array.of(recovery, ...bytes), hash, { prehash: false })),
    );
  if (payee === undefined) return keyBy(flag);
  const isLow = withoutThrowing(() => !Signature.fromBytes(bytes).hasHighS());
  return isLow && [flag, 0, 1, 2, 3].some((each) => keyBy(each) === payee) ? payee : undefined;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The curve's code throws on values that are no signature; here that is a result. */
export function withoutThrowing<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
