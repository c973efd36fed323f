import type { AnyEndpoint, Asked, Paths } from './endpoint.ts';

/** Pairs the fields of a draft with the fields of the response that should repeat them. */
export function echoesIn(
  paths: Paths = {},
  asked: unknown,
  value: unknown,
): readonly { readonly field: string; readonly asked: unknown; readonly found: unknown }[] {
  return Object.entries(paths)
    .map(([field, from]) => ({
      field,
      asked: readMember(asked, from),
      found: readMember(value, field),
    }))
    .filter((echo) => echo.asked !== undefined && echo.found !== undefined);
}

/**
 * Checks whether a response can belong to the draft that was sent. Free text is only compared for
 * requests without an idempotency key.
 */
export function agreesWith(
  {
    agrees: { exact, ids, text, amount } = {},
    idempotency,
  }: Pick<AnyEndpoint, 'agrees' | 'idempotency'>,
  asked: unknown,
  value: unknown,
): boolean {
  const all = (paths: Paths | undefined, isSame: (one: unknown, other: unknown) => boolean) =>
    echoesIn(paths, asked, value).every((echo) => isSame(echo.asked, echo.found));
  return (
    all(exact, (one, other) => one === other) &&
    all(ids, (one, other) => lower(one) === lower(other)) &&
    (idempotency !== 'none' ||
      all(text, (one, other) => other === '' || canBeText(lower(one), lower(other)))) &&
    (isInclusive(asked) || all(amount, isRounded))
  );
}

function lower(text: unknown): string {
  return `${text}`.toLowerCase();
}

const MASK = /[x*•#]{2}/i;
const ASCII = /^[a-z\d]$/i;
/**
 * Maximum number of ASCII letters in the transliteration of a single letter. An example is `sch`
 * for `щ`.
 */
const MOST_LETTERS = 3;
/**
 * Maximum number of characters to compare. The limit exists because the running time grows with the
 * product of both lengths.
 */
const COMPARED_LENGTH = 500;

/**
 * Checks whether `text` could be a masked, truncated, trimmed or transliterated version of `whole`.
 * Letters may be missing, but must not be replaced with others.
 */
export function canBeText(whole: string, text: string): boolean {
  if (MASK.test(text)) return true;
  const found = keepLetters(text);
  if (found === '') return keepLetters(whole) === '';
  // lengths of all prefixes of `found` that match the letters compared so far
  const reached = new Set([0]);
  for (const letter of whole.slice(0, 2 * COMPARED_LENGTH))
    for (const base of keepLetters(letter))
      for (const at of [...reached])
        for (const end of writtenEnds(letter, base, found, at)) reached.add(end);
  return reached.has(found.length);
}

/**
 * Yields all positions in `found` where a letter that starts at `at` can end. For example, `ä` may
 * be written as a, ae or aa.
 */
function* writtenEnds(letter: string, base: string, found: string, at: number): Generator<number> {
  if (found[at] === base) {
    yield at + 1;
    if (letter !== base && ['e', base].includes(found[at + 1] ?? '')) yield at + 2;
  }
  if (ASCII.test(base)) return;
  for (let end = at; end < at + MOST_LETTERS && ASCII.test(found[end] ?? ''); ) yield ++end;
}

function keepLetters(text: string): string {
  return text
    .slice(0, COMPARED_LENGTH)
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the value at a path such as `source.currency`, or `undefined` if it's null or absent. */
function readMember(value: unknown, path: string): unknown {
  const found = path
    .split('.')
    .reduce<unknown>((part, name) => (part as Asked | null | undefined)?.[name], value);
  return found ?? undefined;
}

export function isInclusive(asked: unknown): boolean {
  return ['feePolicy', 'amount.feePolicy'].some((path) => readMember(asked, path) === 'INCLUSIVE');
}

/**
 * Compares two amounts or decimal strings by value, and by currency if both have one. Ignores
 * differences smaller than `unit`, which has 30 decimal places.
 */
export function isSameAmount(one: unknown, other: unknown, unit: bigint = 1n): boolean {
  const currency = readMember(one, 'currency');
  const otherCurrency = readMember(other, 'currency');
  const gap = scale(decimalIn(one)) - scale(decimalIn(other));
  return gap < unit && -gap < unit && (currency ?? otherCurrency) === (otherCurrency ?? currency);
}

/**
 * Checks whether `found` is the requested amount, possibly rounded to the currency's decimal
 * places.
 */
export function isRounded(asked: unknown, found: unknown): boolean {
  const [, fraction = ''] = decimalIn(found).replace(/0+$/, '').split('.');
  const digits = Math.max(fraction.length, readMember(found, 'currency') === 'BTC' ? 8 : 2);
  return isSameAmount(asked, found, 10n ** BigInt(30 - digits));
}

function decimalIn(amount: unknown): string {
  return (typeof amount === 'string' ? amount : readMember(amount, 'amount')) as string;
}

/**
 * Converts a decimal string to an integer by multiplying it by 10^30. An amount has at most 30
 * decimal places.
 */
export function scale(decimal: string): bigint {
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(30, '0'));
}
