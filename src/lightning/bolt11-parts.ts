import { badInput } from '../core/errors/index.ts';
import { hexOfBytes, hexOfWords } from './words.ts';

/** An on-chain way to pay; `fallbackAddress` writes it as an address. */
export interface Fallback {
  /** 0 to 16: segwit; 17: pay to key hash; 18: pay to script hash. */
  readonly version: number;
  /** Hash or program, hex. */
  readonly program: string;
}

/** One channel on a private way to the receiver. */
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
/** Demands that a payer of today understands: bits of BOLT 9 for invoices. */
const UNDERSTOOD = [8, 14, 16, 24, 36, 48];

/** One fallback, or none when its version or length is unknown. */
export function fallbackOf(words: Uint8Array, from: number, to: number): Fallback[] {
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

export function hopsOf(bytes: Uint8Array): RouteHop[] {
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

/** Bits count from the end of the field. */
export function featuresOf(words: Uint8Array, from: number, to: number): number[] {
  const bits: number[] = [];
  for (let at = to - 1; at >= from; at--) {
    for (let bit = 0; bit < 5; bit++)
      if (((words[at] as number) >> bit) & 1) bits.push((to - 1 - at) * 5 + bit);
  }
  return bits;
}

/** An even bit is a demand: who does not know it must not pay. */
export function refuseUnknownFeatures(features: readonly number[]): void {
  const unknown = features.find((bit) => bit % 2 === 0 && !UNDERSTOOD.includes(bit));
  if (unknown !== undefined) {
    throw badInput('invoice', `demands feature ${unknown}, which is not known here`, {
      values: { rule: 'feature', bit: unknown },
    });
  }
}
