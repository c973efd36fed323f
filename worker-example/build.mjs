// Bundles each page's script into one file, and copies everything else.
import { cpSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

mkdirSync(at('public'), { recursive: true });
for (const file of ['index.html', 'office.html', 'look.css', 'office.css', '_headers'])
  cpSync(at(`page/${file}`), at(`public/${file}`));
await build({
  entryPoints: [at('page/main.ts'), at('page/office.ts')],
  outdir: at('public'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['browser', 'es2015'],
  logLevel: 'error',
});
