import {
  badField,
  badInput,
  checkOptions,
  InputError,
  ValidationError,
  toValidationErrors,
  type Violation,
} from '../core/errors/index.ts';
import { bytesOfHex } from '../core/platform.ts';
import { parseTicks } from '../core/time.ts';
import { sha256Hex } from '../lightning/hashes.ts';
import { addMoney, convertMoney, isSameMoney, type Money, multiplyMoney } from '../money/index.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import { type SchemaOf, makeShape } from '../resources/wire.ts';
import { textOfTicks, TICKS_PER_MS, ticksOfMillis } from '../sandbox/time/instants.ts';
import type { Maker, MakeOptions, Members } from './members.ts';

/** Problems by field path. */
type Problems = Readonly<Record<string, string | false | undefined>>;

interface Recipe<T> {
  /** Returns a typical service value that fits the chosen fields. */
  usual(chosen: Members<T>, origin: Origin): T;
  /** Returns contradictions that the schema can't detect. */
  problems?(value: T): Problems;
}

export function maker<T extends object>(
  name: string,
  schema: SchemaOf<T>,
  recipe: Recipe<T>,
): Maker<T> {
  const { read } = makeShape(schema);
  return (members = {} as Members<T>, options = {}) => {
    try {
      if (!isPlain(members)) throw badField('members', 'must be an object');
      const origin = readOptions(options);
      const value = merge(usualValue(recipe, members, origin, read), members) as T;
      read(value);
      const violations = Object.entries({
        ...timeProblems(value, ''),
        ...recipe.problems?.(value),
      }).flatMap(([field, advice]): Violation[] =>
        advice ? [{ field, code: 'INVALID_DATA_VALUE', advice }] : [],
      );
      if (violations.length > 0) throw new ValidationError(violations);
      return value;
    } catch (thrown) {
      throw impossible(name, thrown);
    }
  };
}

/**
 * Returns a typical value. If none fits the chosen fields, the schema reports which field is wrong.
 */
function usualValue<T extends object>(
  { usual }: Recipe<T>,
  members: Members<T>,
  origin: Origin,
  read: (value: unknown) => T,
): T {
  try {
    return usual(members, origin);
  } catch (thrown) {
    read(merge(usual({} as Members<T>, origin), members));
    throw thrown;
  }
}

export function impossible(name: string, thrown: unknown): unknown {
  const known = thrown instanceof InputError || thrown instanceof ValidationError;
  if (!known) return thrown;
  return new InputError(`${name}: ${thrown.message} (INPUT_INVALID)`, {
    code: 'INPUT_INVALID',
    outcome: 'not-done',
    next: 'fix-input',
    validationErrors:
      thrown instanceof InputError
        ? thrown.validationErrors
        : toValidationErrors(thrown.violations),
  });
}

type Loose = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Merges two values deeply. Omits undefined fields. The result shares no objects with the
 * arguments.
 */
function merge(value: unknown, members: unknown): unknown {
  if (Array.isArray(members)) return members.map((one) => merge(one, one));
  if (!isPlain(members)) return members;
  const own = isPlain(value) ? value : {};
  const names = new Set([...Object.keys(own), ...Object.keys(members)]);
  const merged = [...names].map((name): [string, unknown] => {
    const chosen = Object.hasOwn(members, name) ? members[name] : own[name];
    return [name, merge(Object.hasOwn(own, name) ? own[name] : undefined, chosen)];
  });
  // an assignment would treat `__proto__` specially
  return Object.fromEntries(merged.filter(([, one]) => one !== undefined));
}

/** Types of values that have an id. Add new ones at the end, so existing ids don't change. */
const KINDS = [
  'account',
  'invoice',
  'invoiceQuote',
  'transaction',
  'payment',
  'paymentQuote',
  'currencyExchangeQuote',
  'bankPaymentMethod',
  'payoutOriginator',
  'payout',
  'payoutTransaction',
  'deposit',
  'receiveRequest',
  'receive',
  'subscription',
  'event',
] as const;

type Kind = (typeof KINDS)[number];

/** Default for `startAt`, which is 2026-01-05T09:00:00Z. */
const START = 1_767_603_600_000;
const LAST_INDEX = 999_999_999;

/** Source of a value's ids, secrets and times, which only depend on its index. */
export interface Origin {
  readonly index: number;
  /** Creation time of the first value of its type, in milliseconds since 1970. */
  readonly startAt: number;
  readonly created: string;
  /** Returns an id of this type with the same index as the value. */
  id(kind: Kind): string;
}

function readOptions(options: MakeOptions): Origin {
  checkOptions<MakeOptions>(options, { index: 'number', startAt: 'number' });
  const { index = 0, startAt = START } = options;
  if (!Number.isInteger(index) || index < 0 || index > LAST_INDEX)
    throw badInput('index', `must be a whole number from 0 to ${LAST_INDEX}`);
  if (!(startAt >= 0 && startAt < 8e15))
    throw badInput('startAt', 'must be a time in milliseconds');
  return {
    index,
    startAt,
    created: textOfTicks(ticksOfMillis(startAt + index * 1_000)),
    id: (kind) => makeId(kind, index),
  };
}

