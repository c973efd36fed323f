/** The Bitcoin networks that an invoice or address can be of. */
export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest';

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
