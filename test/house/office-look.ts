// The back office of the example is copied without the package's source, so its style sheet holds the tokens themselves.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokensFor } from '../../src/elements/look.ts';
import { root } from './source.ts';

const FILE = join(root, 'worker-example/page/office.css');
const MARKED = /(?<=\/\* tokens \*\/\n)[\s\S]*?(?=\n\/\* \/tokens \*\/)/;

export const officeLook = (): string => readFileSync(FILE, 'utf8');

/** The style sheet with the tokens as they are now. */
export const withTokens = (text: string): string => text.replace(MARKED, () => tokensFor(':root'));

export function writeOfficeLook(): void {
  writeFileSync(FILE, withTokens(officeLook()));
}
