// Places of a program at which editors are asked what they show.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

export const program = readFileSync(join(root, 'test/house/hovered.ts'), 'utf8');

/** Places of the program by what the comment before them says. */
export const places: ReadonlyMap<string, number> = new Map(
  [...program.matchAll(/\/\* ([\w.]+) \*\/ /g)].map((match) => [
    match[1]!,
    match.index + match[0].length,
  ]),
);

/** The operations among them. */
export const operations: readonly string[] = [...places.keys()].filter((name) =>
  /^(?!call\.)\w+\.\w+$/.test(name),
);
