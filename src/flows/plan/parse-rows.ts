import {
  badInput,
  checkArgument,
  checkOptions,
  InputError,
  isPaystateError,
  toValidationErrors,
  type Violation,
} from '../../core/errors/index.ts';
import { minutesIn } from '../../core/time.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import type { OnchainTierChoice } from '../../resources/payment-quotes.ts';
import { readShare, readTierChoice, readWay } from '../pay/intent.ts';
import type { PlanRow } from './planned.ts';

/** Options for `parseRows`. */
export interface ParseRowsOptions {
  /**
   * `csv` is RFC 4180 with a header row. The `amount` column contains amounts such as `12.50`, and
   * the `currency` column contains codes such as `EUR`. Limits are written as `0.50 EUR`, `1.5%` or
   * `any`, and `onchainTier` as `60 min` or `0.00002 BTC`. The beneficiary's fields are columns
   * such as `beneficiary.type`. `json` is an array of objects with the same options as in code.
   */
  readonly format: 'csv' | 'json';
}

/**
 * Parses a file of payments without sending a request. Amounts stay decimal strings. Each row needs
 * its own `intent`, which is paid at most once. For a BOLT11 invoice, it defaults to the payment
 * hash.
 *
 * @param text the file's contents
 * @throws InputError if the file has mistakes. `validationErrors` has the line and column of each
 * mistake.
 *
 * @example
 * const text = 'intent,to,amount,currency\nmay-ada,ada@wallet.example,12.50,EUR\n';
 * const [row] = parseRows(text, { format: 'csv' });
 * console.log(row?.amount); // { amount: '12.50', currency: 'EUR' }
 */
export function parseRows(text: string, options: ParseRowsOptions): readonly PlanRow[] {
  checkArgument('text', text ?? null, 'string');
  checkOptions<ParseRowsOptions>(options ?? null, { format: ['csv', 'json'] });
  checkArgument('format', options.format ?? null, ['csv', 'json']);
  const { format } = options;
  const violations: Violation[] = [];
  const read = format === 'csv' ? csvRows(text, violations) : jsonRows(text, violations);
  checkIntents(read, violations);
  const [first, ...others] = violations;
  if (!first) return read.map(({ row }) => row);
  const more = others.length > 0 ? ` (and ${others.length} more in validationErrors)` : '';
  const facts = { code: 'INPUT_INVALID', outcome: 'not-done', next: 'fix-input' } as const;
  throw new InputError(`parseRows: ${first.field}: ${first.advice}${more}`, {
    ...facts,
    validationErrors: toValidationErrors(violations),
  });
}

/** Rejects two rows with the same intent, because only one of them would be paid. */
function checkIntents(rows: readonly ReadRow[], violations: Violation[]): void {
  const known = new Map<string, string>();
  for (const { row, placeOf } of rows) {
    const intent = row?.intent;
    const place = placeOf('intent');
    const before = intent === undefined ? undefined : known.get(intent);
    if (before !== undefined)
      violations.push(
        violation(place, `is the same as in ${before}; each row needs its own intent`),
      );
    else if (intent !== undefined) known.set(intent, place);
  }
}

function jsonRows(text: string, violations: Violation[]): readonly ReadRow[] {
  let values: unknown;
  try {
    values = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    violations.push(violation('text', 'is not JSON'));
  }
  if (!Array.isArray(values)) {
    if (violations.length === 0) violations.push(violation('text', 'must be a list of rows'));
    return [];
  }
  return values.flatMap((value: unknown, index) => {
    const placeOf = (member: string) => `row ${index + 1} (${member})`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { row: readRow(value as Record<string, unknown>, placeOf, violations), placeOf };
    violations.push(violation(`row ${index + 1}`, 'must be an object'));
    return [];
  });
}

/** A cell in a CSV file and the line it starts on. */
interface CsvCell {
  readonly text: string;
  readonly line: number;
  /** Why the cell can't be read. */
  readonly mistake?: string | undefined;
}

type CsvRecord = readonly CsvCell[];

/**
 * Column separators other than commas in the first non-empty line. No column name contains one.
 */
const SEPARATOR = /^[\uFEFF\r\n]*[^\r\n]*?([;\t|])/;
const SEPARATORS = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };
const PLAIN = /[^,\r\n]*/y;
const LINE_END = /\r\n|\r|\n/g;

/**
 * Parses CSV according to RFC 4180. Quoted cells may contain commas, line breaks and doubled
 * quotation marks. Skips a byte order mark and empty lines. A cell that can't be read has a
 * `mistake`. An unclosed quotation extends to the end of the file.
 */
