import {
  badField,
  badInput,
  InputError,
  ValidationError,
  validationErrorsOf,
  type Violation,
} from '../core/errors/index.ts';
import type { Shape } from '../core/http/index.ts';
import { bytesOfHex } from '../core/platform.ts';
import { type Ticks, ticksOf } from '../core/time.ts';
import { sha256Hex } from '../lightning/hashes.ts';
import { addMoney, convertMoney, isSameMoney, type Money, multiplyMoney } from '../money/index.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import { textOfTicks, TICKS_PER_MS, ticksOfMillis } from '../sandbox/time/instants.ts';

/**
 * The members to choose of a value that a factory makes; all others get usual values. Objects are
 * chosen member by member, arrays as a whole, and `undefined` leaves an optional member out. A
 * member or text that is not known here passes; the compiler takes an unknown member by a spread:
 * `{ ...{ somethingNew: 1 } }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** The number of its kind that is made, and its time. */
export interface MakeOptions {
  /**
   * 0 (default), 1, 2, …: ids, names and times differ by it. What a value refers to is the first of
   * its kind, unless it is named.
   */
  readonly index?: number | undefined;
  /**
   * When the one with index 0 was created, milliseconds since 1970; the others follow a second
   * apart. 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/** An object, and no array. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy of the value with the chosen members in the place of its own. What is undefined is left
 * out, and nothing is shared with another value.
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
  // not by assignment, so that `__proto__` is a name like any other
  return Object.fromEntries(merged.filter(([, one]) => one !== undefined));
}

/** Kinds of values with an id; new ones at the end, so that ids stay as they are. */
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

/** 2026-01-05T09:00:00Z. */
const START = 1_767_603_600_000;
const LAST_INDEX = 999_999_999;

/** The source of ids, secrets and times of one value: its index alone. */
export interface Origin {
  readonly index: number;
  /** When the first of its kind was created, milliseconds since 1970. */
  readonly startAt: number;
  /** When it was created. */
  readonly created: string;
  /** Its id, or that of another one of that kind. */
  id(kind: Kind, index?: number): string;
}

/** Checks what a caller gave. */
function originOf({ index = 0, startAt = START }: MakeOptions): Origin {
  if (!Number.isInteger(index) || index < 0 || index > LAST_INDEX)
    throw badInput('index', `must be a whole number from 0 to ${LAST_INDEX}`);
  if (!(startAt >= 0 && startAt < 8e15))
    throw badInput('startAt', 'must be a time in milliseconds');
  return {
    index,
    startAt,
    created: textOfTicks(ticksOfMillis(startAt + index * 1_000)),
    id: (kind, at = index) => idOf(kind, at),
  };
}

/** The id of the first one of a kind, or of another: a UUID that shows both. */
export function idOf(kind: Kind, index = 0): string {
  const number = (value: number, digits: number): string => `${value}`.padStart(digits, '0');
  return `${number(KINDS.indexOf(kind) + 1, 8)}-0000-4000-8000-${number(index, 12)}`;
}

/** A time this number of milliseconds after another; an invalid one stays as it is. */
export function after(time: string, ms: number): string {
  const ticks = ticksOf(time);
  return ticks === undefined ? time : textOfTicks(ticks + BigInt(Math.trunc(ms)) * TICKS_PER_MS);
}

/** 32 bytes in hex that depend on the id alone, with their hash. */
export function secretOf(id: string): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = sha256Hex(new TextEncoder().encode(id));
  return { preimage, paymentHash: sha256Hex(bytesOfHex(preimage)!) };
}

/** The amount that was chosen, or in the chosen currency the usual one. */
export function moneyOf(
  chosen: Members<Money> | undefined,
  amount: string,
  currency = 'EUR',
): Money {
  return { amount: chosen?.amount ?? amount, currency: chosen?.currency ?? currency };
}

/** The price of one currency in another: easy figures, which hold still. */
export function rateOf(
  source: string,
  target: string,
  chosen: Members<QuotedRate> | undefined,
): QuotedRate {
  const amount = source === 'BTC' ? '60000.00' : target === 'BTC' ? '0.00002' : '1.25';
  return {
    amount: chosen?.amount ?? amount,
    sourceCurrency: chosen?.sourceCurrency ?? source,
    targetCurrency: chosen?.targetCurrency ?? target,
  };
}

/** An amount in the other currency of a rate. */
export function convert(money: Money, rate: QuotedRate): Money {
  return convertMoney(money, rate, { asOf: 0, rounding: 'up' }).value;
}

