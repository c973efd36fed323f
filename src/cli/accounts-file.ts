import { readFileSync } from 'node:fs';
import type { SandboxAccount } from '../sandbox/index.ts';
import { accountChecks, isObject, isText } from './account-checks.ts';

/** One mistake in a file of accounts. */
interface AccountMistake {
  /** Which account, counted from 1, with its handle where it has one. */
  readonly account: string;
  /** Which member, such as `balances.EUR`; empty where it is the account itself. */
  readonly member: string;
  /** What it must be. */
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

/** What is not JSON is not repeated in the error: a secret may stand there. */
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
      rule: `is no member of an account; there are ${Object.keys(accountChecks).join(', ')}`,
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
      const rule = 'is there already; every handle and every key belongs to one account';
      return [{ account: nameOf(account, index), member, rule }];
    }),
  );
}

/** What must be an account's alone. */
function namesOf(account: unknown): readonly (readonly [member: string, text: string])[] {
  const { handle, apiKeys } = isObject(account) ? account : {};
  const keys: readonly unknown[] = Array.isArray(apiKeys) ? apiKeys : [];
  return [
    ['handle', handle] as const,
    ...keys.map((key, at) => [`apiKeys[${at}]`, key] as const),
  ].flatMap(([member, text]) => (isText(text) ? [[member, text] as const] : []));
}
