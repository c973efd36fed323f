// Forms of single values, as the description names them. A shape is a test with a name.

export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'];

const shape = (name, test) => ({ name, test });
const matching = (name, pattern) =>
  shape(name, (value) => typeof value === 'string' && pattern.test(value));
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const uuid = matching('a UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
export const time = matching(
  'a date-time with offset',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?(Z|[+-]\d\d:\d\d)$/,
);
export const decimal = matching('a decimal text', /^-?\d+(\.\d+)?$/);
export const text = matching('a text', /./s);
export const hash = matching('32 bytes as hex', /^[0-9a-f]{64}$/);
export const date = matching('a date', /^\d{4}-\d\d-\d\d$/);
export const like = (pattern) => matching(`a text like ${pattern}`, pattern);
export const boolean = shape('a boolean', (value) => typeof value === 'boolean');
export const integer = shape('a whole number', (value) => Number.isInteger(value));
export const array = shape('an array', Array.isArray);
export const object = shape('an object', isObject);
export const absent = shape('nothing', (value) => value === undefined);
export const absentOrNull = shape('nothing or null', (value) => (value ?? null) === null);
export const nullish = (inner) =>
  shape(`${inner.name}, null or nothing`, (value) => (value ?? null) === null || inner.test(value));
export const one = (...values) =>
  shape(`one of ${values.join(', ')}`, (value) => values.includes(value));
export const exactly = (wanted) =>
  shape(JSON.stringify(wanted), (value) => JSON.stringify(value) === JSON.stringify(wanted));
export const currency = one(...CURRENCIES);
export const arrayOf = (inner) =>
  shape(
    `an array of ${inner.name}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every(inner.test),
  );
export const moneyIn = (...currencies) =>
  shape(
    `money in ${currencies.join(', ')}`,
    (value) => isObject(value) && decimal.test(value.amount) && currencies.includes(value.currency),
  );
export const money = moneyIn(...CURRENCIES);
export const rate = (source, target) =>
  shape(
    `a rate from ${source ?? 'any'} to ${target ?? 'any'}`,
    (value) =>
      isObject(value) &&
      decimal.test(value.amount) &&
      (source ? value.sourceCurrency === source : currency.test(value.sourceCurrency)) &&
      (target ? value.targetCurrency === target : currency.test(value.targetCurrency)),
  );
export const members = (...names) =>
  shape(
    `an object of ${names.join(', ')} alone`,
    (value) => isObject(value) && Object.keys(value).sort().join() === [...names].sort().join(),
  );

/** A plain value stands for itself. */
export const shapeOf = (given) =>
  given && typeof given.test === 'function' ? given : exactly(given);