/** A small part of an amount, in whole units of its currency. */
export function feeOf(money: Money, part: string): Money {
  return multiplyMoney(money, part, { rounding: 'up' });
}

/** A member that cannot be so, and what to do about it. */
export type Broken = readonly [field: string, advice: string];

/** The recipe for one kind of value. */
interface Recipe<T> {
  /** Name of the function, for its errors. */
  readonly name: string;
  readonly shape: Shape<T>;
  /** The value as the service would give it, to which the chosen members belong. */
  usual(chosen: Members<T>, origin: Origin): T;
  /** A contradiction in a value of the right shape. */
  broken?(value: T): readonly (Broken | false | undefined)[];
}

/** Makes a value with the chosen members, or says which of them cannot be. */
export function make<T extends object>(
  recipe: Recipe<T>,
  chosen: Members<NoInfer<T>>,
  options: MakeOptions,
): T {
  const { name, shape, broken } = recipe;
  try {
    if (!isPlain(chosen)) throw badField('members', 'must be an object');
    if (!isPlain(options)) throw badField('options', 'must be an object');
    const value = merge(usualOf(recipe, chosen as Members<T>, originOf(options)), chosen) as T;
    shape.read(value);
    const rules = [...brokenTimes(value, ''), ...(broken?.(value) ?? [])];
    const violations = rules.flatMap((one) => (one ? violationOf(one) : []));
    if (violations.length > 0) throw new ValidationError(violations);
    return value;
  } catch (thrown) {
    throw impossible(name, thrown);
  }
}

/**
 * The usual value; where none can be made of what was chosen, the shape says what is wrong with
 * that.
 */
function usualOf<T extends object>(
  { shape, usual }: Recipe<T>,
  chosen: Members<T>,
  origin: Origin,
): T {
  try {
    return usual(chosen, origin);
  } catch (thrown) {
    shape.read(merge(usual({} as Members<T>, origin), chosen));
    throw thrown;
  }
}

function violationOf([field, advice]: Broken): Violation {
  return { field, code: 'INVALID_DATA_VALUE', advice };
}

/** The error of one factory for what its schema, its rules or its arithmetic refused. */
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
        : validationErrorsOf(thrown.violations),
  });
}

/** Members that are date-times in every resource. */
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
/** Times that cannot be before the one in front of them. */
const IN_ORDER = ['created', 'initiated', 'completed'];

/** Invalid times, and those in the wrong order, of a value and of all in it. */
function brokenTimes(value: object, path: string): readonly Broken[] {
  const broken: Broken[] = [];
  let earlier: readonly [name: string, at: Ticks] | undefined;
  for (const name of IN_ORDER) {
    const at = ticksOf(`${(value as Record<string, unknown>)[name]}`);
    if (at !== undefined && earlier && at < earlier[1])
      broken.push([path + name, `must not be before ${path}${earlier[0]}`]);
    if (at !== undefined) earlier = [name, at];
  }
  for (const [name, one] of Object.entries(value))
    if (TIMES.includes(name) && typeof one === 'string' && ticksOf(one) === undefined)
      broken.push([path + name, 'must be a date-time such as 2026-01-05T09:00:00+00:00']);
    else if (typeof one === 'object' && one !== null)
      broken.push(...brokenTimes(one, `${path}${name}.`));
  return broken;
}

/**
 * Members that are there, although the state does not have them; a state that is not known has all.
 */
export function notYet<T extends { readonly state: string }>(
  value: T,
  absent: Readonly<Record<string, readonly string[]>>,
): readonly Broken[] {
  const { state } = value;
  const members = value as Readonly<Record<string, unknown>>;
  return (Object.hasOwn(absent, state) ? absent[state]! : [])
    .filter((name) => (members[name] ?? undefined) !== undefined)
    .map((name) => [name, `must be absent: it does not belong to the state ${state}`]);
}

/** A sum that is not that of its parts; what is absent is not compared. */
export function brokenSum(
  [name, sum]: readonly [name: string, sum: Money],
  ...parts: readonly (readonly [name: string, part: Money | undefined])[]
): Broken | undefined {
  const names = parts.map(([part]) => part).join(' and ');
  const amounts = parts.map(([, part]) => part);
  if (amounts.some((amount) => !amount)) return undefined;
  const one = amounts as readonly Money[];
  if (one.some(({ currency }) => currency !== sum.currency))
    return [name, `must be in the currency of ${names}`];
  if (one.some(({ amount }) => amount.startsWith('-'))) return undefined;
  return isSameMoney(one.reduce(addMoney), sum) ? undefined : [name, `must be ${names} together`];
}
