// Lists the sentences in the code of src: errors, findings, problems, warnings, usage, page texts.
import { transformSync } from 'esbuild';
import { parseAst } from 'rollup/parseAst';
import { isNode, sourceFiles, textOf, type Node } from '../test/house/source.ts';

export interface Text {
  readonly file: string;
  readonly kind: string;
  readonly text: string;
}

/** Returns the text of a literal, a template or a sum of them, with `${…}` for each value. */
function readText(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as readonly { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('${…}');
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [readText(node['left'] as Node), readText(node['right'] as Node)];
  return left === undefined && right === undefined
    ? undefined
    : `${left ?? '${…}'}${right ?? '${…}'}`;
}

/** Returns the name of the call or the member that contains a text. */
function readName(node: Node): string | undefined {
  const named = node['type'] === 'Property' ? node['key'] : node['callee'];
  if (!isNode(named)) return undefined;
  const last = named.type === 'MemberExpression' ? (named['property'] as Node) : named;
  return typeof last['name'] === 'string' ? last['name'] : undefined;
}

function readKind(file: string, around: readonly string[]): string {
  if (around.some((name) => /warn|complain/i.test(name))) return 'warning';
  if (around.some((name) => /^(?:help|about|usage|UsageError)$/.test(name))) return 'usage line';
  if (around.some((name) => /problem|report$/i.test(name))) return 'problem';
  if (/^(?:messages|elements|cli\/page)\b/.test(file)) return 'page text';
  return file.startsWith('doctor/') ? 'finding' : 'error';
}

/** A sentence has three words or more, and is neither SQL, a path nor markup. */
const isSentence = (text: string): boolean =>
  (text.match(/[A-Za-z’']{2,}/g)?.length ?? 0) >= 3 &&
  / [a-z]/.test(text) &&
  !/<\/?[a-z]|\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|CASE|CAST|WHERE|PRAGMA|LOCAL|AND)\b|[{;]\s*--?[a-z]/.test(
    text,
  );

function* textsIn(file: string, node: unknown, around: readonly string[]): Generator<Text> {
  if (!isNode(node)) return;
  const text = readText(node)?.replace(/\s+/g, ' ').trim();
  if (text !== undefined && isSentence(text)) yield { file, kind: readKind(file, around), text };
  if (text !== undefined && node.type === 'BinaryExpression') return;
  const name = readName(node);
  const inner = name === undefined ? around : [...around, name];
  for (const part of Object.values(node).flat()) yield* textsIn(file, part, inner);
}

export function readTexts(): readonly Text[] {
  return sourceFiles.flatMap((file) => {
    const { code } = transformSync(textOf(file), { loader: 'ts' });
    return [...textsIn(file, parseAst(code), [])];
  });
}
