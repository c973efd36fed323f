// What may be changed at one place of a program: for a node of the syntax tree, the texts that may stand in its stead.
import ts from 'typescript-5.9';

const { SyntaxKind: kind } = ts;

const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};

/** Methods, with the one that takes their place; `''` leaves the value as it was before the call. */
const METHODS = new Map(
  Object.entries({
    filter: '',
    sort: '',
    toSorted: '',
    reverse: '',
    slice: '',
    trim: '',
    toLowerCase: '',
    toUpperCase: '',
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    min: 'max',
    max: 'min',
  }),
);

const textOf = (node) => node.getText();
const isText = (node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)));

function ofBinary(node) {
  const { left, right, operatorToken } = node;
  const sign = textOf(operatorToken);
  if (sign === '??') return [textOf(left)];
  if (sign === '+' && isText(node)) return [];
  return (OPERATORS[sign] ?? []).map((other) => `${textOf(left)} ${other} ${textOf(right)}`);
}

function ofCall({ expression, arguments: given }) {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const other = METHODS.get(expression.name.text);
  if (other === undefined) return [];
  if (other === '') return [textOf(expression.expression)];
  const before = textOf(expression).slice(0, -expression.name.text.length);
  return [`${before}${other}(${given.map(textOf).join(', ')})`];
}

/** A chain with one `?.` less, for each that it has. */
function ofChain(root) {
  const whole = textOf(root);
  const found = [];
  for (let node = root; ts.isOptionalChain(node); node = node.expression) {
    const token = node.questionDotToken;
    if (!token) continue;
    const at = token.getStart() - root.getStart();
    const dot = ts.isPropertyAccessExpression(node) ? '.' : '';
    found.push(whole.slice(0, at) + dot + whole.slice(at + 2));
  }
  return found;
}

const isRootOfChain = (node) =>
  ts.isOptionalChain(node) &&
  !(ts.isOptionalChain(node.parent) && node.parent.expression === node) &&
  !ts.isNonNullExpression(node.parent);

// A chain inside a chain must stay in one piece: what follows it is skipped together with it.
const isInsideChain = (node) =>
  (ts.isOptionalChain(node) && !isRootOfChain(node)) ||
  (ts.isNonNullExpression(node.parent) && ts.isOptionalChain(node));

const isCondition = (node) =>
  ((ts.isIfStatement(node.parent) || ts.isWhileStatement(node.parent)) &&
    node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition === node);

// What is true or false has a change of its own, and `undefined` says no less than `false`.
const isReturned = (node) =>
  (ts.isReturnStatement(node.parent) ||
    (ts.isArrowFunction(node.parent) && node.parent.body === node)) &&
  !/^(undefined|true|false)$/.test(textOf(node));

function ofLiteral(node) {
  if (ts.isNumericLiteral(node)) return [node.text === '0' ? '1' : '0'];
  // words for people, and reasons in words, have a space
  if (ts.isStringLiteral(node) && /^\S+$/.test(node.text)) return ["''"];
  if (node.kind === kind.TrueKeyword) return ['false'];
  if (node.kind === kind.FalseKeyword) return ['true'];
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return ['[]'];
  return [];
}

function ofKind(node) {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === kind.ExclamationToken)
    return [textOf(node.operand)];
  if (ts.isCallExpression(node) && !ts.isOptionalChain(node)) return ofCall(node);
  if (ts.isOptionalChain(node)) return ofChain(node);
  return ofLiteral(node);
}

/** The texts that may stand where this expression stands. */
export function changesOfExpression(node) {
  if (isInsideChain(node)) return [];
  const found = ofKind(node);
  if (isCondition(node) && !/^(true|false)$/.test(textOf(node))) {
    found.push(node.parent.kind === kind.WhileStatement ? 'false' : 'true');
    if (node.parent.kind !== kind.WhileStatement) found.push('false');
  } else if (isReturned(node)) found.push('undefined');
  return [...new Set(found)];
}

/** Whether a statement may be left out. */
export function isRemovable(node) {
  if (ts.isThrowStatement(node) || node.kind === kind.ContinueStatement) return true;
  return ts.isExpressionStatement(node) && !textOf(node).startsWith('super');
}