function* readCsv(text: string): Generator<CsvRecord, void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const cells: CsvCell[] = [];
    for (let hasMore = true; hasMore; ) {
      const { text: value, mistake, end } = readCell(text, at);
      cells.push({ text: value, line, mistake });
      if (text[at] === '"') line += text.slice(at, end).match(LINE_END)?.length ?? 0;
      hasMore = text[end] === ',';
      at = hasMore ? end + 1 : end;
    }
    const isBlank = cells.length === 1 && cells[0]!.text === '' && !cells[0]!.mistake;
    if (!isBlank) yield cells;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line++;
  }
}

interface ReadCell extends Omit<CsvCell, 'line'> {
  /** The position of the comma or line break after the cell. */
  readonly end: number;
}

function readCell(text: string, at: number): ReadCell {
  if (text[at] === '"') return readQuoted(text, at);
  const end = plainEnd(text, at);
  const plain = text.slice(at, end);
  const mistake = plain.includes('"')
    ? 'contains a quotation mark: double it, and put quotation marks around the cell'
    : undefined;
  return { text: plain, end, mistake };
}

function readQuoted(text: string, at: number): ReadCell {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return { text: '', end: text.length, mistake: 'has no closing quotation mark' };
  const end = plainEnd(text, close);
  const mistake = end > close + 1 ? 'has text after its closing quotation mark' : undefined;
  return { text: text.slice(at + 1, close).replaceAll('""', '"'), end, mistake };
}

function plainEnd(text: string, at: number): number {
  PLAIN.lastIndex = at;
  return at + PLAIN.exec(text)![0].length;
}

/** Parses a CSV file. Adds every mistake to `violations`. */
function csvRows(text: string, violations: Violation[]): readonly ReadRow[] {
  const [, separator] = SEPARATOR.exec(text) ?? [];
  if (separator) {
    const found = SEPARATORS[separator as keyof typeof SEPARATORS];
    const advice = `has ${found} between its columns: save the file with commas instead`;
    violations.push(violation('line 1', advice));
    return [];
  }
  const [header, ...records] = readCsv(text);
  if (!header) violations.push(violation('line 1', 'must have the header'));
  const names = header ? readColumns(header, violations) : [];
  return violations.length > 0
    ? []
    : records.flatMap((record) => csvRow(record, names, violations) ?? []);
}

/** Reads the header. Each column must be known and can only occur once. */
function readColumns(header: CsvRecord, violations: Violation[]): readonly string[] {
  const known = [...rowMembers(), 'currency'];
  const before = new Set<string>();
  header.forEach(({ text, line, mistake }, index) => {
    const isDoubled = before.size === before.add(text).size;
    const advice =
      mistake ??
      (known.includes(text) ? undefined : `is not one of the columns ${known.join(', ')}`) ??
      (isDoubled ? 'appears more than once' : undefined);
    if (advice) violations.push(violation(`line ${line}, column ${index + 1}`, advice));
  });
  return header.map(({ text }) => text);
}

function csvRow(
  record: CsvRecord,
  names: readonly string[],
  violations: Violation[],
): ReadRow | undefined {
  const { line } = record[0]!;
  const placeOf = (member: string) => {
    const index = names.indexOf(member);
    const name =
      index < 0 ? `line ${line}` : `line ${record[index]?.line ?? line}, column ${index + 1}`;
    return `${name} (${member})`;
  };
  const before = violations.length;
  record.forEach(({ text, mistake }, index) => {
    const name = names[index] ?? `cell ${index + 1}`;
    const advice = mistake ?? limitMistake(name, text);
    if (advice) violations.push(violation(placeOf(name), advice));
  });
  if (violations.length === before && record.length !== names.length)
    violations.push(
      violation(`line ${line}`, `has ${record.length} cells, but the header has ${names.length}`),
    );
  if (violations.length > before) return undefined;
  const cells = record.map(({ text }, index) => [names[index]!, text] as const);
  return {
    row: readRow(readValues(cells.filter(([, text]) => text !== '')), placeOf, violations),
    placeOf,
  };
}

/** Converts a record's cells to the same options that a JSON file would contain. */
function readValues(cells: readonly (readonly [string, string])[]): Record<string, unknown> {
  const given = new Map<string, unknown>();
  const parts = new Map<string, unknown>();
  for (const [name, text] of cells) {
    const [, inner] = name.split('.');
    if (inner === undefined) given.set(name, readValue(name, text));
    else parts.set(inner, parseFlag(inner, text));
  }
  const values = Object.fromEntries(given) as Record<string, unknown>;
  const nested = Object.fromEntries(parts) as Record<string, unknown>;
  const { currency, amount, ...others } = values;
  const isBank = 'bankPaymentMethodId' in values && currency === undefined;
  const sum = isBank ? amount : { amount, currency };
  return {
    ...others,
    ...((currency ?? amount) !== undefined && { amount: sum }),
    ...(Object.keys(nested).length > 0 && { beneficiary: nested }),
  };
}

