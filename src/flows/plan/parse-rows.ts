import {
  badInput,
  InputError,
  validationErrorsOf,
  type Violation,
} from '../../core/errors/index.ts';
import { csvRows } from './csv.ts';
import type { PlanRow } from './planned.ts';
import { type ReadRow, readRow, violation } from './row-fields.ts';

/** The format of a list of payments. */
export interface ParseRowsOptions {
  /**
   * `csv`: RFC 4180 with a header; amounts such as `12.50` in `amount` and `EUR` in `currency`,
   * limits such as `0.50 EUR`, `1.5%` or `any`, `60 min` or `0.00002 BTC` in `onchainTier`, the beneficiary in `beneficiary.type` and so on ·
   * `json`: a list of the options themselves.
   */
  readonly format: 'csv' | 'json';
}

/**
 * Reads a list of payments from a file: nothing is sent. Amounts stay decimal texts. Each row needs
 * an `intent` of its own, by which it is paid at most once; that of a BOLT11 text is its payment hash.
 *
 * @param text the whole file
 * @throws InputError with every mistake by its line and column in `validationErrors`; no row is
 * returned then
 * @example
 * const text = 'intent,to,amount,currency\nmay-ada,ada@wallet.example,12.50,EUR\n';
 * const [row] = parseRows(text, { format: 'csv' });
 * console.log(row?.amount); // { amount: '12.50', currency: 'EUR' }
 */
export function parseRows(text: string, { format }: ParseRowsOptions): readonly PlanRow[] {
  if (typeof text !== 'string') throw badInput('text', 'must be the text of a file');
  if (format !== 'csv' && format !== 'json') throw badInput('format', 'must be csv or json');
  const violations: Violation[] = [];
  const read = format === 'csv' ? csvRows(text, violations) : jsonRows(text, violations);
  checkIntents(read, violations);
  const [first, ...others] = violations;
  if (!first) return read.map(({ row }) => row);
  const more = others.length > 0 ? ` (and ${others.length} more in validationErrors)` : '';
  const facts = { code: 'INPUT_INVALID', outcome: 'not-done', next: 'fix-input' } as const;
  throw new InputError(`parseRows: ${first.field}: ${first.advice}${more}`, {
    ...facts,
    validationErrors: validationErrorsOf(violations),
  });
}

/**
 * Refuses an intent that two rows have: they would be paid once, which may not be what is meant.
 */
function checkIntents(rows: readonly ReadRow[], violations: Violation[]): void {
  const known = new Map<string, string>();
  for (const { row, placeOf } of rows) {
    const intent = row?.intent;
    const place = placeOf('intent');
    const before = intent === undefined ? undefined : known.get(intent);
    if (before !== undefined)
      violations.push(violation(place, `is the same as ${before}; each row needs its own`));
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
