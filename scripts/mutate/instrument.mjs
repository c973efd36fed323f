// Puts all changes of one file into it at once, behind switches: `__m(place)` is true where the change of that place is to
// be played, and `__k` says which one. One build then serves every mutant.
import ts from 'typescript-5.9';
import { changesOfExpression, isRemovable } from './mutators.mjs';

// Parts in which nothing is changed: types, names, what is imported, and words for people.
const isLeftAlone = (node) =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression));

const isExpression = (node) =>
  ts.isExpression(node) &&
  !(node.parent.name === node || node.parent.propertyName === node) &&
  !isTarget(node);

// What is assigned to, counted up or deleted has to stay a place.
const isTarget = (node) =>
  (ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    /^[^=!<>]*=$/.test(node.parent.operatorToken.getText())) ||
  ts.isDeleteExpression(node.parent) ||
  ts.isPostfixUnaryExpression(node.parent) ||
  ts.isTaggedTemplateExpression(node.parent);

const saysSomething = (node) =>
  ts.isNewExpression(node) && /Error$/.test(node.expression.getText());

const isNamed = (node) =>
  ts.isFunctionLike(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);

/** The name of the function, member or constant around a place. */
function nameAround(node) {
  let name = '';
  for (let at = node; at.parent; at = at.parent)
    if (isNamed(at) && (at.name || ts.isConstructorDeclaration(at)))
      name = at.name?.getText() ?? 'constructor';
  return name;
}

/** It is computed when its file is loaded, which may be late: some files are loaded by what runs. */
function isAtTop(node) {
  for (let at = node.parent; at; at = at.parent)
    if (ts.isFunctionLike(at) || ts.isPropertyDeclaration(at)) return false;
  return true;
}

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** The text of a file with its switches, and the list of mutants; `next` gives a number to each place. */
export function instrument(file, text, next) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const note = (node, changes) => {
    const place = next();
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
    for (const [at, change] of changes.entries())
      mutants.push({
        place,
        variant: at + 1,
        file,
        line: line + 1,
        column: character + 1,
        inside: nameAround(node),
        isAtTop: isAtTop(node),
        from: node.getText(),
        to: change,
      });
    return place;
  };

  const inside = (node, isError) => {
    let out = '';
    let end = node.getStart();
    ts.forEachChild(node, (child) => {
      out += text.slice(end, child.getStart()) + emit(child, isError);
      end = child.end;
    });
    return out + text.slice(end, node.end);
  };

  const emit = (node, isError) => {
    if (isLeftAlone(node)) return node.getText();
    if (isError && isText(node)) return node.getText();
    if (isRemovable(node)) {
      const place = note(node, ['']);
      return `{ if (!__m(${place})) { ${inside(node, isError)} } }`;
    }
    const changes = isExpression(node) ? changesOfExpression(node) : [];
    const place = changes.length > 0 ? note(node, changes) : 0;
    const kept = inside(node, isError || saysSomething(node));
    return changes.length === 0 ? kept : switchOf(place, changes, kept);
  };
  const instrumented = text.slice(0, source.getStart()) + inside(source, false);
  return { text: instrumented, mutants };
}

// An arrow function's body keeps its parentheses, and a statement that begins with one needs a semicolon before it.
function switchOf(place, changes, kept) {
  const chosen = changes.reduceRight(
    (rest, change, at) =>
      rest === '' ? `(${change})` : `(globalThis.__k === ${at + 1} ? (${change}) : ${rest})`,
    '',
  );
  return `(__m(${place}) ? ${chosen} : (${kept}))`;
}
