import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { roundMoney } from '../money/index.ts';
import { parseUnsignedMoney } from '../money/money.ts';
import { CURRENCIES } from '../resources/amounts.ts';
import { looksReal } from '../sandbox/host/names.ts';
import type { SandboxAccount } from '../sandbox/index.ts';
import { apiRows } from './api-rows.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textSchema = (rule: string, isRight: (text: string) => boolean) =>
  v.pipe(v.string(rule), v.check(isRight, rule));

const HANDLE = 'must be a string of 1 to 30 characters from a-z, 0-9, _ and -, such as "shop"';
const BALANCE =
  'must be a decimal string such as "100.00", with no more decimal places than the currency has';
const flagSchema = v.optional(v.boolean('must be true or false'));

const balanceSchema = (currency: string) =>
  textSchema(BALANCE, (amount) => {
    try {
      return roundMoney(parseUnsignedMoney({ amount, currency })) !== undefined;
    } catch {
      return false;
    }
  });

const textsSchema = (rule: string, isRight: (text: string) => boolean) =>
  v.optional(v.array(textSchema(rule, isRight), 'must be a list of strings'));

const DURATION = 'must be a whole number of milliseconds, 0 or more';
const CURRENCY_LIST = 'must be a list of at least one string';

/** Schemas for the fields that don't depend on the account's currencies. */
const plainMembers = {
  handle: textSchema(HANDLE, (text) => /^[a-z0-9][a-z0-9_-]{0,29}$/.test(text)),
  currencies: v.optional(
    v.pipe(
      v.array(v.picklist(CURRENCIES, `must be one of ${CURRENCIES.join(', ')}`), CURRENCY_LIST),
      v.nonEmpty(CURRENCY_LIST),
    ),
  ),
  scopes: textsSchema('is not a scope of the service', (text) =>
    apiRows.some(({ scope }) => scope === text),
  ),
  apiKeys: textsSchema(
    "must be 8 to 100 visible ASCII characters that don't look like a real key",
    (text) => /^[\x21-\x7e]{8,100}$/.test(text) && !looksReal(`Bearer ${text}`),
  ),
  isPrivate: flagSchema,
  canReceive: flagSchema,
  travelRule: flagSchema,
  reward: v.optional(
    textSchema('must be a decimal string such as "0.01"', (text) => /^0\.\d{1,6}$/.test(text)),
  ),
  avatarUrl: v.optional(
    textSchema(
      'must be a URL such as "https://shop.example/avatar.png"',
      (text) => /^https?:/.test(text) && URL.canParse(text),
    ),
  ),
  description: v.optional(v.string('must be a string')),
  readyAfter: v.optional(
    v.pipe(v.number(DURATION), v.safeInteger(DURATION), v.minValue(0, DURATION)),
  ),
};

/** Creates the schema for an account with these currencies. Omitting a field is a compile error. */
function accountSchema(currencies: readonly string[]) {
  const own = `a currency of the account: ${currencies.join(', ')}`;
  const balances = v.objectWithRest(
    Object.fromEntries(
      currencies.map((currency) => [currency, v.optional(balanceSchema(currency))]),
    ),
    v.never(`is not ${own}`),
  );
  const members = {
    ...plainMembers,
    defaultCurrency: v.optional(v.picklist(currencies, `must be ${own}`)),
    balances: v.optional(
      v.pipe(v.custom(isObject, 'must be an object such as {"EUR": "100.00"}'), balances),
    ),
  } satisfies Readonly<Record<keyof SandboxAccount, v.GenericSchema>>;
  const names = Object.keys(members).join(', ');
  return v.pipe(
    v.custom(isObject, 'must be an object'),
    v.objectWithRest(
      members,
      v.never(`is not a field of an account; use one of ${names}`),
      HANDLE, // `handle` is the only required field
    ),
  );
}

interface AccountMistake {
  /** The account's position in the file, counting from 1, and its handle if it has one. */
  readonly account: string;
  /** The invalid field, such as `balances.EUR`. Empty if the account itself is invalid. */
  readonly member: string;
  readonly rule: string;
}

export class AccountsFileError extends Error {
  readonly mistakes: readonly AccountMistake[];
  constructor(text: string, mistakes: readonly AccountMistake[] = []) {
    const lines = mistakes.map(
      ({ account, member, rule }) => `  ${account}${member && `, ${member}`} ${rule}`,
    );
    super([text, ...lines].join('\n'));
    this.mistakes = mistakes;
  }
}

/**
 * Reads a sandbox's accounts from a JSON file, which contains an array of `SandboxAccount` objects.
 * @throws AccountsFileError with the account, field and violated rule for every mistake
 */
export function readAccountsFile(path: string): readonly SandboxAccount[] {
  const given = parse(path);
  if (!Array.isArray(given) || given.length === 0)
    throw new AccountsFileError(`${path} must be a list of accounts: [{"handle": "shop"}]`);
  const mistakes = [...given.flatMap(mistakesIn), ...repetitionsIn(given)];
  if (mistakes.length > 0) throw new AccountsFileError(`${path} has invalid accounts:`, mistakes);
  return given as readonly SandboxAccount[];
}

/** Parses a JSON file. Errors never include the file's content, because it may contain API keys. */
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
    const [, place] = /\((line \d+ column \d+)\)/.exec(String(thrown)) ?? [];
    const where = place === undefined ? '' : `: ${place}`;
    throw new AccountsFileError(`${path} is not valid JSON${where}`);
  }
}

function mistakesIn(account: unknown, index: number): readonly AccountMistake[] {
  const { currencies } = isObject(account) ? account : {};
  const own = Array.isArray(currencies) && currencies.every((one) => typeof one === 'string');
  const { issues = [] } = v.safeParse(accountSchema(own ? currencies : CURRENCIES), account);
  return issues.map(({ path = [], expected, message }) => ({
    account: accountName(account, index),
    member:
      expected === 'never' && path.length === 1
        ? JSON.stringify(String(path[0]!.key).slice(0, 40))
        : path
            .map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
            .join('')
            .replace('.', ''),
    rule: message,
  }));
}

function accountName(account: unknown, index: number): string {
  const { handle } = isObject(account) ? account : {};
  const name = typeof handle === 'string' ? ` ${JSON.stringify(handle.slice(0, 40))}` : '';
  return `account ${index + 1}${name}`;
}

function repetitionsIn(accounts: readonly unknown[]): readonly AccountMistake[] {
  const rule = 'is already used by another account; handles and keys must be unique';
  const seen = new Set<unknown>();
  const mistakes: AccountMistake[] = [];
  for (const [index, given] of accounts.entries()) {
    const { handle, apiKeys } = isObject(given) ? given : {};
    const keys: readonly unknown[] = Array.isArray(apiKeys) ? apiKeys : [];
    const names = [`handle ${handle}`, ...keys];
    for (const [at, name] of names.entries()) {
      const member = at === 0 ? 'handle' : `apiKeys[${at - 1}]`;
      if (seen.has(name)) mistakes.push({ account: accountName(given, index), member, rule });
      if (handle !== undefined) seen.add(name);
    }
  }
  return mistakes;
}
