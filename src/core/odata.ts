import { badInput } from './errors.ts';

/** A text as a filter literal: quotes are doubled, so that it stays one literal whatever it holds. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `a eq '1' or a eq '2' …` */
export function anyOf(field: string, texts: readonly string[]): string {
  return texts.map((text) => `${field} eq ${literal(text)}`).join(' or ');
}

/** Terms that must all hold; absent ones are left out. */
export function allOf(...terms: readonly (string | undefined)[]): string | undefined {
  const present = terms.filter((term) => term !== undefined);
  return present.length === 0 ? undefined : present.join(' and ');
}

/** Largest page that the service gives. */
export const PAGE = 100;

/** Checks a page size: a whole number from 1 to 100. */
export function pageSize(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= PAGE) return value;
  throw badInput('pageSize', `must be a whole number from 1 to ${PAGE}`);
}
