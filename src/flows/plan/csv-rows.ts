import type { Violation } from '../../core/errors/index.ts';
import { type CsvRecord, readCsv } from './csv.ts';
import { type ReadRow, readRow, rowMembers, violation } from './row-fields.ts';

/** Rows of comma-separated values; what is wrong goes into `violations`. */
export function csvRows(text: string, violations: Violation[]): readonly ReadRow[] {
  const [header, ...records] = readCsv(text);
  if (!header) violations.push(violation('line 1', 'must be the header'));
  const names = header ? columnsOf(header, violations) : [];
  return violations.length > 0
    ? []
    : records.flatMap((record) => csvRow(record, names, violations) ?? []);
}

/** The columns, each of which has to be known and there once. */
function columnsOf(header: CsvRecord, violations: Violation[]): readonly string[] {
  const known = [...rowMembers(), 'currency'];
  const before = new Set<string>();
  header.forEach(({ text, line, mistake }, index) => {
    const isDoubled = before.size === before.add(text).size;
    const advice =
      mistake ??
      (known.includes(text) ? undefined : `is none of the columns ${known.join(', ')}`) ??
      (isDoubled ? 'is there twice' : undefined);
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
  record.forEach(({ mistake }, index) => {
    if (mistake) violations.push(violation(placeOf(names[index] ?? `cell ${index + 1}`), mistake));
  });
  if (violations.length === before && record.length !== names.length)
    violations.push(
      violation(`line ${line}`, `has ${record.length} cells, and the header ${names.length}`),
    );
  if (violations.length > before) return undefined;
  const cells = record.map(({ text }, index) => [names[index]!, text] as const);
  return {
    row: readRow(valuesOf(cells.filter(([, text]) => text !== '')), placeOf, violations),
    placeOf,
  };
}

/** The cells of a record as the options are written in JSON. */
function valuesOf(cells: readonly (readonly [string, string])[]): Record<string, unknown> {
  const given = new Map<string, unknown>();
  const parts = new Map<string, unknown>();
  for (const [name, text] of cells) {
    const [, inner] = name.split('.');
    if (inner === undefined) given.set(name, valueOf(name, text));
    else parts.set(inner, flagOf(inner, text));
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

/** `0.50 EUR` and `1.5%` as the objects that they stand for. */
function valueOf(name: string, text: string): unknown {
  if (!LIMITS.includes(name)) return text;
  if (text.endsWith('%')) return { percent: text.slice(0, -1).trimEnd() };
  const [amount, currency] = text.split(' ');
  return text === 'any' ? text : { amount, currency };
}

function flagOf(name: string, text: string): unknown {
  return name === 'isOwnDestination' && /^(true|false)$/.test(text) ? text === 'true' : text;
}
