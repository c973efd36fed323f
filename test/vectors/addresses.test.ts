import { decodeAddress, parseDestination } from 'paystate/lightning';
import { describe } from '#test';
import { decodeBech32 } from '../../src/lightning/bech32.ts';
import { all, outcomeOf, vectorsIn } from './vectors.ts';

interface Segwit {
  segwitValid: { address: string; scriptPubKey: string }[];
  segwitInvalid: { address: string }[];
}
interface Bech32 {
  bech32Valid: { string: string }[];
  bech32Invalid: { string: string }[];
  bech32mValid: { string: string }[];
  bech32mInvalid: { string: string }[];
}
interface KeyIo {
  validAddresses: { address: string; scriptPubKey: string; chain: string }[];
  invalid: { string: string }[];
  privateKeysNotAddresses: { wif: string }[];
}

const NETWORKS: Readonly<Record<string, string>> = {
  main: 'mainnet',
  test: 'testnet',
  signet: 'signet',
  regtest: 'regtest',
};
const kindOf = (text: string) => outcomeOf(() => decodeBech32(text, 90, 'text')).value?.kind;
const scriptOf = (text: string) => outcomeOf(() => decodeAddress(text)).value?.script;

describe('vectors of addresses', () => {
  const segwit = vectorsIn<Segwit & Bech32>('bitcoin-addresses/bech32-segwit.json');
  const keyIo = vectorsIn<KeyIo>('bitcoin-addresses/key_io.json');
  if (!segwit || !keyIo) return;

  all('bech32 read', segwit.bech32Valid, ({ string }) => kindOf(string) === 'bech32');
  all('bech32 refused', segwit.bech32Invalid, ({ string }) => kindOf(string) !== 'bech32');
  all('bech32m read', segwit.bech32mValid, ({ string }) => kindOf(string) === 'bech32m');
  all('bech32m refused', segwit.bech32mInvalid, ({ string }) => kindOf(string) !== 'bech32m');
  all(
    'segwit addresses read',
    segwit.segwitValid,
    ({ address, scriptPubKey }) => scriptOf(address) === scriptPubKey,
  );
  all(
    'segwit addresses refused',
    segwit.segwitInvalid,
    ({ address }) => scriptOf(address) === undefined,
  );
  all(
    'addresses read, network and script as stated',
    keyIo.validAddresses,
    ({ address, scriptPubKey, chain }) => {
      const { value } = outcomeOf(() => decodeAddress(address));
      return (
        value?.script === scriptPubKey &&
        (value.networks as readonly string[]).includes(NETWORKS[chain] ?? '?')
      );
    },
  );
  all('addresses refused', keyIo.invalid, ({ string }) => scriptOf(string) === undefined);
  all('private keys refused, and never echoed', keyIo.privateKeysNotAddresses, ({ wif }) => {
    const answers = [
      wif,
      `bitcoin:${wif}`,
      `lightning:${wif}`,
      wif.slice(0, -1) + (wif.endsWith('1') ? '2' : '1'),
    ].map((text) => parseDestination(text));
    return (
      outcomeOf(() => decodeAddress(wif)).rule === 'private-key' &&
      !JSON.stringify(answers).includes(wif.slice(2, -2)) &&
      answers.every((answer) => answer.kind === 'refused' && answer.reason === 'private-key')
    );
  });
});
