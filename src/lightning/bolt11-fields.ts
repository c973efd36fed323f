import { badInput } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import {
  bytesOfHex,
  bytesOfWords,
  encodeBech32,
  hexOfBytes,
  hexOfWords,
  numberOfWords,
  PREFIXES,
  wordsOfBytes,
} from './bech32.ts';

/** The tagged fields of an invoice. */
export interface Bolt11Fields {
  /** SHA-256 of the preimage that proves payment, hex. */
  readonly paymentHash: string;
  /** 32 bytes, hex: proves to the receiver that the payer has this invoice. */
  readonly paymentSecret: string;
  /** What is paid for, up to 639 bytes of UTF-8; absent where `descriptionHash` replaces it. */
  readonly description?: string | undefined;
  /** SHA-256 of a description that is elsewhere, hex. */
  readonly descriptionHash?: string | undefined;
  /** Seconds after the timestamp; 3,600 when the invoice does not say. */
  readonly expirySeconds: number;
  /** Blocks that the last hop requires; 18 when the invoice does not say. */
  readonly minFinalCltvExpiryDelta: number;
  /** The receiver's key as the invoice claims, hex; only `verifyBolt11` proves it. */
  readonly payee?: string | undefined;
  /** What the payer has to return, hex. */
  readonly metadata?: string | undefined;
  /** On-chain addresses that can be paid instead, best first. */
  readonly fallbacks: readonly Fallback[];
  /** Routes to a receiver that is not publicly known. */
  readonly routeHints: readonly (readonly RouteHop[])[];
  /** Numbers of the feature bits that are set; even ones are demands. */
  readonly features: readonly number[];
}

type Draft = { -readonly [Name in keyof Bolt11Fields]?: Bolt11Fields[Name] } & {
  fallbacks: Fallback[];
  routeHints: RouteHop[][];
};

/** The letter of each field and its position in the alphabet of bech32. */
export const TAGS = {
  p: 1,
  r: 3,
  9: 5,
  x: 6,
  f: 9,
  d: 13,
  s: 16,
  n: 19,
  h: 23,
  c: 24,
  m: 27,
} as const;
const HASH_WORDS = 52;
const KEY_WORDS = 53;

/**
 * Reads the fields between timestamp and signature. It skips unknown fields and known ones of a
 * wrong length.
 */
export function readFields(words: Uint8Array, start: number, end: number): Bolt11Fields {
  const found: Draft = { fallbacks: [], routeHints: [] };
  for (let at = start; at < end; ) {
    const from = at + 3;
    const to = from + (words[at + 1] as number) * 32 + (words[at + 2] as number);
    if (from > end || to > end) throw bad('shape', 'contains an incomplete field');
    readField(found, words, at, to);
    at = to;
  }
  const { paymentHash, paymentSecret } = found;
  if (paymentHash === undefined) throw bad('payment-hash', 'has no payment hash');
  if (paymentSecret === undefined) throw bad('payment-secret', 'has no payment secret');
  const features = found.features ?? [];
  refuseUnknownFeatures(features);
  return {
    expirySeconds: 3600,
    minFinalCltvExpiryDelta: 18,
    ...found,
    paymentHash,
    paymentSecret,
    features,
  };
}

function readField(found: Draft, words: Uint8Array, at: number, to: number): void {
  const from = at + 3;
  const hex = (length: number) => (to - from === length ? hexOfWords(words, from, to) : undefined);
  switch (words[at]) {
    case TAGS.p:
      return keep(found, 'paymentHash', hex(HASH_WORDS));
    case TAGS.s:
      return keep(found, 'paymentSecret', hex(HASH_WORDS));
    case TAGS.h:
      return keep(found, 'descriptionHash', hex(HASH_WORDS));
    case TAGS.n:
      return keep(found, 'payee', hex(KEY_WORDS));
    case TAGS.m:
      return keep(found, 'metadata', hexOfWords(words, from, to));
    case TAGS.d:
      return keep(found, 'description', textOf(bytesOfWords(words, from, to)));
    case TAGS.x:
      return keep(found, 'expirySeconds', numberOfWords(words, from, to));
    case TAGS.c:
      return keep(found, 'minFinalCltvExpiryDelta', numberOfWords(words, from, to));
    case TAGS[9]:
      return keep(found, 'features', featuresOf(words, from, to));
    case TAGS.r:
      return void found.routeHints.push(hopsOf(bytesOfWords(words, from, to)));
    case TAGS.f:
      return void found.fallbacks.push(...fallbackOf(words, from, to));
  }
}

