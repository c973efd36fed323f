// Protects: a function is one thought. Its whole body counts, with the functions inside it; types and the signature do not.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parseAst } from 'rollup/parseAst';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { root, sourceFiles } from './source.ts';

const LONGEST = 50;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node;
  readonly id?: { readonly name: string } | null;
}

const isFunction = ({ type }: Node): boolean =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.type === 'string');

/** Every function of a file, those inside others too. */
const functionsIn = (node: Node): Node[] =>
  childrenOf(node).flatMap((child) => [
    ...(isFunction(child) ? [child] : []),
    ...functionsIn(child),
  ]);

/** Tools and proofs are held to the rule of `src`. */
const tools = globSync('{scripts,demo,test/prove}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/.cache/**'],
});

function tooLong(file: string): string[] {
  const text = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'));
  return functionsIn(parseAst(text) as unknown as Node).flatMap((node) => {
    const { start, end } = node.body ?? node;
    const lines = text.slice(start, end).split('\n').length;
    const line = text.slice(0, node.start).split('\n').length;
    return lines > LONGEST
      ? [`${file}:${line} ${node.id?.name ?? 'a function'} has ${lines} lines`]
      : [];
  });
}

describe('functions', () => {
  it(`have at most ${LONGEST} lines, the functions inside them counted`, () =>
    expectNone([...sourceFiles.map((file) => `src/${file}`), ...tools].flatMap(tooLong)));
});
