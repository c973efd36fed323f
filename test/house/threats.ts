// Attacks that strangers could try, each with the test that covers it: `threats.txt`, one a line.
// `npm run generate -- tables` writes the list into .github/SECURITY.md; a test checks that each
// file contains its title, and that no number is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

/**
 * Threats of the list that the design began with have a number up to this; those that came later
 * have none.
 */
const MOST = 53;

export interface Threat {
  /** From 1; `-` for one that came later. */
  readonly number: string;
  readonly threat: string;
  /** `-` where no test covers it. */
  readonly file: string;
  /** Title of the test, as it is in the file; else why there is none. */
  readonly title: string;
}

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

export const threats: readonly Threat[] = textOf('test/house/threats.txt')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [number = '', threat = '', file = '', title = ''] = line.split(' | ');
    return { number, threat, file, title };
  });

/** Numbers that no threat has. */
export const missing = (): readonly string[] =>
  Array.from({ length: MOST }, (_, at) => String(at + 1)).filter(
    (number) => !threats.some((threat) => threat.number === number),
  );

/** Threats whose test is not there under its title, and those without one that do not say why. */
export const untested = (): readonly Threat[] =>
  threats.filter(({ file, title }) => {
    if (file === '-') return !title.endsWith('.');
    const text = textOf(file).replaceAll("\\'", "'");
    return !["'", '"', '`'].some((quote) => text.includes(quote + title + quote));
  });
