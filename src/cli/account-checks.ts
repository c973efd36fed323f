import * as endpoints from '../endpoints.ts';
import { money, roundMoney } from '../money/index.ts';
import { CURRENCIES } from '../resources/amounts.ts';
import { looksReal } from '../sandbox/host/journal.ts';
import type { SandboxAccount } from '../sandbox/index.ts';

/** An account as the file has it, of which nothing is known yet. */
type Given = Readonly<Record<string, unknown>>;
/** A mistake inside of a member: where, and what it must be. */
type Mistake = readonly [member: string, rule: string];
/** Says what a member must be, or what its parts must be; nothing where it is right. */
type Check = (value: unknown, account: Given) => string | readonly Mistake[];

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isObject = (value: unknown): value is Given =>
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
export const accountChecks: Readonly<Record<keyof SandboxAccount, Check>> = {
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
    return [[member, `is no currency of the account: ${currenciesOf(account).join(', ')}`]];
  try {
    roundMoney(money(amount as string, currency));
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
