import { minutesIn } from '../../core/time.ts';
import type { Violation } from '../../core/errors/index.ts';
import { type ReadRow, readRow, rowMembers, violation } from './row-fields.ts';

/** A cell and the line that it begins in. */
interface CsvCell {
  readonly text: string;
  readonly line: number;
  /** Why the cell cannot be read. */
  readonly mistake?: string | undefined;
}

/** The cells of one record, in order. */
type CsvRecord = readonly CsvCell[];

const PLAIN = /[^,\r\n]*/y;
const LINE_END = /\r\n|\r|\n/g;

/**
 * Reads comma-separated values by RFC 4180: cells in quotation marks contain commas, line ends and
 * doubled quotation marks. A byte order mark and empty lines are left out. A cell that cannot be
 * read has a `mistake`; an open quotation mark takes the rest of the text.
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
  /** Position of the comma or the line end after it. */
  readonly end: number;
}

function readCell(text: string, at: number): ReadCell {
  if (text[at] === '"') return readQuoted(text, at);
  const end = plainEnd(text, at);
  const plain = text.slice(at, end);
  const mistake = plain.includes('"')
    ? 'must be enclosed in quotation marks, because it contains one (write that one twice)'
    : undefined;
  return { text: plain, end, mistake };
}

function readQuoted(text: string, at: number): ReadCell {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return { text: '', end: text.length, mistake: 'has no closing quotation mark' };
  const end = plainEnd(text, close);
  const mistake = end > close + 1 ? 'continues after its quotation mark' : undefined;
  return { text: text.slice(at + 1, close).replaceAll('""', '"'), end, mistake };
}

function plainEnd(text: string, at: number): number {
  PLAIN.lastIndex = at;
  return at + PLAIN.exec(text)![0].length;
}

/** Reads rows of comma-separated values; adds every mistake to `violations`. */
export function csvRows(text: string, violations: Violation[]): readonly ReadRow[] {
  const [header, ...records] = readCsv(text);
  if (!header) violations.push(violation('line 1', 'must have the header'));
  const names = header ? columnsOf(header, violations) : [];
  return violations.length > 0
    ? []
    : records.flatMap((record) => csvRow(record, names, violations) ?? []);
}

/** Reads the header; each column must be known and occur once. */
function columnsOf(header: CsvRecord, violations: Violation[]): readonly string[] {
  const known = [...rowMembers(), 'currency'];
  const before = new Set<string>();
  header.forEach(({ text, line, mistake }, index) => {
    const isDoubled = before.size === before.add(text).size;
    const advice =
      mistake ??
      (known.includes(text) ? undefined : `is not one of the columns ${known.join(', ')}`) ??
      (isDoubled ? 'is there more than once' : undefined);
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
      violation(`line ${line}`, `has ${record.length} cells, but the header has ${names.length}`),
    );
  if (violations.length > before) return undefined;
  const cells = record.map(({ text }, index) => [names[index]!, text] as const);
  return {
    row: readRow(valuesOf(cells.filter(([, text]) => text !== '')), placeOf, violations),
    placeOf,
  };
}

/** Turns the cells of a record into options as they are written in JSON. */
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

/** Turns `0.50 EUR` and `1.5%` into objects. */
function valueOf(name: string, text: string): unknown {
  const maxDeliveryInMin = name === 'onchainTier' ? minutesIn(text) : undefined;
  if (maxDeliveryInMin !== undefined) return { maxDeliveryInMin };
  if (!LIMITS.includes(name) && name !== 'onchainTier') return text;
  if (text.endsWith('%')) return { percent: text.slice(0, -1).trimEnd() };
  const [amount, currency] = text.split(' ');
  if (text === 'any') return text;
  return name === 'onchainTier' ? { maxFee: { amount, currency } } : { amount, currency };
}

function flagOf(name: string, text: string): unknown {
  return name === 'isOwnDestination' && /^(true|false)$/.test(text) ? text === 'true' : text;
}
