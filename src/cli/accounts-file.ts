import { readFileSync } from 'node:fs';
import * as endpoints from '../endpoints.ts';
import { roundMoney } from '../money/index.ts';
import { parseUnsignedMoney } from '../money/money.ts';
import { CURRENCIES } from '../resources/amounts.ts';
import { looksReal } from '../sandbox/host/hosted-sandbox.ts';
import type { SandboxAccount } from '../sandbox/index.ts';

/** An account as the file has it, of which nothing is known yet. */
type Given = Readonly<Record<string, unknown>>;
/** A mistake inside of a member: where, and what it must be. */
type Mistake = readonly [member: string, rule: string];
/** Says what a member must be, or what its parts must be; nothing where it is right. */
type Check = (value: unknown, account: Given) => string | readonly Mistake[];

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const scopes: ReadonlySet<string> = new Set(
  Object.values(endpoints)
    .flatMap((rows) => Object.values(rows))
    .flatMap((row: unknown) => (isObject(row) && isText(row['scope']) ? [row['scope']] : [])),
);

const one =
  (isRight: (value: unknown) => boolean, rule: string): Check =>
  (value) =>
    isRight(value) ? [] : rule;

const list =
  (isRight: (value: string) => boolean, rule: string, least = 0): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length < least)
      return `must be a list of texts${least ? ', with at least one' : ''}`;
    return value.flatMap((item: unknown, at) =>
      isText(item) && isRight(item) ? [] : [[`[${at}]`, rule] as const],
    );
  };

const fits =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    isText(value) && pattern.test(value);

const yesOrNo = one((value) => typeof value === 'boolean', 'must be true or false');
const currenciesOf = ({ currencies }: Given): readonly unknown[] =>
  Array.isArray(currencies) ? currencies : CURRENCIES;

/** One for each member: a member without a check does not compile. */
const accountChecks: Readonly<Record<keyof SandboxAccount, Check>> = {
  handle: one(
    fits(/^[a-z0-9][a-z0-9_-]{0,29}$/),
    'must be a text of 1 to 30 characters from a-z, 0-9, _ and -, such as "shop"',
  ),
  currencies: list(
    (text) => (CURRENCIES as readonly string[]).includes(text),
    `must be one of ${CURRENCIES.join(', ')}`,
    1,
  ),
  defaultCurrency: (value, account) =>
    currenciesOf(account).includes(value)
      ? []
      : `must be a currency of the account: ${currenciesOf(account).join(', ')}`,
  balances: (value, account) =>
    isObject(value)
      ? Object.entries(value).flatMap(([currency, amount]) =>
          mistakeInBalance(currency, amount, account),
        )
      : 'must be an object such as {"EUR": "100.00"}',
  scopes: list((text) => scopes.has(text), 'is no scope of the service'),
  apiKeys: list(
    (text) => /^[\x21-\x7e]{8,100}$/.test(text) && !looksReal(`Bearer ${text}`),
    'must be 8 to 100 visible ASCII characters that do not look like a real key',
  ),
  isPrivate: yesOrNo,
  canReceive: yesOrNo,
  travelRule: yesOrNo,
  reward: one(fits(/^0\.\d{1,6}$/), 'must be a part as a text, such as "0.01"'),
  avatarUrl: one(
    (value) => isText(value) && /^https?:/.test(value) && URL.canParse(value),
    'must be an address such as "https://shop.example/avatar.png"',
  ),
  description: one(isText, 'must be a text'),
  readyAfter: one(
    (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    'must be whole milliseconds, 0 or more',
  ),
};

function mistakeInBalance(currency: string, amount: unknown, account: Given): readonly Mistake[] {
  const member = `.${currency.slice(0, 12)}`;
  if (!currenciesOf(account).includes(currency))
    return [[member, `is not a currency of the account: ${currenciesOf(account).join(', ')}`]];
  try {
    roundMoney(parseUnsignedMoney({ amount, currency }));
    return [];
  } catch {
    return [
      [
        member,
        'must be a decimal text such as "100.00", with no more digits than the currency has',
      ],
    ];
  }
}

/** One mistake in a file of accounts. */
interface AccountMistake {
  /** The account, counted from 1, with its handle where it has one. */
  readonly account: string;
  /** The member, such as `balances.EUR`; empty where it is the account itself. */
  readonly member: string;
  /** Says what it must be. */
  readonly rule: string;
}

/** A file of accounts that cannot be used, with all its mistakes. */
export class AccountsFileError extends Error {
  readonly mistakes: readonly AccountMistake[];
  constructor(text: string, mistakes: readonly AccountMistake[] = []) {
    super(
      [text, ...mistakes.map(({ account, member, rule }) => `  ${account}, ${member} ${rule}`)]
        .join('\n')
        .replaceAll(',  ', ' '),
    );
    this.mistakes = mistakes;
  }
}

/**
 * Reads the accounts of a sandbox from a JSON file: a list of objects with the members of
 * `SandboxAccount`.
 *
 * @throws AccountsFileError with every mistake: which account, which member, which rule
 */
export function readAccountsFile(path: string): readonly SandboxAccount[] {
  const given = parse(path);
  if (!Array.isArray(given) || given.length === 0)
    throw new AccountsFileError(`${path} must be a list of accounts: [{"handle": "shop"}]`);
  const mistakes = [...given.flatMap(mistakesIn), ...repetitionsIn(given)];
  if (mistakes.length > 0)
    throw new AccountsFileError(`${path} cannot be used as accounts:`, mistakes);
  return given as readonly SandboxAccount[];
}

/** The error does not repeat a text that is not JSON: it may hold a secret. */
function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new AccountsFileError(
      `${path} cannot be read: ${(thrown as { readonly code?: string }).code}`,
    );
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const [, place = ''] = /\((line \d+ column \d+)\)/.exec(String(thrown)) ?? [];
    throw new AccountsFileError(`${path} is not JSON${place && `: ${place}`}`);
  }
}

