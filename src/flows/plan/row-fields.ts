import { badInput, isPaystateError, type Violation } from '../../core/errors/index.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import type { OnchainTierChoice } from '../../resources/payment-quotes.ts';
import { readShare, readTierChoice, readWay } from '../pay/intent.ts';
import type { PlanRow } from './planned.ts';

// How each member of a row is checked. Error texts never repeat a value, because it may be a
// secret.

/** Names the place of a member of the row in the text. */
type PlaceOf = (member: string) => string;

/** A row and its place in the text. */
export interface ReadRow {
  readonly row: PlanRow;
  readonly placeOf: PlaceOf;
}

/** Makes a violation from a mistake and its place. */
export function violation(field: string, advice: string): Violation {
  return { field, code: 'INVALID_DATA_VALUE', advice };
}

type Reader = (value: unknown, member: string) => unknown;

const MAX_INTENT_LENGTH = 200;

const readText: Reader = (value, member) => {
  if (typeof value !== 'string' || value === '') throw badInput(member, 'must be a text');
  if (value === value.trim()) return value;
  throw badInput(member, 'must not start or end with spaces');
};

const readIntent: Reader = (value, member) => {
  const intent = readText(value, member) as string;
  if (intent.length <= MAX_INTENT_LENGTH) return intent;
  throw badInput(member, `must have at most ${MAX_INTENT_LENGTH} characters`);
};

const readDestination: Reader = (value, member) => {
  const to = readText(value, member) as string;
  readWay(to);
  return to;
};

const readMoney: Reader = (value) => parseUnsignedMoney(value);

const readSlip: Reader = (value, member) => readShare(member, value);

const readFee: Reader = (value, member) =>
  value === 'any' || (typeof value === 'object' && value !== null && 'percent' in value)
    ? readShare(member, value)
    : parseUnsignedMoney(value);

/** Reads an amount without its currency, which the bank method decides. */
const readDecimal: Reader = (value) =>
  parseUnsignedMoney({ amount: value, currency: 'EUR' }).amount;

const readPolicy: Reader = (value, member) => {
  if (value === 'INCLUSIVE' || value === 'EXCLUSIVE') return value;
  throw badInput(member, 'must be INCLUSIVE or EXCLUSIVE');
};

const readFlag: Reader = (value, member) => {
  if (typeof value === 'boolean') return value;
  throw badInput(member, 'must be true or false');
};

const BENEFICIARY: Readonly<Record<string, Reader>> = {
  isOwnDestination: readFlag,
  type: readText,
  destinationType: readText,
  vaspId: readText,
  vaspName: readText,
  businessName: readText,
  individualFirstName: readText,
  individualLastName: readText,
  nationalIdentifier: readText,
};

const MEMBERS: Readonly<Record<string, Reader>> = {
  intent: readIntent,
  to: readDestination,
  amount: readMoney,
  sourceCurrency: readText,
  maxFee: readFee,
  feePolicy: readPolicy,
  maxTotal: (value, member) => (value === 'any' ? value : readMoney(value, member)),
  maxRateSlip: readSlip,
  description: readText,
  onchainTierId: readText,
  onchainTier: (value) => readTierChoice(value as OnchainTierChoice),
};

/** Members of a row for a bank. */
const BANK_MEMBERS: Readonly<Record<string, Reader>> = {
  intent: readIntent,
  bankPaymentMethodId: readText,
  amount: readDecimal,
  maxFee: readFee,
  feePolicy: readPolicy,
  reference: readText,
  originatorId: readText,
};

/** Returns the names of all members of a row; those of its beneficiary with a point. */
export function rowMembers(): readonly string[] {
  const inner = Object.keys(BENEFICIARY).map((name) => `beneficiary.${name}`);
  return [...new Set([...Object.keys(MEMBERS), ...Object.keys(BANK_MEMBERS), ...inner])];
}

/** Checks a row; adds every mistake to `violations`, and then the row must not be used. */
export function readRow(
  values: Readonly<Record<string, unknown>>,
  placeOf: PlaceOf,
  violations: Violation[],
): PlanRow {
  const attempt = (member: string, work: () => unknown): unknown => {
    try {
      return work();
    } catch (thrown) {
      violations.push(...violationsOf(thrown, member, placeOf));
      return undefined;
    }
  };
  const { beneficiary, ...others } = values;
  const isBank = 'bankPaymentMethodId' in values;
  const members = isBank ? BANK_MEMBERS : MEMBERS;
  // as own properties, also under a name such as __proto__
  const entries = Object.entries(others).map(([member, value]) => [
    member,
    attempt(member, () => read(members, member, value, member)),
  ]);
  const row = Object.fromEntries(entries) as Record<string, unknown>;
  if (beneficiary !== undefined) row['beneficiary'] = readBeneficiary(beneficiary, attempt);
  if (!isBank && !('to' in values))
    attempt('to', () => raise('to', 'is required, or bankPaymentMethodId'));
  return attempt('intent', () => withIntent(row, values)) as PlanRow;
}

function readBeneficiary(
  value: unknown,
  attempt: (member: string, work: () => unknown) => unknown,
): object | undefined {
  if (typeof value !== 'object' || value === null)
    return attempt('beneficiary', () => raise('beneficiary', 'must be an object')) as undefined;
  const entries = Object.entries(value).map(([name, part]) => {
    const member = `beneficiary.${name}`;
    return [name, attempt(member, () => read(BENEFICIARY, name, part, member))];
  });
  return Object.fromEntries(entries) as object;
}

function read(
  readers: Readonly<Record<string, Reader>>,
  name: string,
  value: unknown,
  member: string,
): unknown {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader) return reader(value, member);
  throw badInput(member, `is not one of ${Object.keys(readers).join(', ')}`);
}

/**
 * Requires an intent, except for a BOLT11 text, which is its own name: everything else can be paid
 * twice.
 */
function withIntent(row: Record<string, unknown>, values: object): unknown {
  const { to } = row;
  if ('intent' in values || 'to' in values !== (typeof to === 'string')) return row;
  const hash = typeof to === 'string' ? readWay(to).hash : undefined;
  return hash
    ? { intent: hash, ...row }
    : raise('intent', 'is required: only a BOLT11 text has a name of its own');
}

function raise(member: string, advice: string): never {
  throw badInput(member, advice);
}

/** Turns the error of a check into violations at its place. */
function violationsOf(thrown: unknown, member: string, placeOf: PlaceOf): readonly Violation[] {
  if (!isPaystateError(thrown)) throw thrown;
  return Object.entries(thrown.validationErrors ?? {}).flatMap(([field, issues]) =>
    issues.map(({ code, message: advice }) => ({
      field: placeOf(member === 'amount' && field === 'currency' ? field : member),
      code,
      advice,
    })),
  );
}