/** Returns a readable UUID that encodes the type and the index. The index defaults to 0. */
export function makeId(kind: Kind, index = 0): string {
  const number = (value: number, digits: number): string => `${value}`.padStart(digits, '0');
  return `${number(KINDS.indexOf(kind) + 1, 8)}-0000-4000-8000-${number(index, 12)}`;
}

/** Adds milliseconds to a time. Returns an invalid time unchanged. */
export function after(time: string, ms: number): string {
  const ticks = parseTicks(time);
  return ticks === undefined ? time : textOfTicks(ticks + BigInt(Math.trunc(ms)) * TICKS_PER_MS);
}

/** Returns a preimage and its hash, which depend only on the id. */
export function secretFor(id: string): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = sha256Hex(new TextEncoder().encode(id));
  return { preimage, paymentHash: sha256Hex(bytesOfHex(preimage)!) };
}

/** Returns the chosen amount. Missing fields get the defaults. */
export function chosenMoney(
  chosen: Members<Money> | undefined,
  amount: string,
  currency = 'EUR',
): Money {
  return { amount: chosen?.amount ?? amount, currency: chosen?.currency ?? currency };
}

/** Returns an exchange rate with simple, constant numbers, unless you chose them. */
export function chosenRate(
  chosen: Members<QuotedRate> | undefined,
  source: string,
  target: string,
): QuotedRate {
  const amount = source === 'BTC' ? '60000.00' : target === 'BTC' ? '0.00002' : '1.25';
  return {
    amount: chosen?.amount ?? amount,
    sourceCurrency: chosen?.sourceCurrency ?? source,
    targetCurrency: chosen?.targetCurrency ?? target,
  };
}

export function convert(money: Money, rate: QuotedRate): Money {
  return convertMoney(money, rate, { asOf: 0, rounding: 'up' }).value;
}

/**
 * Returns a fee, which defaults to a thousandth of the amount, and the total. If the fee has
 * another currency, the total is the amount.
 */
export function addFee(
  amount: Money,
  chosen: Members<Money> | undefined,
): { readonly fee: Money; readonly total: Money } {
  const usual = multiplyMoney(amount, '0.001', { rounding: 'up' });
  const fee = chosenMoney(chosen, usual.amount, usual.currency);
  return { fee, total: fee.currency === amount.currency ? addMoney(amount, fee) : amount };
}

const TIMES = [
  'created',
  'initiated',
  'completed',
  'delivered',
  'validUntil',
  'expiration',
  'expires',
  'settledAt',
];
/** Time fields whose values must be in this order. */
const IN_ORDER = ['created', 'initiated', 'completed'];

/** Finds times that are invalid or in the wrong order, including those in nested values. */
function timeProblems(value: object, path: string): Problems {
  const members = new Map<string, unknown>(Object.entries(value));
  const problems: Record<string, string> = {};
  let earlier: { readonly name: string; readonly at: bigint } | undefined;
  for (const name of IN_ORDER) {
    const at = parseTicks(`${members.get(name)}`);
    if (at === undefined) continue;
    if (earlier && at < earlier.at)
      problems[path + name] = `must not be before ${path}${earlier.name}`;
    earlier = { name, at };
  }
  for (const [name, one] of members)
    if (TIMES.includes(name) && typeof one === 'string' && parseTicks(one) === undefined)
      problems[path + name] = 'must be a date-time such as 2026-01-05T09:00:00+00:00';
    else if (typeof one === 'object' && one !== null)
      Object.assign(problems, timeProblems(one, `${path}${name}.`));
  return problems;
}

/**
 * Finds fields that mustn't be present in the value's state.
 * @param absent for each field path, the states in which the field must be absent
 */
export function absentProblems(
  value: { readonly state: string },
  absent: Readonly<Record<string, readonly string[]>>,
): Problems {
  const { state } = value;
  const isThere = (path: string): boolean => {
    const found = path.split('.').reduce<unknown>((one, name) => (one as Loose)?.[name], value);
    return found !== undefined && found !== null;
  };
  return Object.fromEntries(
    Object.entries(absent)
      .filter(([path, states]) => states.includes(state) && isThere(path))
      .map(([path]) => [path, `must be omitted when state is ${state}`]),
  );
}

/** Finds a total that isn't the sum of its parts. Skips totals with an absent part. */
export function sumProblem<Name extends string>(
  value: { readonly [Each in Name]?: Money | undefined },
  total: Name,
  ...parts: readonly Name[]
): Problems {
  const sum = value[total];
  const amounts = parts.map((part) => value[part] ?? undefined).filter((one) => one !== undefined);
  if (!sum || amounts.length < parts.length) return {};
  const names = parts.join(' and ');
  if (amounts.some(({ currency }) => currency !== sum.currency))
    return { [total]: `must be in the currency of ${names}` };
  if (amounts.some(({ amount }) => amount.startsWith('-'))) return {};
  return { [total]: !isSameMoney(amounts.reduce(addMoney), sum) && `must be ${names} together` };
}
