// Forms of single values, as the description names them. A shape is a test with a name.
import type { Values } from './fact.ts';

const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'];

/** A test of a value, with a name. */
export interface ValueForm {
  readonly name: string;
  test(value: unknown): boolean;
}

const shape = (name: string, test: (value: unknown) => boolean): ValueForm => ({ name, test });
const matching = (name: string, pattern: RegExp): ValueForm =>
  shape(name, (value) => typeof value === 'string' && pattern.test(value));
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const uuid = matching('a UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
export const time = matching(
  'a date-time with offset',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?(Z|[+-]\d\d:\d\d)$/,
);
export const decimal = matching('a decimal text', /^-?\d+(\.\d+)?$/);
export const text = matching('a text', /./s);
export const hash = matching('32 bytes as hex', /^[0-9a-f]{64}$/);
export const date = matching('a date', /^\d{4}-\d\d-\d\d$/);
export const like = (pattern: RegExp): ValueForm => matching(`a text like ${pattern}`, pattern);
export const boolean = shape('a boolean', (value) => typeof value === 'boolean');
export const integer = shape('a whole number', (value) => Number.isInteger(value));
export const array = shape('an array', Array.isArray);
export const object = shape('an object', isObject);
export const absent = shape('nothing', (value) => value === undefined);
export const absentOrNull = shape('nothing or null', (value) => (value ?? null) === null);
export const nullish = (inner: ValueForm): ValueForm =>
  shape(`${inner.name}, null or nothing`, (value) => (value ?? null) === null || inner.test(value));
export const one = (...values: readonly unknown[]): ValueForm =>
  shape(`one of ${values.join(', ')}`, (value) => values.includes(value));
export const exactly = (wanted: unknown): ValueForm =>
  shape(JSON.stringify(wanted), (value) => JSON.stringify(value) === JSON.stringify(wanted));
export const currency = one(...CURRENCIES);
export const arrayOf = (inner: ValueForm): ValueForm =>
  shape(
    `an array of ${inner.name}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every(inner.test),
  );
export const moneyIn = (...currencies: readonly string[]): ValueForm =>
  shape(
    `money in ${currencies.join(', ')}`,
    (value) =>
      isObject(value) &&
      decimal.test(value['amount']) &&
      currencies.some((one) => one === value['currency']),
  );
export const money = moneyIn(...CURRENCIES);
export const rate = (source?: string, target?: string): ValueForm =>
  shape(
    `a rate from ${source ?? 'any'} to ${target ?? 'any'}`,
    (value) =>
      isObject(value) &&
      decimal.test(value['amount']) &&
      (source ? value['sourceCurrency'] === source : currency.test(value['sourceCurrency'])) &&
      (target ? value['targetCurrency'] === target : currency.test(value['targetCurrency'])),
  );
export const members = (...names: readonly string[]): ValueForm =>
  shape(
    `an object of ${names.join(', ')} alone`,
    (value) => isObject(value) && Object.keys(value).sort().join() === [...names].sort().join(),
  );

/** A plain value matches itself alone. */
export const shapeOf = (given: unknown): ValueForm => (isShape(given) ? given : exactly(given));

const isShape = (given: unknown): given is ValueForm =>
  isObject(given) && typeof given['test'] === 'function';

// Members inside JSON by their path, such as `beneficiaries.0.name`.

export const valueAt = <T = unknown>(json: unknown, path: string): T =>
  (path === ''
    ? json
    : path
        .split('.')
        .reduce<unknown>(
          (inside, name) => (inside as Values | null | undefined)?.[name],
          json,
        )) as T;

/** A copy with one member set; `undefined` leaves it out. */
export function withValue(json: unknown, path: string, value: unknown): object {
  const copy = (structuredClone(json) ?? {}) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop()!;
  const inside = names.reduce(
    (object, name) => (object[name] ??= {}) as Record<string, unknown>,
    copy,
  );
  if (value !== undefined) inside[last] = value;
  else if (Array.isArray(inside)) inside.splice(parseInt(last, 10), 1);
  else delete inside[last];
  return copy;
}

/** A copy with several members set. */
export const withValues = (json: object, values: Values): object =>
  Object.entries(values).reduce((copy, [path, value]) => withValue(copy, path, value), json);

/** Texts such as `{id}` in a path, by the members of an object; each is one segment. */
export const filled = (path: string, values: object): string =>
  path.replaceAll(/\{([\w.]+)\}/g, (_, name: string) =>
    encodeURIComponent(valueAt<string>(values, name)),
  );

/** A query with its values encoded. */
export const queryOf = (values: Values): string =>
  Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((single) => [name, single]))
    .map(([name, value], at) => `${at ? '&' : '?'}${name}=${encodeURIComponent(String(value))}`)
    .join('');

/** A value as it is read later: times of a creation have a seventh digit, others have not. */
export const asRead = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(value).replaceAll(
          /(T\d\d:\d\d:\d\d)\.(\d{1,6})\d*(?=[Z+-])/g,
          (_, seconds: string, part: string) => `${seconds}.${part.padEnd(6, '0')}`,
        ),
      );

/** An amount as whole units of `digits` decimals; what it has beyond them is cut. */
export function wholeUnits(amount: string, digits: number): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}
