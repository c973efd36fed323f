// Builds the site. Writes the pages, the demo shop and the packages for programs, then runs
// VitePress.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../test/house/source.ts';
import { navigationOf } from './navigation.ts';
import { makePages } from './pages.ts';
import { packages } from './programs.ts';
import { makeRelative } from './relative.ts';

const place = join(root, 'demo/site');
const cache = join(place, '.cache');

export const built: string = join(cache, 'built');

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const bundle = async (code: string, resolveDir: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    minify: true,
    target: 'es2022',
    conditions: ['browser', 'es2015'],
    legalComments: 'inline',
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
};

/** Bundles every package that a program may import, and the code that runs the program. */
const packagesText = (): Promise<string> =>
  bundle(
    [
      "import { offer } from './demo/site/run/worker.ts';",
      ...packages.map((name, n) => `import * as p${n} from '${name}';`),
      `offer({ ${packages.map((name, n) => `'${name}': p${n}`).join(', ')} });`,
    ].join('\n'),
    root,
  );

/** Returns the HTML of the frame that runs programs, with its script inside. */
async function frameText(): Promise<string> {
  const script = await bundle("import './frame.ts';", join(place, 'run'));
  const html = readFileSync(join(place, 'run/frame.html'), 'utf8');
  return html.replace('/* frame.ts */', () => script.replaceAll('</script', '<\\/script'));
}

async function writePublic(folder: string): Promise<void> {
  const { buildDemo } = await import('../../serve/demo.ts');
  const shop = join(root, '.cache/site-shop'); // cpSync can't copy a folder into itself
  await buildDemo(shop);
  const isPage = (path: string): boolean => !/\.md$|[\\/]cookbook$/.test(path);
  cpSync(shop, join(folder, 'shop'), { recursive: true, filter: isPage });
  write(join(folder, 'run/packages.js'), await packagesText());
  write(join(folder, 'run/frame.html'), await frameText());
  copyFileSync(join(root, 'dist/paystate.min.js'), join(folder, 'run/paystate.min.js'));
}

async function runVitePress(): Promise<void> {
  const command = join(place, 'node_modules/vitepress/bin/vitepress.js');
  const child = spawn(process.execPath, [command, 'build', place], { cwd: place });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`VitePress could not build the site:\n${output}`);
}

/** Writes the site into the folder `built`. Build the package first. */
export async function buildSite(): Promise<void> {
  const pages = makePages();
  const folder = join(cache, 'pages');
  for (const old of [folder, built]) rmSync(old, { recursive: true, force: true });
  for (const [path, text] of pages) write(join(folder, path), text);
  write(join(cache, 'navigation.json'), JSON.stringify(navigationOf(pages)));
  await writePublic(join(folder, 'public'));
  await runVitePress();
  const left = makeRelative(built);
  if (left.length > 0) throw new Error(`The base is still in ${left.join(', ')}`);
}
