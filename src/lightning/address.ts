import { badInput, checkArgument } from '../core/errors/index.ts';
import type { Network } from '../core/http/index.ts';
import { toHex } from '../core/platform.ts';
import { bytesOfWords, decodeBech32, hexBytes, findNetwork, NETWORKS } from './bech32.ts';
import { type Fallback, segwitFallback } from './bolt11.ts';
import { decodeBase58check, encodeBase58check } from './hashes.ts';

/** An on-chain address with a correct checksum. */
export interface BitcoinAddress {
  /** The address in its canonical form. SegWit addresses are in lowercase. */
  readonly text: string;
  /** Script type. `segwit` is a witness program whose version has no name. */
  readonly type: 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2wsh' | 'p2tr' | 'segwit';
  /** The networks that the address may belong to, because test networks share most prefixes. */
  readonly networks: readonly Network[];
  /** The address's script, in hex. */
  readonly script: string;
}

/** Maximum length of a SegWit address (BIP 173). */
const MAX_LENGTH = 90;
const TEST_NETWORKS: readonly Network[] = ['testnet', 'signet', 'regtest'];

/**
 * Decodes an on-chain address of any type and verifies its checksum, which is base58check, bech32
 * or bech32m.
 * @param text the address, without `bitcoin:`
 * @returns the address's type and networks. Throws `InputError` with the violated rule, for example
 * `private-key`
 *
 * @example decodeAddress('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4').type // 'p2wpkh'
 */
export function decodeAddress(text: string): BitcoinAddress {
  if (typeof text !== 'string' || text.length > MAX_LENGTH)
    throw bad('too-long', `must be a string of at most ${MAX_LENGTH} characters`);
  if (looksSecret(text))
    throw bad('private-key', 'is a secret, not an address: never paste it anywhere');
  return /^(?:bcrt|bc|tb)1/i.test(text) ? segwitAddress(text) : base58Address(text);
}

/**
 * Formats an invoice's on-chain fallback as an address.
 * @param fallback an entry of `invoice.fallbacks`
 * @param network the same invoice's network
 *
 * @example invoice.fallbacks.map((fallback) => fallbackAddress(fallback, invoice.network))
 */
export function fallbackAddress(fallback: Fallback, network: Network): string {
  checkArgument('fallback', fallback, 'object!');
  checkArgument('network', network ?? null, NETWORKS);
  const segwit = segwitFallback(fallback, network);
  if (segwit !== undefined) return segwit;
  const [key, script] = network === 'mainnet' ? [0, 5] : [111, 196];
  const prefix = (fallback.version === 17 ? key : script) as number;
  return encodeBase58check(Uint8Array.of(prefix, ...hexBytes(fallback.program, 'fallback')));
}

function segwitAddress(text: string): BitcoinAddress {
  const { prefix, words, kind } = decodeBech32(text, MAX_LENGTH, 'address');
  const network = findNetwork(prefix);
  const version = words[0];
  if (network === undefined || network === 'signet')
    throw bad('prefix', 'is for an unknown network');
  if (version === undefined || version > 16) throw bad('version', 'has an unknown version');
  if (kind !== (version === 0 ? 'bech32' : 'bech32m'))
    throw bad('checksum', 'has the wrong type of checksum');
  const program = readProgram(words.subarray(1));
  const { length } = program;
  if (length < 2 || length > 40 || (version === 0 && length !== 20 && length !== 32))
    throw bad('length', 'is too short or too long');
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
    script: toHex(Uint8Array.of(version === 0 ? 0 : 80 + version, length, ...program)),
  };
}

/** Converts five-bit words to bytes. At most four bits may be left over, and they must be zero. */
function readProgram(words: Uint8Array): Uint8Array {
  const rest = (words.length * 5) % 8;
  const last = words.at(-1) ?? 0;
  if (rest > 4 || (last & ((1 << rest) - 1)) !== 0)
    throw bad('padding', 'has extra bits at the end');
  return bytesOfWords(words);
}

function base58Address(text: string): BitcoinAddress {
  const bytes = decodeBase58check(text);
  if (!bytes) throw bad('checksum', 'has a wrong checksum: a character is wrong or missing');
  const hash = toHex(bytes.subarray(1));
  if (bytes.length === 21) {
    switch (bytes[0]) {
      case 0:
        return { text, type: 'p2pkh', networks: ['mainnet'], script: `76a914${hash}88ac` };
      case 111:
        return { text, type: 'p2pkh', networks: TEST_NETWORKS, script: `76a914${hash}88ac` };
      case 5:
        return { text, type: 'p2sh', networks: ['mainnet'], script: `a914${hash}87` };
      case 196:
        return { text, type: 'p2sh', networks: TEST_NETWORKS, script: `a914${hash}87` };
    }
  }
  if (bytes[0] === 128 || bytes[0] === 239)
    throw bad('private-key', 'is a secret, not an address: never paste it anywhere');
  throw bad('prefix', 'is for another currency or of an unknown type');
}

function bad(rule: string, advice: string): Error {
  return badInput('address', advice, { values: { rule } });
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const MAX_SECRET_LENGTH = 400;

/**
 * Returns whether text looks like a secret: a private key (even with a wrong checksum) or
 * a wallet's recovery phrase. Text longer than `MAX_SECRET_LENGTH` is never considered a secret.
 */
export function looksSecret(text: string): boolean {
  if (text.length > MAX_SECRET_LENGTH) return false;
  const shapes = [
    `[5KL9c]${BASE58}{50,51}`, // private key in wallet import format
    `6P${BASE58}{56}`, // private key encrypted with a password
    `S(?:${BASE58}{21}|${BASE58}{25}|${BASE58}{29})`, // mini private key
    `[a-zA-Z]prv${BASE58}{70,}`, // extended private key
    // private keys for other networks, and shares of a secret
    '(?:nsec|NSEC|ms|MS)1[a-zA-Z0-9]{40,}',
    '(?:0x)?[0-9a-fA-F]{64}', // 32 bytes in hex
    '[a-zA-Z]{3,8}(?: [a-zA-Z]{3,8}){11,23}', // recovery phrase
  ];
  return new RegExp(`^(?:${shapes.join('|')})$`).test(text.trim().replace(/[\s,]+/g, ' '));
}
