// T17: what is published is what was meant: these files, these dependencies, no scripts at install, entries that import
// nothing but their own packages and change nothing when they are imported.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesBy } from './import-probe.mjs';
import { report } from './report.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(textOf('package.json'));

/** Packages that an entry may reach; an entry that is not here reaches none. */
const ALLOWED = {
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
  './elements': ['ofetch', 'valibot', 'uqr', '@scure/base', '@noble/hashes', '@noble/secp256k1'],
  './lightning': ['@scure/base', '@noble/hashes'],
  './lightning/signature': ['@scure/base', '@noble/hashes', '@noble/secp256k1'],
  './sandbox': ['@scure/base', '@noble/hashes', '@noble/secp256k1', 'valibot'],
  './oauth': ['oauth4webapi'],
  './react': ['react', 'valibot'],
  './vue': ['vue', 'valibot'],
  './testing': ['@scure/base', '@noble/hashes', '@noble/secp256k1', 'valibot'],
  './flows': ['valibot', '@scure/base', '@noble/hashes', '@noble/secp256k1'],
};
const DEPENDENCIES = [
  '@noble/hashes',
  '@noble/secp256k1',
  '@scure/base',
  'jose',
  'oauth4webapi',
  'ofetch',
  'uqr',
  'valibot',
];
const PEERS = ['react', 'rxjs', 'vue'];
const FILES = [
  /^dist\/.+\.(js|js\.map|d\.ts|d\.ts\.map)$/,
  /^dist\/(integrity\.json|openapi\.json|(cli\/page\/)?THIRD_PARTY_LICENSES)$/,
  /^src\/.+\.ts$/,
  /^src\/(.+\/)?(README|what-binds)\.md$/,
  /^demo\/cookbook\/[\w-]+\.(ts|md)$/,
  /^demo\/cookbook\/deploy\/([\w-]+\.(ts|js|html|sql|yaml|md)|Caddyfile|Dockerfile)$/,
  /^(package\.json|llms\.txt|README\.md|CHANGELOG\.md|LICENSE|demo\/screenshot\.png)$/,
];

const failures = [];
const fail = (list, why) => failures.push(...list.map((one) => `${why}: ${one}`));

/** Packages that can be reached from a built file. */
const packagesOf = (file) => {
  const [open, seen, found] = [[normalize(file)], new Set(), new Set()];
  for (let next = open.pop(); next; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const [, specifier] of textOf(next).matchAll(
      /^(?:import|export)\b[^;'"]*['"]([^'"\n]+)['"];?$/gm,
    )) {
      if (specifier.startsWith('.')) open.push(normalize(join(dirname(next), specifier)));
      else
        found.add(
          specifier.startsWith('@')
            ? specifier.split('/').slice(0, 2).join('/')
            : specifier.split('/')[0],
        );
    }
  }
  return [...found];
};

const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: root,
  encoding: 'utf8',
});
const [{ files, unpackedSize }] = JSON.parse(packed.stdout);
fail(
  files
    .map(({ path }) => path)
    .filter((path) => !FILES.some((pattern) => pattern.test(path)) || /\.test\./.test(path)),
  'a file that nobody asked for',
);
fail(
  Object.keys(manifest.scripts).filter((name) =>
    /^(pre|post)?(install|prepare|prepublish|publish|pack)/.test(name),
  ),
  'runs at install',
);
fail(
  Object.keys(manifest.dependencies).filter((name) => !DEPENDENCIES.includes(name)),
  'a dependency that nobody asked for',
);
fail(
  Object.entries(manifest.dependencies)
    .filter(([, range]) => !/^\^\d+\.\d+\.\d+$/.test(range))
    .map(([name]) => name),
  'a range that is no caret',
);
fail(
  Object.keys(manifest.peerDependencies).filter((name) => !PEERS.includes(name)),
  'a peer that nobody asked for',
);

const entries = Object.entries(manifest.exports).filter(([, target]) => target.default);
for (const [path, { default: file }] of entries) {
  const allowed = ALLOWED[path] ?? ALLOWED[dirname(path)] ?? []; // ./operations/invoices: as ./operations
  fail(
    packagesOf(file).filter(
      (name) => !allowed.includes(name) && !(name.startsWith('node:') && path === './stores/file'),
    ),
    `${path} reaches`,
  );
}
const specifiers = entries.map(([path]) => `paystate${path.slice(1)}`);
// What React and Vue set when they are loaded is their own.
for (const [specifier, changes] of Object.entries(changesBy(specifiers, ['react', 'vue'])))
  fail(changes, `importing ${specifier} changes`);
for (const { path } of files.filter(
  ({ path: name }) => name.startsWith('dist/') && name.endsWith('.js') && !/cli\//.test(name),
)) {
  // Bun's own SQLite is named by a constant, since bundlers for other runtimes cannot resolve it.
  const code = textOf(path).replace(/import\(BUN_SQLITE\)/, '');
  if (/\beval\(|new Function\(|import\((?!['"])/.test(code.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')))
    failures.push(`${path} makes code or imports by name`);
}
report(
  'T17 package',
  {
    files: files.length,
    'kB unpacked': Math.round(unpackedSize / 1_000),
    entries: entries.length,
    dependencies: Object.keys(manifest.dependencies).length,
  },
  failures,
);
