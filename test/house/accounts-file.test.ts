// Protects: a file of accounts that has a mistake is refused with which account, which member and which rule; nothing is guessed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { AccountsFileError, readAccountsFile } from '../../src/cli/accounts-file.ts';
import { fencesOf } from './fences.ts';
import { root } from './source.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-accounts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fileOf = (text: unknown): string => {
  const path = join(folder, `accounts-${++files}.json`);
  writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  return path;
};

const refusalOf = (path: string): AccountsFileError => {
  try {
    readAccountsFile(path);
  } catch (thrown) {
    if (thrown instanceof AccountsFileError) return thrown;
    throw thrown;
  }
  throw new Error('it was read');
};

const EXAMPLE = join(root, 'test/e2e/curl/accounts.json');
const REAL = '0123456789ABCDEF'.repeat(4);

/** One wrong account each, with the member and a part of the rule that are said of it. */
const MISTAKES: readonly (readonly [account: unknown, member: string, rule: RegExp])[] = [
  ['shop', '', /must be an object/],
  [null, '', /must be an object/],
  [{}, 'handle', /1 to 30 characters/],
  [{ handle: 'Shop' }, 'handle', /a-z, 0-9/],
  [{ handle: 'shop.free' }, 'handle', /a-z, 0-9/],
  [{ handle: 7 }, 'handle', /must be a string/],
  [{ handle: 'shop', currencies: 'EUR' }, 'currencies', /list of at least one string/],
  [{ handle: 'shop', currencies: [] }, 'currencies', /at least one/],
  [{ handle: 'shop', currencies: ['EUR', 'DOGE'] }, 'currencies[1]', /one of BTC, USD/],
  [
    { handle: 'shop', currencies: ['EUR'], defaultCurrency: 'USD' },
    'defaultCurrency',
    /currency of the account: EUR$/,
  ],
  [{ handle: 'shop', balances: ['1'] }, 'balances', /must be an object such as/],
  [{ handle: 'shop', balances: { EUR: 100 } }, 'balances.EUR', /decimal string/],
  [{ handle: 'shop', balances: { EUR: '1e3' } }, 'balances.EUR', /decimal string/],
  [{ handle: 'shop', balances: { EUR: '-1' } }, 'balances.EUR', /decimal string/],
  [{ handle: 'shop', balances: { EUR: '1.001' } }, 'balances.EUR', /no more decimal places/],
  [
    { handle: 'shop', currencies: ['USD'], balances: { EUR: '1' } },
    'balances.EUR',
    /not a currency of the account: USD$/,
  ],
  [{ handle: 'shop', scopes: ['partner.tea'] }, 'scopes[0]', /not a scope of the service/],
  [{ handle: 'shop', apiKeys: ['short'] }, 'apiKeys[0]', /8 to 100 visible/],
  [{ handle: 'shop', apiKeys: ['with a space'] }, 'apiKeys[0]', /visible/],
  [{ handle: 'shop', apiKeys: [REAL] }, 'apiKeys[0]', /don't look like a real key/],
  [{ handle: 'shop', isPrivate: 'no' }, 'isPrivate', /true or false/],
  [{ handle: 'shop', canReceive: 0 }, 'canReceive', /true or false/],
  [{ handle: 'shop', travelRule: null }, 'travelRule', /true or false/],
  [{ handle: 'shop', reward: 0.01 }, 'reward', /such as "0.01"/],
  [{ handle: 'shop', avatarUrl: 'cat.png' }, 'avatarUrl', /must be a URL/],
  [{ handle: 'shop', description: 7 }, 'description', /must be a string/],
  [{ handle: 'shop', readyAfter: 0.5 }, 'readyAfter', /whole number of milliseconds/],
  [{ handle: 'shop', balance: {} }, '"balance"', /not a field of an account; use one of handle,/],
];

describe('a file of accounts', () => {
  it('is taken as the chapter has it', () => {
    const [shown] = fencesOf(readFileSync(join(root, 'src/cli/in-detail.md'), 'utf8')).filter(
      ({ language }) => language === 'json',
    );
    expect(JSON.parse(shown!.code)).to.deep.equal(JSON.parse(readFileSync(EXAMPLE, 'utf8')));

    expect(readAccountsFile(EXAMPLE).map(({ handle }) => handle)).to.deep.equal([
      'shop',
      'cafe',
      'bank',
    ]);
  });

  for (const [account, member, rule] of MISTAKES)
    it(`is refused for ${JSON.stringify(account).replace(REAL, 'a key')}: ${member}`, () => {
      const { mistakes, message } = refusalOf(fileOf([{ handle: 'first' }, account]));
      expect(mistakes).to.have.length(1);
      expect(mistakes[0]!.account).to.match(/^account 2( |$)/);
      expect(mistakes[0]!.member).to.equal(member);
      expect(mistakes[0]!.rule).to.match(rule);
      expect(message)
        .to.match(/account 2/)
        .and.not.include(REAL);
    });

  it('is told all of its mistakes at once, those between accounts too', () => {
    const { message } = refusalOf(
      fileOf([
        { handle: 'shop', apiKeys: ['one-key-of-all'], isPrivate: 1 },
        { handle: 'shop', apiKeys: ['another-key', 'one-key-of-all'], reward: '1' },
      ]),
    );
    expect(message.split('\n').slice(1)).to.deep.equal([
      '  account 1 "shop", isPrivate must be true or false',
      '  account 2 "shop", reward must be a decimal string such as "0.01"',
      '  account 2 "shop", handle is already used by another account; handles and keys must be unique',
      '  account 2 "shop", apiKeys[1] is already used by another account; handles and keys must be unique',
    ]);
  });

  it('is refused where it is no list, no JSON or not there, without what stands in it', () => {
    for (const text of ['{}', '[]', '"shop"', 'null'])
      expect(refusalOf(fileOf(text)).message).to.match(/must be a list of accounts/);
    const { message } = refusalOf(fileOf(`[\n{"handle": "shop" "apiKeys": ["${REAL}"]}]`));
    expect(message).to.match(/is not valid JSON: line 2 column \d+$/);
    expect(refusalOf(fileOf('[')).message).to.match(/is not valid JSON/);
    expect(refusalOf(join(folder, 'none.json')).message).to.match(/cannot be read: ENOENT$/);
  });
});
