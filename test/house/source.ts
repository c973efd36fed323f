// Reading src for the house tests: its files, what they import, what they say once comments and
// types are gone.
import { readFileSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { parseAst } from 'rollup/parseAst';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths below src, such as `core/http/send.ts`; declarations of other packages are left out. */
export const sourceFiles: readonly string[] = globSync('**/*.ts', {
  cwd: join(root, 'src'),
  exclude: ['**/*.d.ts'],
})
  .map((file) => file.replaceAll('\\', '/'))
  .sort();

export const textOf = (file: string): string => readFileSync(join(root, 'src', file), 'utf8');

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

// Only names, braces, commas and stars are between the word and `from`.
const STATIC = /(?:^|;)[ \t]*(?:import|export)\s(?:[\w$\s{},*]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** Everything a text imports, type-only imports included, exactly as written. */
export const specifiersOf = (text: string): readonly string[] => {
  const code = withoutComments(text);
  return [...code.matchAll(STATIC), ...code.matchAll(DYNAMIC)].map((match) => match[1] as string);
};

/** The files of src that a file of src imports. */
export const importsOf = (file: string): readonly string[] =>
  specifiersOf(textOf(file))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)).replaceAll('\\', '/'));

/** Those of them that are there when the program runs, types left out. */
export const valueImportsOf = (file: string): readonly string[] => {
  const { code } = transformSync(textOf(file), { loader: 'ts' });
  return specifiersOf(code)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)).replaceAll('\\', '/'));
};

/** The packages a file imports, by their whole specifier. */
export const packagesOf = (file: string): readonly string[] =>
  specifiersOf(textOf(file)).filter((specifier) => !specifier.startsWith('.'));

export interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof (value as Node | null)?.type === 'string';

/** Every node of a piece of TypeScript, its types left out. */
export function* nodesOf(code: string): Generator<Node> {
  const { code: javascript } = transformSync(code, { loader: 'ts', target: 'es2022' });
  const open: unknown[] = [parseAst(javascript)];
  while (open.length > 0) {
    const next = open.pop();
    if (!isNode(next)) continue;
    yield next;
    open.push(...Object.values(next).flat());
  }
}
