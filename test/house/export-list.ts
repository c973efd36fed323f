// The public surface as text: every entry, what it exports, values and types apart.
// `npm run generate -- exports` writes the list that the test compares with.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { builtText, entries, type Entry } from './entries.ts';
import { root } from './source.ts';

const LIST = join(root, 'test/house/exports.txt');

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:const|let|function\*?|async function|class|interface|type|enum|namespace) ([\w$]+)/gm;
const BRACES = /^export (?:type )?\{([^}]*)\}/gm;
const STAR = /^export (?:type )?\* from ['"]([^'"]+)['"]/gm;
const NAMED_STAR = /^export (?:type )?\* as ([\w$]+) from/gm;

const publicName = (item: string): string =>
  item
    .trim()
    .replace(/^type /, '')
    .split(/ as /)
    .at(-1)
    ?.trim() ?? '';

/** Names that a declaration file exports, types included. */
function namesIn(file: string): readonly string[] {
  const text = builtText(file).replace(/\/\*[\s\S]*?\*\//g, '');
  const first = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  const further = first(STAR).flatMap((target) =>
    namesIn(normalize(join(dirname(file), target)).replace(/\.js$/, '.d.ts')),
  );
  const braces = first(BRACES).flatMap((items) => items.split(',').map(publicName));
  return [...first(DECLARATION), ...first(NAMED_STAR), ...braces, ...further].filter(Boolean);
}

const isNamespace = (value: unknown): value is object =>
  (value as { [Symbol.toStringTag]?: string })?.[Symbol.toStringTag] === 'Module';

/** Names of values; what is a namespace shows its members too. */
const valuesOf = (exported: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(exported)
    .flatMap(([name, value]) => [
      name,
      ...(isNamespace(value) ? Object.keys(value).map((member) => `${name}.${member}`) : []),
    ])
    .sort();

const linesOf = async ({ specifier, javascript, declarations }: Entry): Promise<string[]> => {
  const values = valuesOf(await import(join(root, javascript)));
  const types = [...new Set(namesIn(declarations))].filter((name) => !values.includes(name)).sort();
  return [
    specifier,
    ...values.map((name) => `  ${name}`),
    ...types.map((name) => `  type ${name}`),
    '',
  ];
};

export const currentList = async (): Promise<string> =>
  (await Promise.all(entries.map(linesOf))).flat().join('\n');

export const acceptedList = (): string => readFileSync(LIST, 'utf8');
