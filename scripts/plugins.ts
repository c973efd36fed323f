// Our own rollup plugins for the build of `dist`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import MagicString from 'magic-string';
import { type Plugin, rollup } from 'rollup';

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

/** Returns the initial values of the variables that a statement declares. */
function initialisersOf(statement: Node): readonly Node[] {
  const { declaration = statement } = statement as { readonly declaration?: Node | null } & Node;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return childrenOf(declaration).flatMap((one) => (one as { init?: Node | null }).init ?? []);
}

/** Returns the positions of calls that run when a node is evaluated. */
const callsRunBy = (node: Node): readonly number[] =>
  RUNS_LATER.has(node.type)
    ? []
    : [
        ...(node.type === 'CallExpression' || node.type === 'NewExpression' ? [node.start] : []),
        ...childrenOf(node).flatMap(callsRunBy),
      ];

/**
 * Marks calls that run while a module loads as free of side effects. Bundlers drop an unused
 * `const table = makeTable(…)` only with this mark. esbuild and webpack need it at each call,
 * because they don't analyse the function. Statements that are calls themselves stay unmarked. Put
 * the plugin behind the one that turns TypeScript into JavaScript.
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

/** Returns the folders of the packages in a chunk, by package name. */
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
 * Names the packages in a bundle at its end, so that no line of the source map moves, and writes
 * their licences beside it. With `isListed` another file in the same folder has the same licences.
 */
export const thirdPartyNotices = ({ isListed = false } = {}): Plugin => ({
  name: 'third-party-notices',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const packages = packagesOf(chunk.modules);
      const names = [...packages.keys()].join(', ');
      chunk.code += `/*! With ${names}: see ${NOTICES} */\n`;
      if (isListed) continue;
      const rule = `\n${'-'.repeat(80)}\n\n`;
      const notices = [...packages].map(([name, folder]) => noticeOf(name, folder));
      const source = `${chunk.fileName} has code of these packages.\n${rule}${notices.join(rule)}`;
      this.emitFile({ type: 'asset', fileName: NOTICES, source });
    }
  },
});

/** What ofetch imports for base URLs, queries and parsed bodies. The transport uses none of them. */
const UNUSED: Readonly<Record<string, string>> = {
  ufo: 'export const withBase = undefined, withQuery = undefined;',
  destr: 'export default undefined;',
};

/** Leaves the packages above out of a page file: 1.6 kB gzip. */
export const withoutUnused = (): Plugin => ({
  name: 'without-unused',
  resolveId: (id) => (id in UNUSED ? `\0${id}` : null),
  load: (id) => UNUSED[id.replace('\0', '')] ?? null,
});

/*
 * Late files. Bundlers split a page by files. They move the code that a late file shares with the
 * page into files of their own, and all code that either of them uses goes along, even for pages
 * that never load the late file (measured: 5.7 kB gzip on `createConnection` with one resource). So
 * a late file is one function here, and the page passes in the code that it has anyway. In `src`
 * it's a plain `import()`.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The late files, and the modules that are bundled into them. They're handed all other imports. A
 * bundled module may be loaded twice, so it must keep no state in variables of its own.
 */
const LATE: Readonly<Record<string, readonly RegExp[]>> = {
  'src/generated/engine.ts': [
    /^src\/(state|generated)\//,
    /^src\/resources\/(?!wire)[\w.-]+(?<!\.schemas)\.ts$/,
    /^src\/core\/(watch|time|protocol)\.ts$/,
    /^src\/core\/lists\//,
    /^src\/core\/http\/(answers|index|rate-limits|rate-readings)\.ts$/,
  ],
  'src/resources/events.feed.ts': [/^src\/resources\/events\.cursor\.ts$/],
};

const PREFIX = 'late:';
const nameOf = (file: string): string => /[\w-]+(?=\.ts$)/.exec(file)![0];
const lateFile = (file: string): string => `late/${nameOf(file)}.js`;
const kitFile = (file: string): string => resolve(root, `src/late/${nameOf(file)}.kit.ts`);
const inRoot = (path: string): string => relative(root, path).replaceAll('\\', '/');

