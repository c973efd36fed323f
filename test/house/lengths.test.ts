// Protects: a function is one thought. Lines of the functions inside it are theirs, so that a factory
// counts what it says itself, as a class does.
import { stripTypeScriptTypes } from 'node:module';
import { parseAst } from 'rollup/parseAst';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { sourceFiles, textOf } from './source.ts';

const LONGEST = 40;

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

/** Functions directly inside a node, with nothing between but other code. */
const functionsIn = (node: Node): Node[] =>
  childrenOf(node).flatMap((child) => (isFunction(child) ? [child] : functionsIn(child)));

function tooLong(file: string): string[] {
  const text = stripTypeScriptTypes(textOf(file));
  const linesOf = ({ start, end }: Node) => text.slice(start, end).split('\n').length;
  const measure = (node: Node): string[] => {
    const inner = functionsIn(node);
    const own =
      linesOf(node.body ?? node) - inner.reduce((sum, each) => sum + linesOf(each) - 1, 0);
    const line = text.slice(0, node.start).split('\n').length;
    const found =
      own > LONGEST
        ? [`src/${file}:${line} ${node.id?.name ?? 'a function'} has ${own} lines of its own`]
        : [];
    return [...found, ...inner.flatMap(measure)];
  };
  return functionsIn(parseAst(text) as unknown as Node).flatMap(measure);
}

describe('functions', () => {
  it(`have at most ${LONGEST} lines of their own`, () => expectNone(sourceFiles.flatMap(tooLong)));
});
