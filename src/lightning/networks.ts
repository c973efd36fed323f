import type { Network } from '../core/http/index.ts';

export type { Network };

/** Prefix of segwit addresses, and after `ln` of invoices; longer ones come first for a reader. */
export const PREFIXES: Readonly<Record<Network, string>> = {
  regtest: 'bcrt',
  signet: 'tbs',
  mainnet: 'bc',
  testnet: 'tb',
};

/** The network with this prefix, if it is one of ours. */
export function networkOf(prefix: string): Network | undefined {
  return (Object.keys(PREFIXES) as Network[]).find((network) => PREFIXES[network] === prefix);
}