const LIMITS = ['maxFee', 'maxTotal', 'maxRateSlip'];

/**
 * Returns a mistake if part of a limit is missing or a limit has an extra part, because an
 * incomplete limit would mean something else.
 */
function limitMistake(name: string, text: string): string | undefined {
  if (name === 'onchainTier' && !/^(\S+ \S+)?$/.test(text))
    return 'must be a limit such as 60 min or 0.00002 BTC';
  if (LIMITS.includes(name) && !/^(any|\S+ *%|\S+ \S+)?$/.test(text))
    return 'must be a limit such as 0.50 EUR or 1.5%, or any';
  return undefined;
}

/** Converts limits such as `0.50 EUR`, `1.5%` and `60 min` to objects. */
function readValue(name: string, text: string): unknown {
  const maxDeliveryInMin = name === 'onchainTier' ? minutesIn(text) : undefined;
  if (maxDeliveryInMin !== undefined) return { maxDeliveryInMin };
  if (!LIMITS.includes(name) && name !== 'onchainTier') return text;
  if (text.endsWith('%')) return { percent: text.slice(0, -1).trimEnd() };
  const [amount, currency] = text.split(' ');
  if (text === 'any') return text;
  return name === 'onchainTier' ? { maxFee: { amount, currency } } : { amount, currency };
}

function parseFlag(name: string, text: string): unknown {
  return name === 'isOwnDestination' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

// Each field of a row has its own check. Error messages never repeat a value, because it may be a
// secret.

/** Describes where in the file a row's field is. */
type PlaceOf = (member: string) => string;

interface ReadRow {
  readonly row: PlanRow;
  readonly placeOf: PlaceOf;
}

function violation(field: string, advice: string): Violation {
  return { field, code: 'INVALID_DATA_VALUE', advice };
}

type Reader = (value: unknown, member: string) => unknown;

const MAX_INTENT_LENGTH = 200;

const readText: Reader = (value, member) => {
  if (typeof value !== 'string' || value === '') throw badInput(member, 'must be a string');
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

/** Reads an amount without a currency. The currency depends on the bank payment method. */
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

const BANK_MEMBERS: Readonly<Record<string, Reader>> = {
  intent: readIntent,
  bankPaymentMethodId: readText,
  amount: readDecimal,
  maxFee: readFee,
  feePolicy: readPolicy,
  reference: readText,
  originatorId: readText,
};

/**
 * Returns the names of all fields in a row. The names of the beneficiary's fields contain a dot.
 */
function rowMembers(): readonly string[] {
  const inner = Object.keys(BENEFICIARY).map((name) => `beneficiary.${name}`);
  return [...new Set([...Object.keys(MEMBERS), ...Object.keys(BANK_MEMBERS), ...inner])];
}

/** Reads a row. Adds every mistake to `violations`. A row with mistakes must not be used. */
function readRow(
  values: Readonly<Record<string, unknown>>,
  placeOf: PlaceOf,
  violations: Violation[],
): PlanRow {
  const attempt = (member: string, work: () => unknown): unknown => {
    try {
      return work();
    } catch (thrown) {
      violations.push(...placeViolations(thrown, member, placeOf));
      return undefined;
    }
  };
  const { beneficiary, ...others } = values;
  const isBank = 'bankPaymentMethodId' in values;
  const members = isBank ? BANK_MEMBERS : MEMBERS;
  // creates an own property even if the name is `__proto__`
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
 * Requires an intent, because most payments could otherwise be made twice. A BOLT11 invoice doesn't
 * need one.
 */
function withIntent(row: Record<string, unknown>, values: object): unknown {
  const { to } = row;
  if ('intent' in values || 'to' in values !== (typeof to === 'string')) return row;
  const hash = typeof to === 'string' ? readWay(to).hash : undefined;
  return hash
    ? { intent: hash, ...row }
    : raise('intent', 'is required unless the destination is a BOLT11 invoice');
}

function raise(member: string, advice: string): never {
  throw badInput(member, advice);
}

function placeViolations(thrown: unknown, member: string, placeOf: PlaceOf): readonly Violation[] {
  if (!isPaystateError(thrown)) throw thrown;
  return Object.entries(thrown.validationErrors ?? {}).flatMap(([field, issues]) =>
    issues.map(({ code, message: advice }) => ({
      field: placeOf(member === 'amount' && field === 'currency' ? field : member),
      code,
      advice,
    })),
  );
}
