import type { ExportLine } from './lines.ts';
import { signedText } from './signed.ts';

const COLUMNS = [
  'kind',
  'id',
  'state',
  'created',
  'completed',
  'currency',
  'amount',
  'effect',
  'rate',
  'reference',
  'source',
] as const;

/** The first line of the file. */
export const csvHead: string = COLUMNS.join(',');

/** A line as a program takes it: decimals are texts. */
export function plainLine(line: ExportLine): Readonly<Record<(typeof COLUMNS)[number], string>> {
  const { effect } = line;
  const texts = COLUMNS.map((name) =>
    name === 'effect'
      ? [name, effect === undefined ? '' : signedText(effect)]
      : [name, line[name] ?? ''],
  );
  return Object.fromEntries(texts) as never;
}

/** A line of the file (RFC 4180), without its end. */
export function csvLine(line: ExportLine): string {
  const plain = plainLine(line);
  return COLUMNS.map((name) => cellOf(plain[name], name === 'effect' || name === 'amount')).join(
    ',',
  );
}

/** A text that a spreadsheet would take for a formula is kept from being one. */
function cellOf(text: string, isNumber: boolean): string {
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
