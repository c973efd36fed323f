// Protects: money never becomes a JavaScript number. Whatever reckons with amounts lives in src/money, over bigint;
// the rest of src may carry amounts, compare them by the functions of that room, and nothing else.
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { type Node, nodesOf, sourceFiles, textOf } from './source.ts';

/** Files that turn texts into numbers and know no money: times only. */
const MAKE_NUMBERS = ['core/time.ts', 'testing/marbles.ts'];
// `amount`, `totalFee`, `minMsat`, but not `expiresAt`.
// Known, and exact: whole satoshi over bigint. Should become `toMsat(fromSat(sats))`.
const TO_BE_MOVED = ['sandbox/resources/invoice-store.ts: amount *'];
const NAMES_AN_AMOUNT =
  /(?:^(?:amount|price|msat|sats?|fees?|balance)|[a-z\d](?:Amount|Price|Msat|Sats?|Fees?|Balance))$/;
const RECKONING = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '<',
  '>',
  '<=',
  '>=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '**=',
  '++',
  '--',
]);
const TO_NUMBER = ['Number', 'parseFloat'];

const asNode = (value: unknown): Node => (value ?? { type: 'Nothing' }) as Node;

/** The last name of `x`, `a.x`, `a['x']`, `a.x!`. */
const lastName = (value: unknown): string => {
  const node = asNode(value);
  if (node.type === 'MemberExpression') return lastName(node['property']);
  if (node.type === 'ChainExpression') return lastName(node['expression']);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : '';
  return node.type === 'Identifier' ? (node['name'] as string) : '';
};

const isAmount = (value: unknown): boolean =>
  asNode(value).type !== 'Literal' && NAMES_AN_AMOUNT.test(lastName(value));

const isOf = (owner: string, callee: unknown): boolean =>
  asNode(callee).type === 'MemberExpression' && lastName(asNode(callee)['object']) === owner;

const callOf = ({ callee, arguments: given }: Node): string | undefined => {
  const name = lastName(callee);
  if (TO_NUMBER.includes(name)) return `${name}()`;
  const takesAmount = (given as readonly unknown[]).some(isAmount);
  return takesAmount && (isOf('Math', callee) || name === 'parseInt')
    ? `${name}(amount)`
    : undefined;
};

const reckoningOf = (node: Node): string | undefined => {
  const { type, operator } = node;
  if (type === 'CallExpression' || type === 'NewExpression') return callOf(node);
  if (!RECKONING.has(`${operator as string}`)) return undefined;
  return [node['left'], node['right'], node['argument']].some(isAmount)
    ? `amount ${operator as string}`
    : undefined;
};

const offencesIn = (code: string): string[] =>
  [...nodesOf(code)].flatMap((node) => reckoningOf(node) ?? []);

describe('amounts', () => {
  it('are recognised in every way of reckoning with them', () => {
    const ways: Readonly<Record<string, number>> = {
      'Number(text)': 1,
      'globalThis.Number(text)': 1,
      'Number.parseFloat(text)': 1,
      'parseFloat(text)': 1,
      '+quote.amount': 1,
      '-quote.fee': 1,
      'a.amount + b.amount': 1,
      'amountMsat * 2': 1,
      "a['amount'] > 0": 1,
      'total += invoice?.amount': 1,
      'fee++': 1,
      'Math.max(amount, 1)': 1,
      'parseInt(amount, 10)': 1,
      'amount! - 1': 1,
      '(amount as never) < 1': 1,
      'addMoney(a, b)': 0,
      '`${amount} BTC`': 0,
      'amount === other': 0,
      'amounts.length > 1': 0,
      'Number.isInteger(x)': 0,
      'parseInt(hex, 16)': 0,
      'at + 1; -1; +seconds; now - sentAt; expiresAt - now': 0,
      '// amount + 1': 0,
      'const f = (amount: number) => amount': 0,
      'format(x) + 1; satisfied + 1': 0,
    };
    for (const [code, times] of Object.entries(ways))
      expect(offencesIn(code), code).to.have.length(times);
  });

  it('are reckoned with in src/money only', () =>
    expectNone(
      sourceFiles
        .filter((file) => !file.startsWith('money/') && !MAKE_NUMBERS.includes(file))
        .flatMap((file) => offencesIn(textOf(file)).map((what) => `${file}: ${what}`))
        .filter((offence) => !TO_BE_MOVED.includes(offence)),
    ));

  it('do not become numbers inside src/money either', () =>
    expectNone(
      sourceFiles
        .filter((file) => file.startsWith('money/'))
        .flatMap((file) =>
          offencesIn(textOf(file))
            .filter((what) => what.endsWith(')'))
            .map((what) => `${file}: ${what}`),
        ),
    ));
});