function mistakesIn(account: unknown, index: number): readonly AccountMistake[] {
  const name = nameOf(account, index);
  if (!isObject(account)) return [{ account: name, member: '', rule: 'must be an object' }];
  const known = Object.entries(accountChecks).flatMap(([member, check]) => {
    if (account[member] === undefined && member !== 'handle') return [];
    const found = check(account[member], account);
    return (isText(found) ? [['', found] as const] : found).map(([inner, rule]) => ({
      account: name,
      member: `${member}${inner}`,
      rule,
    }));
  });
  const strangers = Object.keys(account).filter((member) => !Object.hasOwn(accountChecks, member));
  return [
    ...known,
    ...strangers.map((member) => ({
      account: name,
      member: JSON.stringify(member.slice(0, 40)),
      rule: `is not a member of an account; there are ${Object.keys(accountChecks).join(', ')}`,
    })),
  ];
}

function nameOf(account: unknown, index: number): string {
  const { handle } = isObject(account) ? account : {};
  return `account ${index + 1}${isText(handle) ? ` ${JSON.stringify(handle.slice(0, 40))}` : ''}`;
}

/** Handles and keys that an earlier account has too. */
function repetitionsIn(accounts: readonly unknown[]): readonly AccountMistake[] {
  const seen = new Set<string>();
  return accounts.flatMap((account, index) =>
    namesOf(account).flatMap(([member, text]) => {
      const name = `${member.replace(/\W.*/, '')} ${text}`;
      if (!seen.has(name)) return seen.add(name), [];
      const rule = 'is already used; every handle and every key belongs to one account';
      return [{ account: nameOf(account, index), member, rule }];
    }),
  );
}

/** Values that no two accounts may share. */
function namesOf(account: unknown): readonly (readonly [member: string, text: string])[] {
  const { handle, apiKeys } = isObject(account) ? account : {};
  const keys: readonly unknown[] = Array.isArray(apiKeys) ? apiKeys : [];
  return [
    ['handle', handle] as const,
    ...keys.map((key, at) => [`apiKeys[${at}]`, key] as const),
  ].flatMap(([member, text]) => (isText(text) ? [[member, text] as const] : []));
}
