// A copy of the package and its portable tests, as JavaScript, with all mutants behind switches. It lies in `.cache`, so
// the tree itself stays as it is.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { instrument } from './instrument.mjs';
import { named } from './report.mjs';

const SPECIFIER = /((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+?)\.ts(['"])/g;

/** JavaScript of a file of TypeScript. */
export async function asJavaScript(text) {
  const { code } = await transform(text, { loader: 'ts', target: 'es2022' });
  return code.replace(SPECIFIER, '$1.js$2');
}

const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** `package.json` of the copy: entries lead to its sources, `#test` to the collector of tests. */
function manifestOf(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.entries(manifest.exports).filter(([, target]) => target.default);
  const exports = Object.fromEntries(
    entries.map(([name, target]) => [name, target.default.replace('./dist/', './src/')]),
  );
  const { name, version, type } = manifest;
  return { name, version, type, exports, imports: { '#test': './collect.mjs' } };
}

const isCode = (file) => !file.endsWith('.d.ts') && !file.includes('node_modules');

/** Writes the copy; gives the mutants of the rooms. */
export async function makeCopy({ root, folder, rooms, tests }) {
  rmSync(folder, { recursive: true, force: true });
  write(join(folder, 'package.json'), JSON.stringify(manifestOf(root), undefined, 2));
  write(join(folder, 'collect.mjs'), readFileSync(new URL('collect.mjs', import.meta.url), 'utf8'));
  const mutants = [];
  let places = 0;
  const files = globSync(['src/**/*.ts', ...tests], { cwd: root }).filter(isCode);
  for (const file of files.sort()) {
    let text = readFileSync(join(root, file), 'utf8');
    if (rooms.some((room) => file.startsWith(`src/${room}/`))) {
      const made = instrument(file, text, () => ++places);
      text = made.text;
      mutants.push(...made.mutants);
    }
    write(join(folder, file.replace(/\.ts$/, '.js')), await asJavaScript(text));
  }
  return { places, mutants: named(mutants).map((mutant, id) => ({ id, ...mutant })) };
}
