// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import {
  type BitcoinAddress,
  decodeAddress,
  fallbackAddress,
  type Network,
} from 'paystate/lightning';
import { describe, it } from '#test';
import { ruleOf } from './invoice-drafts.ts';

const program = (bytes: number): string => '5a'.repeat(bytes);

describe('addresses', () => {
  const table: readonly [
    version: number,
    bytes: number,
    network: Network,
    type: BitcoinAddress['type'],
    begins: string,
    script: string,
  ][] = [
    [17, 20, 'mainnet', 'p2pkh', '1', `76a914${program(20)}88ac`],
    [18, 20, 'mainnet', 'p2sh', '3', `a914${program(20)}87`],
    [17, 20, 'testnet', 'p2pkh', 'm', `76a914${program(20)}88ac`],
    [18, 20, 'regtest', 'p2sh', '2', `a914${program(20)}87`],
    [0, 20, 'mainnet', 'p2wpkh', 'bc1q', `0014${program(20)}`],
    [0, 32, 'testnet', 'p2wsh', 'tb1q', `0020${program(32)}`],
    [1, 32, 'regtest', 'p2tr', 'bcrt1p', `5120${program(32)}`],
    [16, 2, 'signet', 'segwit', 'tb1s', `6002${program(2)}`],
  ];

  it('are written and read back, each kind on each network', () => {
    for (const [version, bytes, network, type, begins, script] of table) {
      const text = fallbackAddress({ version, program: program(bytes) }, network);
      expect(text.slice(0, begins.length)).to.equal(begins);
      const address = decodeAddress(text);
      expect(address).to.deep.include({ text, type, script });
      expect(address.networks).to.include(network);
      expect(address.networks.includes('mainnet')).to.equal(network === 'mainnet');
    }
  });

  it('are refused when a single letter is wrong', () => {
    for (const [version, bytes, network] of table) {
      const text = fallbackAddress({ version, program: program(bytes) }, network);
      for (const at of [5, 9, text.length - 1]) {
        const wrong = text.slice(0, at) + (text[at] === 'z' ? 'x' : 'z') + text.slice(at + 1);
        expect(
          ruleOf(() => decodeAddress(wrong)),
          `${type(version)} ${at}`,
        ).to.equal('checksum');
      }
    }
  });

  it('have one case, a known prefix and a sane length', () => {
    const text = fallbackAddress({ version: 0, program: program(20) }, 'mainnet');
    expect(decodeAddress(text.toUpperCase()).text).to.equal(text);
    expect(ruleOf(() => decodeAddress(text.slice(0, -1) + text.slice(-1).toUpperCase()))).to.equal(
      'case',
    );
    expect(ruleOf(() => decodeAddress('1'.repeat(91)))).to.equal('too-long');
    expect(ruleOf(() => decodeAddress(''))).to.equal('checksum');
    expect(ruleOf(() => decodeAddress(null as never))).to.equal('too-long');
  });

  it('are never private keys, not even mistyped ones', () => {
    const secrets = [
      `5${'J'.repeat(50)}`,
      `K${'w'.repeat(51)}`,
      `c${'T'.repeat(51)}`,
      `6P${'R'.repeat(56)}`,
      `S${'4'.repeat(21)}`,
      'ab'.repeat(32),
      'abandon '.repeat(11) + 'about',
    ];
    for (const secret of secrets) {
      expect(
        ruleOf(() => decodeAddress(secret)),
        secret,
      ).to.be.oneOf(['private-key', 'too-long']);
      try {
        decodeAddress(secret);
      } catch (error) {
        expect(JSON.stringify([String(error), error])).not.to.contain(secret);
      }
    }
  });
});

const type = (version: number): string => `version ${version}`;