/** Makes each import of a late file hand over the kit. */
function handOver(code: string, id: string): { code: string; map: null } | null {
  let kits = '';
  const later = /\bimport\((["'])(\.[^"']+)\1\)/g;
  const text = code.replace(later, (whole: string, _quote, specifier: string) => {
    const file = inRoot(resolve(dirname(id), specifier));
    if (!(file in LATE)) return whole;
    const kit = `kitOf_${nameOf(file).replaceAll('-', '_')}`;
    kits += ` import { kit as ${kit} } from ${JSON.stringify(kitFile(file))};`;
    return `import(${JSON.stringify(PREFIX + lateFile(file))}).then((late) => late.load(${kit}))`;
  });
  return kits ? { code: text + kits, map: null } : null;
}

interface Binding {
  readonly name: string;
  readonly local: string;
}

/** Returns the names in an import or export statement written by rollup. */
const bindingsIn = (list: string): readonly Binding[] =>
  list.split(',').map((one) => {
    const [name = '', local = name] = one.trim().split(/\s+as\s+/);
    return { name, local };
  });

/** A value that is handed to a late file, with the module that exports it. */
interface Taken extends Binding {
  readonly from: string;
}

/** Turns a module into a function of its imports. */
function asFunction(code: string): { readonly kit: readonly Taken[]; readonly code: string } {
  const taken: Taken[] = [];
  const body = code
    .replace(/^import \{([^}]+)\} from '([^']+)';$/gm, (_all, list: string, from: string) => {
      taken.push(...bindingsIn(list).map((one) => ({ ...one, from })));
      return '';
    })
    .replace(/^export \{([^}]+)\};\s*$/m, (_all, list: string) => {
      // the local name comes first here
      const members = bindingsIn(list).map(({ name, local }) => `${local}: ${name}`);
      return `return { ${members.join(', ')} };`;
    });
  if (/^(import|export)\b/m.test(body)) throw new Error('a late file has other imports or exports');
  const parameters = taken.map(({ local }) => local).join(', ');
  return {
    kit: taken,
    code:
      'export const load = (kit) => (loaded ??= make(kit)); let loaded; ' +
      `const make = ([${parameters}]) => {${body}};\n`,
  };
}

const kitText = (kit: readonly Taken[]): string =>
  [
    ...kit.map(
      ({ name, from }, at) => `import { ${name} as k${at} } from ${JSON.stringify(from)};`,
    ),
    `export const kit = [${kit.map((_one, at) => `k${at}`).join(', ')}];`,
  ].join('\n');

interface Late {
  readonly kit: readonly Taken[];
  readonly code: string;
}

const isKit = (id: string): boolean => Object.keys(LATE).some((file) => kitFile(file) === id);

/** Bundles a late file with its modules, as a function of all other imports. */
async function makeLate(file: string, folder: string, plugins: Plugin[]): Promise<Late> {
  const isOwn = (path: string) =>
    LATE[file]!.some((own) => own.test(inRoot(path))) || path === resolve(root, file);
  const bundle = await rollup({
    input: resolve(root, file),
    makeAbsoluteExternalsRelative: false,
    external: (id, _from, isResolved) =>
      isResolved && !id.startsWith(PREFIX) && !isOwn(id) && !isKit(id),
    treeshake: { moduleSideEffects: 'no-external' },
    plugins,
    onwarn: () => {},
  });
  const { output } = await bundle.generate({
    format: 'es',
    file: resolve(root, folder, lateFile(file)),
    paths: (id) => id.replace(/^\.?(?=\/)/, ''),
  });
  return asFunction(output[0].code.replaceAll(`${PREFIX}late/`, './'));
}

/**
 * Makes each `import('./file.ts')` of a late file share nothing with the rest, in builds into
 * `folder`. `inner` makes the plugins that turn TypeScript into JavaScript. Put this plugin behind
 * them.
 */
export function lateFiles(folder: string, inner: () => Plugin[]): Plugin {
  const made = new Map<string, Promise<Late>>();
  const madeOf = (file: string): Promise<Late> => {
    const known = made.get(file) ?? makeLate(file, folder, [...inner(), plugin]);
    made.set(file, known);
    return known;
  };
  const plugin: Plugin = {
    name: 'late-files',
    transform: handOver,
    resolveId(id) {
      if (isKit(id)) return id;
      return id.startsWith(PREFIX) ? { id, external: true } : null;
    },
    async load(id) {
      const file = Object.keys(LATE).find((one) => kitFile(one) === id);
      return file ? { code: kitText((await madeOf(file)).kit), map: { mappings: '' } } : null;
    },
  };
  return {
    ...plugin,
    renderChunk(code, { fileName }) {
      const text = code.replaceAll(/(["'])late:([\w./-]+)\1/g, (_all, quote, path) => {
        const from = relative(dirname(fileName), path).replaceAll('\\', '/');
        return `${quote}${from.startsWith('.') ? from : `./${from}`}${quote}`;
      });
      return text === code ? null : { code: text, map: null };
    },
    async generateBundle() {
      for (const [file, making] of made) {
        const { code: source } = await making;
        this.emitFile({ type: 'asset', fileName: lateFile(file), source });
      }
    },
  };
}
