// Where test files cannot run as they are, esbuild puts all of them into one.
import { relative } from 'node:path';
import { build } from 'esbuild';

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
      sourcefile: 'all-tests.ts',
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    sourcemap: 'inline',
    conditions,
    logLevel: 'error',
    external: keepPackages ? ['node:*'] : [],
    packages: keepPackages ? 'external' : 'bundle',
    plugins,
  });
}
