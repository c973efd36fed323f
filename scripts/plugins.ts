// The plugins of our own with which rollup builds `dist`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MagicString from 'magic-string';
import type { Plugin } from 'rollup';

interface Node {
  readonly type: string;
  readonly start: number;
}

const PURE = '/* @__PURE__ */ ';
const RUNS_LATER: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassExpression',
]);

const isNode = (value: unknown): value is Node =>
  typeof (value as Node | null | undefined)?.type === 'string';

const childrenOf = (node: object): readonly Node[] => Object.values(node).flat().filter(isNode);

/** The first values of the variables that a statement declares. */
function initialisersOf(statement: Node): readonly Node[] {
  const { declaration = statement } = statement as { readonly declaration?: Node | null } & Node;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return childrenOf(declaration).flatMap((one) => (one as { init?: Node | null }).init ?? []);
}

/** The places of calls that run when a node is evaluated. */
const callsRunBy = (node: Node): readonly number[] =>
  RUNS_LATER.has(node.type)
    ? []
    : [
        ...(node.type === 'CallExpression' || node.type === 'NewExpression' ? [node.start] : []),
        ...childrenOf(node).flatMap(callsRunBy),
      ];

/**
 * Marks calls that run while a module loads as free of side effects. Bundlers drop an unused
 * `const table = makeTable(…)` only with this mark, and esbuild and webpack need it at each call:
 * they do not analyse the function. Statements that are calls themselves stay unmarked. The plugin
 * belongs behind the one that turns TypeScript into JavaScript.
 */
export const pureCalls = (): Plugin => ({
  name: 'pure-calls',
  transform(code) {
    const statements = childrenOf(this.parse(code));
    const starts = new Set(statements.flatMap(initialisersOf).flatMap(callsRunBy));
    if (starts.size === 0) return null;
    const marked = new MagicString(code);
    for (const start of starts)
      if (!/@__PURE__ \*\/\s*$/.test(code.slice(0, start))) marked.appendLeft(start, PURE);
    return { code: marked.toString(), map: marked.generateMap({ hires: true }) };
  },
});

const NOTICES = 'THIRD_PARTY_LICENSES';
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The packages of a chunk's modules, by name, with their folders. */
function packagesOf(modules: object): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const id of Object.keys(modules)) {
    const [, folder, name] = PACKAGE.exec(id.replaceAll('\\', '/').replace('\0', '')) ?? [];
    if (name && folder) found.set(name, folder);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function noticeOf(name: string, folder: string): string {
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) throw new Error(`${name} has no licence text`);
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/**
 * Names the packages in a bundle at its end, where that moves no line of the map, and writes their
 * licences beside it. With `isListed` another file in the same folder has the same licences.
 */
export const thirdPartyNotices = ({ isListed = false } = {}): Plugin => ({
  name: 'third-party-notices',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const packages = packagesOf(chunk.modules);
      const names = [...packages.keys()].join(', ');
      const end = chunk.code.lastIndexOf('//# sourceMappingURL');
      const at = end < 0 ? chunk.code.length : end;
      chunk.code = `${chunk.code.slice(0, at)}/*! With ${names}: see ${NOTICES} */\n${chunk.code.slice(at)}`;
      if (isListed) continue;
      const rule = `\n${'-'.repeat(80)}\n\n`;
      const notices = [...packages].map(([name, folder]) => noticeOf(name, folder));
      const source = `${chunk.fileName} has code of these packages.\n${rule}${notices.join(rule)}`;
      this.emitFile({ type: 'asset', fileName: NOTICES, source });
    }
  },
});

interface SourceMap {
  readonly sources: readonly string[];
  sourcesContent: (string | null)[];
}

/**
 * Removes the package's own sources from its maps: it has them in `src`. Those of other packages
 * stay.
 */
export const mapsWithoutOwnSources = (): Plugin => ({
  name: 'maps-without-own-sources',
  generateBundle(_, bundle) {
    for (const [file, asset] of Object.entries(bundle)) {
      if (!file.endsWith('.map') || asset.type !== 'asset') continue;
      const map = JSON.parse(String(asset.source)) as SourceMap;
      map.sourcesContent = map.sources.map((source, at) =>
        source.includes('node_modules') ? (map.sourcesContent[at] ?? null) : null,
      );
      asset.source = JSON.stringify(map);
    }
  },
});
