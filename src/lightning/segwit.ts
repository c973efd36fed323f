import { badInput } from '../core/errors/index.ts';
import { decodeBech32 } from './bech32.ts';
import type { Network } from './networks.ts';
import { networkOf } from './networks.ts';
import { bytesOfWords, hexOfBytes } from './words.ts';

/** An on-chain address whose checksum holds. */
export interface BitcoinAddress {
  /** As it should be written: segwit in lower case. */
  readonly text: string;
  readonly type: 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2wsh' | 'p2tr' | 'segwit';
  /** Where it can be meant: test networks share most of their prefixes. */
  readonly networks: readonly Network[];
  /** What a transaction pays to, hex. */
  readonly script: string;
}

/** BIP 173. */
export const LONGEST = 90;

/** Reads a segwit address (BIP 173, BIP 350) and proves its checksum. */
export function segwitAddress(text: string): BitcoinAddress {
  const { prefix, words, kind } = decodeBech32(text, LONGEST, 'address');
  const network = networkOf(prefix);
  const version = words[0];
  if (network === undefined || network === 'signet')
    throw badAddress('prefix', 'is of no network that is known here');
  if (version === undefined || version > 16)
    throw badAddress('version', 'is of no version that exists');
  if (kind !== (version === 0 ? 'bech32' : 'bech32m'))
    throw badAddress('checksum', 'has a checksum of the wrong kind');
  const program = programOf(words.subarray(1));
  const { length } = program;
  if (length < 2 || length > 40 || (version === 0 && length !== 20 && length !== 32))
    throw badAddress('length', 'is too short or too long');
  return {
    text: text.toLowerCase(),
    type:
      version === 0
        ? length === 20
          ? 'p2wpkh'
          : 'p2wsh'
        : version === 1 && length === 32
          ? 'p2tr'
          : 'segwit',
    networks: network === 'testnet' ? ['testnet', 'signet'] : [network],
    script: segwitScript(version, hexOfBytes(program)),
  };
}

/** Left-over bits must be fewer than a word, and zero. */
function programOf(words: Uint8Array): Uint8Array {
  const rest = (words.length * 5) % 8;
  const last = words.at(-1) ?? 0;
  if (rest > 4 || (last & ((1 << rest) - 1)) !== 0)
    throw badAddress('padding', 'ends in bits that should not be there');
  return bytesOfWords(words);
}

/** What a transaction pays to, hex: the version, the length of the program, the program. */
export function segwitScript(version: number, program: string): string {
  return hexOfBytes(Uint8Array.of(version && 80 + version, program.length / 2)) + program;
}

export function badAddress(rule: string, advice: string): Error {
  return badInput('address', advice, { values: { rule } });
}
