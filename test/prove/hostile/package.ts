// T17: what is published is what was meant: these files, these dependencies, no scripts at install, entries that import
// nothing but their own packages and change nothing when they are imported.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pack } from '../../house/tarball.ts';
import { root } from '../shared/workerd.ts';
import { changesBy } from './import-probe.ts';
import { report } from './report.ts';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly default?: string } | string>>;
}

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(textOf('package.json')) as Manifest;

const BECH32 = ['@scure/base', '@noble/hashes'];
const SIGNATURES = [...BECH32, '@noble/secp256k1'];
/** Packages that an entry may reach; an entry that is not here reaches none. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '.': ['ofetch', 'valibot'],
  './webhooks': ['valibot'],
  './operations': ['valibot'],
  './schemas': ['valibot'],
  './endpoints': ['valibot'],
  './doctor': ['valibot'],
  './rx': ['rxjs', 'valibot'],
  './relay': ['jose', 'valibot'],
  './host': ['jose', 'valibot'],
  './devtools': ['valibot'],
  './elements': ['ofetch', 'valibot', 'uqr', ...SIGNATURES],
  './lightning': BECH32,
  './lightning/signature': SIGNATURES,
  './sandbox': [...SIGNATURES, 'valibot'],
  './oauth': ['oauth4webapi'],
  './react': ['react', 'valibot'],
  './vue': ['vue', 'valibot'],
  './testing': [...SIGNATURES, 'valibot'],
  './flows': ['valibot', ...SIGNATURES],
};
const DEPENDENCIES = [...SIGNATURES, 'jose', 'oauth4webapi', 'ofetch', 'uqr', 'valibot'];
const PEERS = ['react', 'rxjs', 'vue'];
const FILES = [
  /^dist\/.+\.(js|js\.map|d\.ts|d\.ts\.map)$/,
  /^dist\/(integrity\.json|openapi\.json|(cli\/page\/)?THIRD_PARTY_LICENSES)$/,
  /^src\/.+\.ts$/,
  /^src\/(.+\/)?(README|in-detail|what-binds)\.md$/,
  /^demo\/cookbook\/[\w-]+\.(ts|md)$/,
  /^demo\/cookbook\/deploy\/([\w-]+\.(ts|js|html|sql|yaml|md)|Caddyfile|Dockerfile)$/,
  /^(package\.json|llms\.txt|README\.md|CHANGELOG\.md|LICENSE|demo\/screenshot\.png)$/,
];

const failures: string[] = [];
const fail = (list: readonly string[], why: string): void =>
  void failures.push(...list.map((one) => `${why}: ${one}`));

/** The package of a specifier such as `@scure/base/lib` or `jose`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const IMPORTS = /^(?:import|export)\b[^;'"]*['"]([^'"\n]+)['"];?$/gm;

/** Packages that can be reached from a built file. */
function packagesOf(file: string): readonly string[] {
  const open = [normalize(file)];
  const [seen, found] = [new Set<string>(), new Set<string>()];
  for (let next = open.pop(); next; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const [, specifier = ''] of textOf(next).matchAll(IMPORTS))
      if (specifier.startsWith('.')) open.push(normalize(join(dirname(next), specifier)));
      else found.add(packageOf(specifier));
  }
  return [...found];
}

function checkManifest(): void {
  const { scripts, dependencies, peerDependencies } = manifest;
  const atInstall = /^(pre|post)?(install|prepare|prepublish|publish|pack)/;
  fail(
    Object.keys(scripts).filter((name) => atInstall.test(name)),
    'runs at install',
  );
  fail(
    Object.keys(dependencies).filter((name) => !DEPENDENCIES.includes(name)),
    'a dependency that nobody asked for',
  );
  const isCaret = (range: string): boolean => /^\^\d+\.\d+\.\d+$/.test(range);
  const ranges = Object.entries(dependencies).filter(([, range]) => !isCaret(range));
  fail(
    ranges.map(([name]) => name),
    'a range that is no caret',
  );
  fail(
    Object.keys(peerDependencies).filter((name) => !PEERS.includes(name)),
    'a peer that nobody asked for',
  );
}

/** The entries with their built files. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'object' && target.default ? [[path, target.default] as const] : [],
);

function checkEntries(): void {
  for (const [path, file] of entries) {
    const allowed = ALLOWED[path] ?? ALLOWED[dirname(path)] ?? []; // ./operations/invoices: as ./operations
    const isAllowed = (name: string): boolean =>
      allowed.includes(name) || (name.startsWith('node:') && path === './stores/file');
    fail(
      packagesOf(file).filter((name) => !isAllowed(name)),
      `${path} reaches`,
    );
  }
  const specifiers = entries.map(([path]) => `paystate${path.slice(1)}`);
  // Globals that React and Vue set when they are loaded do not count.
  for (const [specifier, changes] of Object.entries(changesBy(specifiers, ['react', 'vue'])))
    fail(changes, `importing ${specifier} changes`);
}

const COMMENTS = /\/\/.*|\/\*[\s\S]*?\*\//g;

/** No built file makes code, or imports what a text names. */
function checkCode(paths: readonly string[]): void {
  for (const path of paths) {
    // Bun's own SQLite is named by a constant, since bundlers for other runtimes cannot resolve it.
    const code = textOf(path).replace(/import\(BUN_SQLITE\)/, '');
    if (/\beval\(|new Function\(|import\((?!['"])/.test(code.replace(COMMENTS, '')))
      failures.push(`${path} makes code or imports by name`);
  }
}

const { files: paths, unpackedSize } = pack();
const isMeant = (path: string): boolean =>
  FILES.some((pattern) => pattern.test(path)) && !/\.test\./.test(path);
fail(
  paths.filter((path) => !isMeant(path)),
  'a file that nobody asked for',
);
checkManifest();
checkEntries();
checkCode(paths.filter((path) => /^dist\/.*\.js$/.test(path) && !path.includes('cli/')));
const counts = {
  files: paths.length,
  'kB unpacked': Math.round(unpackedSize / 1_000),
  entries: entries.length,
  dependencies: Object.keys(manifest.dependencies).length,
};
report('T17 package', counts, failures);
