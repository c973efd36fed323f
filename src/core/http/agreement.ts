import type { AnyEndpoint, Paths } from './endpoint.ts';

/** What was asked for, by name. */
export type Asked = Readonly<Record<string, unknown>>;

/** Every promised member of the response is what the draft asks for. */
export function agreesWith(
  { agrees: { exact, text, amount } = {} }: Pick<AnyEndpoint, 'agrees'>,
  asked: unknown,
  value: unknown,
): boolean {
  const all = (paths: Paths = {}, isSame: (one: unknown, other: unknown) => boolean) =>
    Object.entries(paths).every(([answered, from]) => {
      const [one, other] = [memberOf(asked, from), memberOf(value, answered)];
      return one === undefined || other === undefined || isSame(one, other);
    });
  return (
    all(exact, (one, other) => one === other) &&
    all(text, (one, other) => plain(one) === plain(other) || isMasked(other)) &&
    (isInclusive(asked) || all(amount, isSameAmount))
  );
}

/** The member at a path such as `source.currency`; one that is null is absent. */
function memberOf(value: unknown, path: string): unknown {
  const found = path
    .split('.')
    .reduce<unknown>((part, name) => (part as Asked | null | undefined)?.[name], value);
  return found ?? undefined;
}

/** The caller wants the fee to be taken from the amount. */
export function isInclusive(asked: unknown): boolean {
  return ['feePolicy', 'amount.feePolicy'].some((path) => memberOf(asked, path) === 'INCLUSIVE');
}

function plain(text: unknown): string {
  return `${text}`.toLowerCase().replace(/[\s-]|\/$/g, '');
}

/** An account number of which only the last digits are shown. */
function isMasked(text: unknown): boolean {
  return `${text}`.includes('**');
}

/** Money, or decimal text: equal by value, and in currency where both name one. */
export function isSameAmount(one: unknown, other: unknown): boolean {
  const [amount, currency] = partsOf(one);
  const [answered, otherCurrency] = partsOf(other);
  return amount === answered && (currency ?? otherCurrency) === (otherCurrency ?? currency);
}

function partsOf(amount: unknown): readonly [amount: bigint, currency?: unknown] {
  return typeof amount === 'string'
    ? [scale(amount)]
    : [scale(memberOf(amount, 'amount') as string), memberOf(amount, 'currency')];
}

/** A decimal text as a whole number of its thirtieth digit. */
export function scale(decimal: string): bigint {
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(30, '0'));
}
