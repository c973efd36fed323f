// Protects: Deno from an empty folder, as the README has it: the package from a registry, here on the loopback with the
// packed tarball, and the page file from a host of one's own, without any registry.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, itWhole } from '#test';
import { textOfDocument } from '../house/documents.ts';
import { fencesOf } from '../house/fences.ts';
import { root } from '../house/source.ts';
import { npm, pack } from '../house/tarball.ts';

const DENO = join(root, 'node_modules/.bin/deno');
const PAGE_FILE = '/paystate.min.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Published {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Folders of the packages that the package needs, and of those that they need. */
function foldersOf({ dependencies = {} }: Manifest, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(dependencies)) {
    const folder = join(root, 'node_modules', name);
    if (found.has(folder)) continue;
    found.add(folder);
    foldersOf(manifestIn(folder), found);
  }
  return found;
}

/** Packs the dependencies into a folder; what a registry has of them and of the package. */
function publishedBy(folder: string): ReadonlyMap<string, Published> {
  const own = manifestIn(root);
  const folders = [...foldersOf(own)];
  const answer = npm(
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
    ...folders,
  );
  const packed = Object.values(JSON.parse(answer)) as readonly {
    readonly name: string;
    readonly filename: string;
  }[];
  const others = packed.map(({ name, filename }): [string, Published] => [
    name,
    {
      manifest: manifestIn(join(root, 'node_modules', name)),
      bytes: readFileSync(join(folder, filename)),
    },
  ]);
  const bytes = Buffer.from(pack().bytes);
  return new Map([...others, [own.name, { manifest: own, bytes }]]);
}

/** What a registry says of a package with one version. */
function describePackage({ manifest, bytes }: Published, url: string): string {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const dist = { tarball: `${url}/tarballs/${encodeURIComponent(name)}`, integrity };
  const versions = { [version]: { ...manifest, dist } };
  return JSON.stringify({ name, 'dist-tags': { latest: version }, versions });
}

/** Serves the registry and the page file. */
async function serve(published: ReadonlyMap<string, Published>) {
  let url = '';
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    const [, tarball, name = ''] = /^\/(tarballs\/)?(.+)$/.exec(path) ?? [];
    const found = published.get(decodeURIComponent(name));
    if (path === PAGE_FILE) {
      response.setHeader('content-type', 'text/javascript');
      return response.end(readFileSync(join(root, 'dist', PAGE_FILE)));
    }
    if (!found) return response.writeHead(404).end();
    return response.end(tarball ? found.bytes : describePackage(found, url));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
}

/** Runs Deno in a folder, with a cache of its own; what it printed, and what it complained of. */
async function runDeno(cwd: string, registry: string, args: readonly string[]) {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    DENO_DIR: join(cwd, '.deno'),
    NPM_CONFIG_REGISTRY: registry,
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
  };
  const child = spawn(DENO, args, { cwd, env, timeout: 80_000 });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (text) => (printed += text));
  child.stderr.on('data', (text) => (complaints += text));
  const [code] = await once(child, 'close');
  return { code, printed, complaints };
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-deno-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first] = fencesOf(textOfDocument('README.md'));

describe('Deno in an empty folder', () => {
  itWhole('adds the package and runs the first program of the README', () =>
    inFolder(async (packs) => {
      const registry = await serve(publishedBy(packs));
      await inFolder(async (folder) => {
        writeFileSync(join(folder, 'first.mjs'), first!.code);
        const [, add = '', run = ''] =
          /\*\*Deno\*\*: `deno (.*?)`, then `deno (.*?)`/.exec(textOfDocument('README.md')) ?? [];
        const added = await runDeno(folder, registry.url, add.split(' '));
        expect(added.code, added.complaints).to.equal(0);
        const { printed, complaints } = await runDeno(folder, registry.url, run.split(' '));
        expect(printed, complaints).to.equal('PENDING\nPAID\n');
      });
      registry.close();
    }),
  );

  it('imports the page file from a host of its own, without a registry', () =>
    inFolder(async (folder) => {
      const host = await serve(new Map());
      const from = `'${host.url}${PAGE_FILE}'`;
      const code = first!.code.replaceAll(/'paystate(\/sandbox)?'/g, from);
      writeFileSync(join(folder, 'first.mjs'), code);
      const args = ['run', `--allow-import=${new URL(host.url).host}`, 'first.mjs'];
      const { printed, complaints } = await runDeno(folder, 'http://127.0.0.1:9', args);
      expect(printed, complaints).to.equal('PENDING\nPAID\n');
      host.close();
    }));
});
