import {
  badField,
  InputError,
  ValidationError,
  validationErrorsOf,
  type Violation,
} from '../core/errors/index.ts';
import type { Shape } from '../core/http/index.ts';
import { ticksOf, type Ticks } from '../core/time.ts';
import { addMoney, isSameMoney, type Money } from '../money/index.ts';
import { isPlain, type MakeOptions, type Members, merge } from './members.ts';
import { type Origin, originOf } from './origin.ts';

/** A member that cannot be so, and what to do about it. */
export type Broken = readonly [field: string, advice: string];

/** How one kind of value is made. */
interface Recipe<T> {
  /** Name of the function, for its errors. */
  readonly name: string;
  readonly shape: Shape<T>;
  /** The value as the service would give it, to which the chosen members belong. */
  usual(chosen: Members<T>, origin: Origin): T;
  /** What contradicts itself, in a value of the right shape. */
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

/** The usual value; where none can be made of what was chosen, the shape says what is wrong with that. */
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
/** What cannot be before the one in front of it. */
const IN_ORDER = ['created', 'initiated', 'completed'];

/** Times that are none, and those in the wrong order, of a value and of all in it. */
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

/** Members that are there, although the state does not have them; a state that is not known has all. */
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
