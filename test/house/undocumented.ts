// Published names without a comment: exports of every entry, and members of their types. Run by
// itself it prints them.
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { entries } from './entries.ts';
import { root } from './source.ts';

const isMember = (node: ts.Node): node is ts.TypeElement | ts.ClassElement =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isGetAccessor(node);

const isPublic = (node: ts.Node): boolean =>
  !ts.isPropertyDeclaration(node) || !ts.isPrivateIdentifier(node.name);

// Members of unions and classes of errors are told apart by one member, which says its meaning as its value.
const isTag = (node: ts.Node): boolean =>
  ts.isPropertySignature(node)
    ? node.type !== undefined && ts.isLiteralTypeNode(node.type)
    : ts.isPropertyDeclaration(node) && node.initializer !== undefined;

const isOwn = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(`${root}dist/`);

/** Own members of a type, and those of the nameless types in them. */
function membersOf(declaration: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionTypeNode(node) || ts.isParameter(node)) return;
    if (isMember(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(declaration, visit);
  return found;
}

const isType = (node: ts.Node): node is ts.DeclarationStatement =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);

/** The declarations of our own types that a type extends or names at its top. */
function basesOf(declaration: ts.Node, checker: ts.TypeChecker): ts.Node[] {
  const clauses =
    ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)
      ? (declaration.heritageClauses ?? [])
      : [];
  return clauses
    .flatMap(({ types }) => types)
    .flatMap((type) => checker.getTypeAtLocation(type).getSymbol()?.declarations ?? []);
}

const describeNode = (node: ts.Node): string => {
  const file = node.getSourceFile().fileName.replace(`${root}dist/`, 'src/');
  const owner = ts.findAncestor(node, isType);
  const name = (node as ts.PropertySignature).name?.getText() ?? '';
  return `${file.replace(/\.d\.ts$/, '.ts')} ${owner === node ? '' : `${owner?.name?.getText()}.`}${name}`;
};

const readText = (path: string): string | undefined => ts.sys.readFile(path);

const OPTIONS: ts.CompilerOptions = {
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  types: [],
};

/** A compiler that has read the declarations of every entry by `textOf`. */
function programOf(textOf: typeof readText): ts.Program {
  const host = { ...ts.createCompilerHost(OPTIONS), readFile: textOf };
  host.getSourceFile = (path, target) => {
    const text = textOf(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, target);
  };
  const files = entries.map(({ declarations }) => join(root, declarations));
  return ts.createProgram(files, OPTIONS, host);
}

/** Lists the exports of each entry; the members of a namespace are exports too. */
function exportsOf(program: ts.Program): readonly (readonly [string, ts.Symbol])[] {
  const checker = program.getTypeChecker();
  const own = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const inside = (module: ts.Symbol): ts.Symbol[] =>
    checker
      .getExportsOfModule(module)
      .map(own)
      .flatMap((symbol) => (symbol.flags & ts.SymbolFlags.ValueModule ? inside(symbol) : [symbol]));
  return entries.flatMap(({ specifier, declarations }) => {
    const source = program.getSourceFile(join(root, declarations))!;
    const symbols = inside(checker.getSymbolAtLocation(source)!);
    return symbols.map((symbol) => [specifier, symbol] as const);
  });
}

/**
 * Lists the names without a comment, as `file Type.member`, and as `entry name`; `textOf` reads the
 * declarations.
 */
export function undocumented(textOf: typeof readText = readText): string[] {
  const program = programOf(textOf);
  const checker = program.getTypeChecker();
  const exported = exportsOf(program);
  const bare = exported
    .filter(([, { declarations = [] }]) => !declarations.some(isType)) // types are looked into below
    .filter(([, symbol]) => symbol.getDocumentationComment(checker).length === 0)
    .map(([specifier, { name }]) => `${specifier} ${name}`);
  const open: ts.Node[] = exported.flatMap(([, symbol]) => symbol.declarations ?? []);
  const seen = new Set<ts.Node>();
  for (let next = open.pop(); next; next = open.pop()) {
    if (seen.has(next) || !isType(next) || !isOwn(next)) continue;
    seen.add(next);
    open.push(...basesOf(next, checker));
  }
  const hasComment = (node: ts.Node): boolean => {
    const symbol = checker.getSymbolAtLocation((node as ts.PropertySignature).name);
    const isOld = symbol?.getJsDocTags(checker).some(({ name }) => name === 'deprecated');
    return isOld || symbol?.getDocumentationComment(checker).length !== 0;
  };
  // The comment of a member says what the nameless type in it holds.
  const isCovered = (node: ts.Node): boolean =>
    hasComment(node) ||
    ts.findAncestor(node.parent, (outer) => isMember(outer) && hasComment(outer)) !== undefined;
  const silent = [...seen].flatMap((type) =>
    [type, ...membersOf(type)].filter((node) => !isCovered(node) && !isTag(node) && isPublic(node)),
  );
  return [...new Set([...bare, ...silent.map(describeNode)])].sort();
}

if (import.meta.main) console.log(undocumented().join('\n'));
