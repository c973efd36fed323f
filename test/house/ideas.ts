// The subjects of a file, read from its declarations: which of them mention each other, or share a
// name that the file imports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.9';
import { importsOf, root, sourceFiles } from './source.ts';

/** A declaration at the top of a file and the names in it. */
interface Declaration {
  readonly name: string;
  readonly mentions: ReadonlySet<string>;
  /** Types and constants are facts, which a file may list. */
  readonly isCode: boolean;
}

const namesOf = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as Partial<ts.DeclarationStatement>;
  return name ? [name.getText()] : [];
};

const mentionsIn = (node: ts.Node): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (one: ts.Node): void => {
    if (ts.isIdentifier(one)) names.add(one.text);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return names;
};

const isCode = (statement: ts.Statement): boolean =>
  ts.isFunctionDeclaration(statement) ||
  ts.isClassDeclaration(statement) ||
  (ts.isVariableStatement(statement) &&
    statement.declarationList.declarations.some(
      ({ initializer }) => initializer && ts.isArrowFunction(initializer),
    ));

const isImport = (statement: ts.Statement): statement is ts.ImportDeclaration =>
  ts.isImportDeclaration(statement);

/** The functions and classes of a text with what belongs to them, in groups that share no name. */
export function groupsIn(text: string): readonly (readonly string[])[] {
  const { statements } = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const imported = mentionsIn(ts.factory.createBlock(statements.filter(isImport)));
  const declarations = statements
    .filter((one) => !isImport(one))
    .flatMap((one) =>
      namesOf(one).map(
        (name): Declaration => ({ name, mentions: mentionsIn(one), isCode: isCode(one) }),
      ),
    );
  const own = new Set(declarations.map(({ name }) => name));
  const linksOf = ({ name, mentions }: Declaration): readonly string[] => [
    name,
    ...[...mentions].filter((one) => own.has(one) || imported.has(one)),
  ];
  let groups: {
    readonly names: string[];
    readonly links: Set<string>;
    readonly isCode: boolean;
  }[] = [];
  for (const one of declarations) {
    const links = new Set(linksOf(one));
    const near = groups.filter((group) => [...links].some((link) => group.links.has(link)));
    groups = [
      ...groups.filter((group) => !near.includes(group)),
      {
        names: [...near.flatMap(({ names }) => names), one.name],
        links: new Set([...near.flatMap((group) => [...group.links]), ...links]),
        isCode: one.isCode || near.some((group) => group.isCode),
      },
    ];
  }
  return groups.filter((group) => group.isCode).map(({ names }) => [...new Set(names)]);
}

const codeOf = (file: string): string => readFileSync(join(root, 'src', file), 'utf8');

/** Lines that are neither empty nor comments. */
export const linesOf = (file: string): number =>
  codeOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => /^\s*[^\s/]/.test(line)).length;

const importers = new Map<string, string[]>();
for (const file of sourceFiles)
  for (const target of new Set(importsOf(file)))
    importers.set(target, [...(importers.get(target) ?? []), file]);

export const importersOf = (file: string): readonly string[] => importers.get(file) ?? [];
