// Runtimes that cannot run test files as they are get one file, which esbuild makes of all.
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const SOURCE = 'all-tests.ts';

/**
 * The package says that its files do nothing by being imported, which holds for what is published.
 * Test files are imported for nothing else.
 */
const testsHaveEffects = (root) => ({
  name: 'tests have effects',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ path, importer }) =>
      importer.endsWith(SOURCE) ? { path: resolve(root, path), sideEffects: true } : undefined,
    );
  },
});

const importOf = (root, file) =>
  `import ${JSON.stringify(`./${relative(root, resolve(root, file))}`)};`;

const END = 'end-of:';

/** After each file a module that tells `#test` that the file has been loaded. */
const endsOfFiles = (root) => ({
  name: 'ends of files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^end-of:/ }, ({ path }) => ({
      path: path.slice(END.length),
      namespace: END,
      sideEffects: true,
    }));
    onLoad({ filter: /.*/, namespace: END }, ({ path }) => ({
      contents: `import { endFile } from '#test'; endFile(${JSON.stringify(path)});`,
      resolveDir: root,
    }));
  },
});

/** Writes test files that use `#test` into one; `first` and `after` are code around them. */
export const bundleSuite = ({ root, files, first = '', plugins = [], ...rest }) =>
  bundleTests({
    ...rest,
    root,
    files,
    imports: [first, ...files.flatMap((file) => [importOf(root, file), `import '${END}${file}';`])],
    plugins: [endsOfFiles(root), ...plugins],
  });

/** Writes a file that runs the tests with mocha by itself, in a runtime that finds the packages. */
export async function bundleReporting({ root, folder, files, name, conditions }) {
  const outfile = join(folder, `${name}.test.mjs`);
  await bundleSuite({
    root,
    files,
    outfile,
    conditions,
    keepPackages: true,
    first: "import { report } from './test/runners/bundled.ts';",
    after: 'await report();',
  });
  return { root, file: outfile, report: join(folder, `${name}.json`) };
}

/** Writes `outfile`; with `keepPackages` the packages (ours too) are left for the runtime to find. */
export async function bundleTests({
  root,
  files,
  outfile,
  conditions,
  keepPackages = false,
  after = '',
  imports = files.map((file) => importOf(root, file)),
  plugins = [],
}) {
  await build({
    stdin: {
      contents: [...imports, after].join('\n'),
      resolveDir: root,
      sourcefile: SOURCE,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    sourcemap: 'inline',
    conditions,
    logLevel: 'error',
    external: keepPackages ? ['node:*'] : [],
    packages: keepPackages ? 'external' : 'bundle',
    plugins: [testsHaveEffects(root), ...plugins],
  });
}
