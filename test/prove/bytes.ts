// Measures what each file costs a line of test/house/budgets.ts.
//   npm run prove -- bytes [WORD …]   takes the lines whose code holds every word
// First come rooms and packages with their share of the line, gzip, by their minified bytes; then files, with their minified
// bytes and what the line loses when the file is empty and what only it imports goes with it.
import { readFileSync } from 'node:fs';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { budgets } from '../house/budgets.ts';
import { filesAtOnce, gzipped, splitting } from '../house/bundle.ts';

/** Smaller files are not left out one by one. */
const MIN_BYTES_SHOWN = 150;

/** The names that a built file, or one of a package, exports. */
function exportsOf(text: string): readonly string[] {
  const lists = [...text.matchAll(/\bexport\s*\{([^}]*)\}/g)].flatMap(([, list]) =>
    list!.split(',').map(
      (name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1)!,
    ),
  );
  const declared = /\bexport\s+(?:async\s+)?(?:const|let|function\*?|class)\s+(\w+)/g;
  const isDefault = /\bexport\s+default\b/.test(text) ? ['default'] : [];
  const names = [...text.matchAll(declared)].map(([, name]) => name!);
  return [...new Set([...lists, ...names, ...isDefault])].filter(Boolean);
}

/** Gives a file the same exports with nothing in them; no bundler knows their value. */
function without(path: string): Plugin {
  const end = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    name: 'without',
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`/${end}$`) }, ({ path: found }) => {
        const names = exportsOf(readFileSync(found, 'utf8'));
        const list = names.map((name) => `nothing as ${name}`).join(', ');
        return { contents: `const nothing = globalThis.nothing; export { ${list} };` };
      });
    },
  };
}

/** The size of what a line loads at once, and the minified bytes of each file in it. */
async function measure(code: string, plugins: Plugin[] = []) {
  const options: BuildOptions = { ...splitting(code), plugins };
  const built = await build({ ...options, write: false, metafile: true });
  const loaded = filesAtOnce(built);
  const size = built.outputFiles
    .filter(({ path }) => [...loaded].some((name) => path.endsWith(`/${name}`)))
    .reduce((sum, { text }) => sum + gzipped(text), 0);
  const files = [...loaded].flatMap((name) =>
    Object.entries(built.metafile.outputs[name]!.inputs).map(([file, { bytesInOutput }]) => ({
      file,
      own: bytesInOutput,
    })),
  );
  return { size, files };
}

const roomOf = (file: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ??
  file.split('/').slice(1, -1).join('/').replace(/^$/, 'entries');

const print = (first: number, second: string | number, name: string): void =>
  console.log(`${String(first).padStart(8)} ${String(second).padStart(8)}  ${name}`);

async function printLine(code: string): Promise<void> {
  const { size, files } = await measure(code);
  console.log(
    `\n${size} bytes: ${code.split(' globalThis')[0]}\nminified    share  room or package`,
  );
  const all = files.reduce((sum, { own }) => sum + own, 0);
  const rooms = Map.groupBy(files, ({ file }) => roomOf(file));
  const sums = [...rooms].map(([room, its]) => ({
    room,
    own: its.reduce((sum, { own }) => sum + own, 0),
  }));
  for (const { room, own } of sums.toSorted((a, b) => b.own - a.own))
    if (own >= MIN_BYTES_SHOWN) print(own, Math.round((size * own) / all), room);
  console.log('minified  without  file');
  const rows: { file: string; own: number; saved: number }[] = [];
  for (const { file, own } of files)
    if (own >= MIN_BYTES_SHOWN && file !== '<stdin>')
      rows.push({ file, own, saved: size - (await measure(code, [without(file)])).size });
  for (const { file, own, saved } of rows.toSorted((a, b) => b.saved - a.saved))
    print(own, saved, file);
}

const words = process.argv.slice(2);
for (const { code } of budgets)
  if (words.every((word) => code.includes(word))) await printLine(code);
