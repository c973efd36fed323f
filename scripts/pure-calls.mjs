// Rollup plugin: marks calls that run while a module loads as free of side effects.
// Bundlers drop an unused `const table = makeTable(…)` only with this mark, and esbuild and webpack
// need it at each call: they do not look into the function. Statements that stand alone stay unmarked.
import MagicString from 'magic-string';

const PURE = '/* @__PURE__ */ ';
const RUNS_LATER = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassExpression',
]);

const initialisersOf = (statement) => {
  const declaration =
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  return declaration?.type === 'VariableDeclaration'
    ? declaration.declarations.flatMap(({ init }) => init ?? [])
    : [];
};

const childrenOf = (node) =>
  Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === 'string');

const callsRunBy = (node) =>
  RUNS_LATER.has(node.type)
    ? []
    : [
        ...(node.type === 'CallExpression' || node.type === 'NewExpression' ? [node.start] : []),
        ...childrenOf(node).flatMap(callsRunBy),
      ];

/** The plugin; put it behind the one that turns TypeScript into JavaScript. */
export const pureCalls = () => ({
  name: 'pure-calls',
  transform(code) {
    const starts = new Set(this.parse(code).body.flatMap(initialisersOf).flatMap(callsRunBy));
    if (starts.size === 0) return null;
    const marked = new MagicString(code);
    for (const start of starts)
      if (!/@__PURE__ \*\/\s*$/.test(code.slice(0, start))) marked.appendLeft(start, PURE);
    return { code: marked.toString(), map: marked.generateMap({ hires: true }) };
  },
});
