// Prints which files make a line of test/house/budgets.ts dear: `node test/prove/bytes.ts [WORD …]` takes the lines whose code
// holds every word. A file's own bytes are minified; "without" is what the line loses, gzip, when the file is empty and
// what only it imports goes with it.
import { readFileSync } from 'node:fs';
import { build, type Plugin } from 'esbuild';
import { budgets } from '../house/budgets.ts';
import { gzipped } from '../house/bundle.ts';
import { root } from '../house/source.ts';

const OWN_BYTES_SHOWN = 150;

/** The names that a built file, or one of a package, exports. */
const exportsOf = (text: string): readonly string[] => {
  const lists = [...text.matchAll(/\bexport\s*\{([^}]*)\}/g)].flatMap(([, list]) =>
    list!.split(',').map(
      (name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1)!,
    ),
  );
  const declared = [
    ...text.matchAll(/\bexport\s+(?:async\s+)?(?:const|let|function\*?|class)\s+(\w+)/g),
  ];
  const isDefault = /\bexport\s+default\b/.test(text) ? ['default'] : [];
  return [...lists, ...declared.map(([, name]) => name!), ...isDefault].filter(Boolean);
};

/** The same exports with nothing behind them, which no bundler can fold. */
const emptied = (text: string): string => {
  const names = [...new Set(exportsOf(text))].map((name) => `nothing as ${name}`);
  return `const nothing = globalThis.nothing; export { ${names.join(', ')} };`;
};

const without = (path: string): Plugin => ({
  name: 'without',
  setup({ onLoad }) {
    const end = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    onLoad({ filter: new RegExp(`/${end}$`) }, ({ path: found }) => ({
      contents: emptied(readFileSync(found, 'utf8')),
      loader: 'js',
    }));
  },
});

const bundled = async (code: string, plugins: Plugin[] = []) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: root,
    format: 'esm',
    target: 'es2022',
    conditions: ['es2015', 'browser'],
    logLevel: 'error',
    plugins,
  });
  const outputs = Object.entries(metafile.outputs);
  const loaded = new Set(
    outputs.flatMap(([name, { entryPoint }]) => (entryPoint === '<stdin>' ? [name] : [])),
  );
  for (const name of loaded)
    for (const { kind, path } of metafile.outputs[name]!.imports)
      if (kind === 'import-statement') loaded.add(path);
  const size = outputFiles
    .filter(({ path }) => [...loaded].some((name) => path.endsWith(`/${name}`)))
    .reduce((sum, { text }) => sum + gzipped(text), 0);
  const files = [...loaded].flatMap((name) => Object.entries(metafile.outputs[name]!.inputs));
  return { size, files };
};

const printLine = async (code: string): Promise<void> => {
  const { size, files } = await bundled(code);
  console.log(`\n${size} bytes  ${code.split(' globalThis')[0]}\n     own without`);
  const rows: { file: string; own: number; saved: number }[] = [];
  for (const [file, { bytesInOutput: own }] of files) {
    if (own < OWN_BYTES_SHOWN || file === '<stdin>') continue;
    rows.push({ file, own, saved: size - (await bundled(code, [without(file)])).size });
  }
  for (const { file, own, saved } of rows.sort((a, b) => b.saved - a.saved))
    console.log(`${String(own).padStart(8)} ${String(saved).padStart(7)}  ${file}`);
};

const words = process.argv.slice(2);
for (const { code } of budgets)
  if (words.every((word) => code.includes(word))) await printLine(code);
