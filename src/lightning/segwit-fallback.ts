import { encodeBech32 } from './bech32.ts';
import type { Fallback } from './bolt11-parts.ts';
import { type Network, PREFIXES } from './networks.ts';
import { bytesOfHex, wordsOfBytes } from './words.ts';

/** The segwit address of a fallback (BIP 173, BIP 350); `undefined` where it is of another kind. */
export function segwitFallback(
  { version, program }: Fallback,
  network: Network,
): string | undefined {
  if (version > 16) return undefined;
  // Signet's invoices have a prefix of their own, its addresses share that of testnet.
  const prefix = PREFIXES[network === 'signet' ? 'testnet' : network];
  const words = [version, ...wordsOfBytes(bytesOfHex(program))];
  return encodeBech32(prefix, words, version === 0 ? 'bech32' : 'bech32m');
}