/** Keeps the first of several equal fields, so that nothing appended can replace it. */
function keep<Name extends keyof Bolt11Fields>(
  found: Draft,
  name: Name,
  value: Draft[Name] | undefined,
): void {
  if (value !== undefined && found[name] === undefined) found[name] = value;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw bad('description', 'has a description that is not readable text');
  }
}

function bad(rule: string, advice: string): Error {
  return badInput('invoice', advice, { values: { rule } });
}

/** An on-chain address in the invoice; `fallbackAddress` writes it as text. */
export interface Fallback {
  /** 0 to 16: segwit; 17: pay to key hash; 18: pay to script hash. */
  readonly version: number;
  /** Hash or program, hex. */
  readonly program: string;
}

/** One channel on a private route to the receiver. */
export interface RouteHop {
  /** Key of the node where the hop begins, hex. */
  readonly node: string;
  /** Block, transaction and output, such as `103x1x0`. */
  readonly channel: string;
  /** Whole millisatoshi as text. */
  readonly feeBaseMsat: string;
  /** Fee in proportion to the amount that is forwarded, millionths of it. */
  readonly feeMillionths: number;
  /** Blocks that this hop adds to the time lock of the payment. */
  readonly cltvExpiryDelta: number;
}

const HOP_BYTES = 51;
/** Required features that this package understands: bits of BOLT 9 for invoices. */
const UNDERSTOOD = [8, 14, 16, 24, 36, 48];

/** Reads one fallback; returns none where its version or length is unknown. */
function fallbackOf(words: Uint8Array, from: number, to: number): Fallback[] {
  const version = to > from ? (words[from] as number) : 31;
  const length = ((to - from - 1) * 5) >> 3;
  const fits =
    version > 18
      ? false
      : version > 16
        ? length === 20
        : version > 0
          ? length >= 2 && length <= 40
          : length === 20 || length === 32;
  return fits ? [{ version, program: hexOfWords(words, from + 1, to) }] : [];
}

function hopsOf(bytes: Uint8Array): RouteHop[] {
  const hops: RouteHop[] = [];
  for (let at = 0; at + HOP_BYTES <= bytes.length; at += HOP_BYTES) {
    const view = new DataView(bytes.buffer, at, HOP_BYTES);
    hops.push({
      node: hexOfBytes(bytes.subarray(at, at + 33)),
      channel: `${view.getUint32(33) >>> 8}x${view.getUint32(36) >>> 8}x${view.getUint16(39)}`,
      feeBaseMsat: `${view.getUint32(41)}`,
      feeMillionths: view.getUint32(45),
      cltvExpiryDelta: view.getUint16(49),
    });
  }
  return hops;
}

/** Lists the bits that are set, counted from the end of the field. */
function featuresOf(words: Uint8Array, from: number, to: number): number[] {
  const bits: number[] = [];
  for (let at = to - 1; at >= from; at--) {
    for (let bit = 0; bit < 5; bit++)
      if (((words[at] as number) >> bit) & 1) bits.push((to - 1 - at) * 5 + bit);
  }
  return bits;
}

/** Throws for an unknown even bit: it marks a feature without which a payer must not pay. */
function refuseUnknownFeatures(features: readonly number[]): void {
  const unknown = features.find((bit) => bit % 2 === 0 && !UNDERSTOOD.includes(bit));
  if (unknown !== undefined) {
    throw badInput('invoice', `requires feature ${unknown}, which is unknown`, {
      values: { rule: 'feature', bit: unknown },
    });
  }
}

/**
 * Writes the segwit address of a fallback (BIP 173, BIP 350); returns `undefined` for other kinds.
 */
export function segwitFallback(
  { version, program }: Fallback,
  network: Network,
): string | undefined {
  if (version > 16) return undefined;
  // Signet's invoices have their own prefix; its addresses share that of testnet.
  const prefix = PREFIXES[network === 'signet' ? 'testnet' : network];
  const words = [version, ...wordsOfBytes(bytesOfHex(program))];
  return encodeBech32(prefix, words, version === 0 ? 'bech32' : 'bech32m');
}
