// Files that have lines for each resource of the registry: `npm run generate -- doors` writes them, a test holds them there.
import { textOf } from './source.ts';

/** Client member and file name of each resource, as `resources/registry.ts` has them. */
export const registered: readonly (readonly [member: string, name: string])[] = [
  ...textOf('resources/registry.ts').matchAll(/^export \* as (\w+) from '\.\/([\w-]+)\.ts';$/gm),
].map(([, member, name]) => [member!, name!]);

/** Any member and any name, where a pattern is made of a line. */
const ANY = 'ANY';

type LineOf = (member: string, name: string) => string;

/** Lists the exports of a resource's file under a keyword, in alphabetical order. */
const exportsOf = (name: string, pattern: RegExp): readonly string[] =>
  [...textOf(`resources/${name}.ts`).matchAll(pattern)].map(([, found]) => found!).sort();

/** Names in braces, in one line where it is short enough, as the formatter writes them. */
const exportLine = (keyword: string, names: readonly string[], name: string): string => {
  if (names.length === 0) return '';
  const from = `from './resources/${name}.ts';\n`;
  const line = `${keyword} { ${names.join(', ')} } ${from}`;
  if (line.length <= 101) return line;
  return `${keyword} {\n${names.map((one) => `  ${one},\n`).join('')}} ${from}`;
};

const schemasLine: LineOf = (_member, name) => `export * from './resources/${name}.schemas.ts';\n`;

/** All types that a resource's file exports are public, and its functions that need no connection. */
const typesLine: LineOf = (_member, name) => {
  if (name === ANY) return exportLine('export type', [ANY], ANY);
  const types = exportsOf(name, /^export (?:interface|type) (\w+)/gm);
  const values = exportsOf(name, /^export function (where\w+|choose\w+|\w+Of)\b/gm);
  return values.length > 0
    ? exportLine('export', [...types.map((type) => `type ${type}`), ...values], name)
    : exportLine('export type', types, name);
};

const statesLine: LineOf = (_member, name) => {
  const tables = name === ANY ? [ANY] : exportsOf(name, /^export const (\w+States)\b/gm);
  return exportLine('export', tables, name);
};

const generatedLine =
  (folder: string): LineOf =>
  (member, name) =>
    `export * as ${member} from './generated/${folder}/${name}.ts';\n`;

/** Lines of each of these files, below `src`; each kind of line is a block of its own. */
const LINES: Readonly<Record<string, readonly LineOf[]>> = {
  'index.ts': [typesLine],
  'schemas.ts': [schemasLine],
  'endpoints.ts': [generatedLine('endpoints'), statesLine],
  'operations.ts': [generatedLine('operations')],
  'sandbox/resources/routes.ts': [
    (member, name) => `import { routes as ${member} } from './${name}.ts';\n`,
    (member) => `  ${member},\n`,
  ],
};

export const doors: readonly string[] = Object.keys(LINES);

/** The lines of a kind, for whichever resources. Names in braces may be many, in several lines. */
const blockOf = (lineOf: LineOf): RegExp => {
  const pattern = lineOf(ANY, ANY)
    .replace(/[.*{}]/g, '\\$&')
    .replace(`type \\{ ${ANY} \\}`, `(?:type )?\\{ ${ANY} \\}`)
    .replace(`\\{ ${ANY} \\}`, '\\{[\\w\\s,]*\\}')
    .replaceAll(ANY, '[\\w-]+');
  return new RegExp(`(?:^${pattern})+`, 'm');
};

/** A door's text with its lines as the registry has them now. */
export const withDoor = (door: string, text: string): string =>
  LINES[door]!.reduce(
    (before, lineOf) =>
      before.replace(blockOf(lineOf), registered.map((one) => lineOf(...one)).join('')),
    text,
  );
