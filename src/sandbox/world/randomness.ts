import { sha256 } from '@noble/hashes/sha2.js';

/** Randomness by path: what one purpose draws never shifts what another one gets. */
export interface Randomness {
  /** 32 bytes that depend on seed, purpose and counter only. */
  bytes(purpose: string, counter: number): Uint8Array;
  /** The next counter of a purpose, from 0. */
  next(purpose: string): number;
  /** A UUID of version 4 form. */
  uuid(purpose: string, counter: number): string;
  /** A whole number from 0 up to `below`, at most 2^32. */
  below(limit: number, purpose: string, counter: number): number;
  /** A number from 0 up to 1, with 32 bits. */
  fraction(purpose: string, counter: number): number;
}

/** The same seed draws the same in every runtime: only a hash, no engine arithmetic. */
export function randomnessOf(seed: number | string): Randomness {
  const counters = new Map<string, number>();
  const encoder = new TextEncoder();
  const bytes = (purpose: string, counter: number): Uint8Array =>
    sha256(encoder.encode(`${seed}/${purpose}/${counter}`));
  const below = (limit: number, purpose: string, counter: number): number => {
    const drawn = bytes(purpose, counter);
    return (((drawn[0]! << 24) | (drawn[1]! << 16) | (drawn[2]! << 8) | drawn[3]!) >>> 0) % limit;
  };
  return {
    bytes,
    below,
    next(purpose) {
      const counter = counters.get(purpose) ?? 0;
      counters.set(purpose, counter + 1);
      return counter;
    },
    uuid: (purpose, counter) => uuidOf(bytes(purpose, counter)),
    fraction: (purpose, counter) => below(0x1_0000_0000, purpose, counter) / 0x1_0000_0000,
  };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = hexOf(bytes.subarray(0, 16));
  const variant = '89ab'[bytes[8]! & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const DIGITS = '0123456789abcdef';

export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15);
  return text;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text has the form of the service's ids, in either case. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is stored: wherever one is given, capital letters mean the same. */
export function idFrom(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}
