// Where test files cannot run as they are, esbuild puts all of them into one.
import { relative, resolve } from 'node:path';
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

/** Writes `outfile`; with `keepPackages` the packages (ours too) are left for the runtime to find. */
export async function bundleTests({
  root,
  files,
  outfile,
  conditions,
  keepPackages = false,
  after = '',
  plugins = [],
}) {
  const imports = files.map((file) => `import ${JSON.stringify(`./${relative(root, file)}`)};`);
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
