// Makes the reference from the built declarations, with a page for each entry point.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { purposeOf } from '../../../test/house/chapters.ts';
import { type Entry, entries } from '../../../test/house/entries.ts';
import { root } from '../../../test/house/source.ts';

/** Returns the page of an entry, such as `reference/flows.md`. */
export const referencePageOf = ({ specifier }: Entry): string =>
  `reference/${specifier === 'paystate' ? 'paystate' : specifier.slice('paystate/'.length).replaceAll('/', '-')}.md`;

const KINDS: readonly (readonly [ts.SymbolFlags, string])[] = [
  [ts.SymbolFlags.Function, 'Functions'],
  [ts.SymbolFlags.Class, 'Classes'],
  [ts.SymbolFlags.Variable, 'Values'],
  [ts.SymbolFlags.Interface, 'Types'],
  [ts.SymbolFlags.TypeAlias, 'Types'],
];

const ORDER = ['Functions', 'Classes', 'Values', 'Types', 'Namespaces'];

const kindOf = (symbol: ts.Symbol): string =>
  KINDS.find(([flag]) => symbol.flags & flag)?.[1] ?? 'Namespaces';

/** Replaces each `{@link}` of a doc comment with its label or its name. */
const textOfComment = (text: string): string =>
  text.replace(/\{@link(?:code|plain)?\s+([^}|]+?)(?:\s*\|\s*([^}]+))?\}/g, (_all, name, label) =>
    label ? `${label}` : `\`${name}\``,
  );

/** Escapes HTML and Vue syntax in a doc comment, except inside backticks. */
const safe = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, n) => (n % 2 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{ {')))
    .join('');

const partsOf = (parts: readonly ts.SymbolDisplayPart[] | undefined): string =>
  ts.displayPartsToString([...(parts ?? [])]);

function tagLine({ name, text }: ts.JSDocTagInfo): string {
  if (name === 'example') return `\`\`\`ts\n${partsOf(text).trim()}\n\`\`\``;
  if (name === 'param') {
    const [, parameter = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(partsOf(text)) ?? [];
    return `- \`${parameter}\`: ${safe(textOfComment(rest.replace(/^-\s*/, '')))}`;
  }
  return `*${name}*: ${safe(textOfComment(partsOf(text)))}`;
}

/** Returns the text of a declaration without its doc comment. */
const declarationOf = (declaration: ts.Declaration): string => {
  const node =
    ts.isVariableDeclaration(declaration) && ts.isVariableStatement(declaration.parent.parent)
      ? declaration.parent.parent
      : declaration;
  return node.getText().replace(/^export (declare )?/, '');
};

/**
 * Returns the heading of an export. If a type and a function differ only in case, the second gets
 * another anchor.
 */
function headingOf({ name }: ts.Symbol, all: readonly ts.Symbol[]): string {
  const same = all.filter((other) => other.name.toLowerCase() === name.toLowerCase());
  return same.length > 1 && name !== same[0]!.name
    ? `### ${name} {#${name.toLowerCase()}-2}`
    : `### ${name}`;
}

function sectionOf(symbol: ts.Symbol, heading: string, checker: ts.TypeChecker): string {
  const declarations = (symbol.declarations ?? []).filter((one) => !ts.isModuleDeclaration(one));
  const tags = symbol.getJsDocTags(checker);
  const params = tags.filter(({ name }) => name === 'param').map(tagLine);
  const others = tags.filter(({ name }) => name !== 'param').map(tagLine);
  return [
    heading,
    safe(textOfComment(partsOf(symbol.getDocumentationComment(checker)))),
    ...(declarations.length > 0
      ? [`\`\`\`ts\n${declarations.map(declarationOf).join('\n')}\n\`\`\``]
      : []),
    ...(params.length > 0 ? [params.join('\n')] : []),
    ...others,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function pageOf(entry: Entry, program: ts.Program): string {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(root, entry.declarations));
  const module = file && checker.getSymbolAtLocation(file);
  const exported = (module ? checker.getExportsOfModule(module) : [])
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .sort((a, b) => a.name.localeCompare(b.name));
  const groups = Map.groupBy(exported, kindOf);
  const purpose = purposeOf(entry);
  return [
    `# ${entry.specifier}`,
    `${purpose[0]!.toUpperCase()}${purpose.slice(1)}.`,
    ...ORDER.filter((kind) => groups.has(kind)).flatMap((kind) => [
      `## ${kind} {#kind-${kind.toLowerCase()}}`,
      ...groups.get(kind)!.map((symbol) => sectionOf(symbol, headingOf(symbol, exported), checker)),
    ]),
    '',
  ].join('\n\n');
}

/** Returns the pages of the reference, by path. Build the package first. */
export function referencePages(): readonly (readonly [string, string])[] {
  const files = entries.map(({ declarations }) => join(root, declarations));
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Error(`Build the package first: ${missing} is missing`);
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    skipLibCheck: true,
  });
  const lines = entries.map(
    (entry) =>
      `| [\`${entry.specifier}\`](./${referencePageOf(entry).slice('reference/'.length)}) | ${purposeOf(entry)} |`,
  );
  const index = [
    '# Reference',
    'All exports of each entry point, with their declarations and doc comments.',
    ['| entry point | what it is for |', '| --- | --- |', ...lines].join('\n'),
    '',
  ].join('\n\n');
  return [
    ['reference/index.md', index],
    ...entries.map((entry) => [referencePageOf(entry), pageOf(entry, program)] as const),
  ];
}
