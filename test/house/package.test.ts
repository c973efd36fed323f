// Protects: what is published installs, resolves and type-checks for whoever uses it, and holds nothing else.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, it } from '#test';
import { chapterOf } from './chapters.ts';
import { linksIn, textOfDocument } from './documents.ts';
import { entries, manifest } from './entries.ts';
import { expectNone } from './none.ts';
import { bundleTests } from '../runners/one-file.mjs';
import { root } from './source.ts';
import { pack } from './tarball.ts';

const EXPECTED = [
  /^dist\/.+\.(js|d\.ts)$/,
  /^dist\/(openapi\.json|integrity\.json|(cli\/page\/)?THIRD_PARTY_LICENSES)$/,
  /^src\/(.+\/)?(README|in-detail|what-binds)\.md$/,
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|llms\.txt|demo\/screenshot(-dark)?\.webp)$/,
  /^demo\/cookbook\/([\w-]+\.ts|README\.md)$/,
  /^demo\/cookbook\/deploy\/([\w-]+\.(ts|js|html|sql|yaml)|README\.md|Caddyfile|Dockerfile)$/,
];

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** Bytes of the package, as it is fetched and as it lies on a disk. */
const MAX_PACKED = 2_000_000;
const MAX_UNPACKED = 8_000_000;

describe('package', () => {
  it('has no file that does anything by being imported, and says so', () => {
    expect(manifest.sideEffects).to.equal(false);
  });

  it('leaves test files in the one file of a runtime although nothing is imported from them', async () => {
    const outfile = join(root, `.cache/side-effects-${process.pid}.js`);
    const files = [join(root, 'test/unit/money/arithmetic.test.ts')];
    await bundleTests({ root, files, outfile, conditions: ['browser'], keepPackages: true });
    const text = readFileSync(outfile, 'utf8');
    rmSync(outfile);
    expect(text).to.match(/^describe\w*\(/m);
  });

  it('says of the hooks that they need a page, before their first import', () => {
    const text = readFileSync(join(root, 'dist/react/index.js'), 'utf8');
    expect(text).to.match(/^\/\*.*\*\/\n'use client';\nimport /);
  });

  it('is what `require` gets in programs that are no ES modules', () => {
    const program = "console.log(typeof require('paystate').createClient)";
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=commonjs', '-e', program],
      { cwd: root, encoding: 'utf8' },
    );
    expect([stdout.trim(), stderr]).to.deep.equal(['function', '']);
  });

  it('needs rxjs only for its Observables', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest as unknown as Record<
      string,
      object
    >;
    expect(peerDependenciesMeta).to.deep.equal(
      Object.fromEntries(Object.keys(peerDependencies!).map((name) => [name, { optional: true }])),
    );
  });

  it('holds what was built and written for users, and nothing else', () => {
    const { files } = pack();
    expectNone(
      files.filter(
        (file) =>
          !EXPECTED.some((pattern) => pattern.test(file)) || /\.test\.|\/tests?\//.test(file),
      ),
    );
    const needed = ['README.md', 'CHANGELOG.md', 'LICENSE', 'llms.txt', 'dist/paystate.min.js'];
    const promised = entries.flatMap(({ javascript, declarations }) => [javascript, declarations]);
    expectNone(
      [...needed, ...promised]
        .filter((file) => !files.includes(file))
        .map((file) => `missing: ${file}`),
    );
  });

  it('is small: no sources, no maps', () => {
    const { bytes, unpackedSize } = pack();
    expect(bytes.byteLength).to.be.at.most(MAX_PACKED);
    expect(unpackedSize).to.be.at.most(MAX_UNPACKED);
  });

  it('holds what its documents link to', () => {
    const { files } = pack();
    const documents = files.filter((file) => /\.md$|^llms\.txt$/.test(file));
    expect(documents).to.include.members(['README.md', 'llms.txt', ...entries.map(chapterOf)]);
    expectNone(
      documents.flatMap((document) =>
        linksIn(textOfDocument(document))
          .filter((target) => !files.includes(join(dirname(document), target)))
          .map((target) => `${document} → ${target}`),
      ),
    );
  });

  it('runs nothing when it is installed', () => {
    expectNone(
      Object.keys(manifest.scripts).filter((name) =>
        /^(pre|post)?(install|prepare|prepublish)$/.test(name),
      ),
    );
  });

  it('T17: asks for the newest compatible version of each dependency', () => {
    const dependencies = Object.entries(locked['']!.dependencies!);
    expect(dependencies).not.to.have.length(0);
    expectNone(dependencies.filter(([, range]) => !/^\^\d+\.\d+\.\d+$/.test(range)));
  });

  it('T17: makes no code from text, and imports nothing by a computed name', () => {
    const files = pack().files.filter((file) => /^dist\/(?!cli\/).*\.js$/.test(file));
    expect(files).to.include('dist/index.js');
    expectNone(
      files.filter((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        // Bun's own SQLite is named by a constant, since bundlers for other runtimes cannot resolve it.
        const code = text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '').replace('import(BUN_SQLITE)', '');
        return /\beval\(|new Function\(|import\((?!['"])/.test(code);
      }),
    );
  });

  it('brings no package that runs anything when it is installed', () => {
    const ours = Object.entries(locked).filter(([path, { dev }]) => path !== '' && !dev);
    const names = ours.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names).to.include.members(Object.keys(locked['']!.dependencies!));
    expectNone(ours.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : [])));
  });

  it('names no absolute path of the machine that built it', () => {
    const texts = pack().files.filter((file) => file.startsWith('dist/'));
    expectNone(
      texts.filter((file) =>
        readFileSync(join(root, file), 'utf8').includes(root.replace(/\/$/, '')),
      ),
    );
  });

  it('satisfies publint', async () => {
    const { messages, pkg } = await publint({
      level: 'warning',
      pack: { tarball: pack().bytes },
      strict: true,
    });
    expectNone(messages.map((message) => formatMessage(message, pkg)));
  });

  it('has types that every way of resolving finds', () => {
    const attw = join(root, 'node_modules/.bin/attw');
    const { status, stdout, stderr } = spawnSync(
      attw,
      [
        pack().path,
        '--profile',
        'esm-only',
        '--no-definitely-typed',
        '--no-color',
        '--no-emoji',
        '--format',
        'ascii',
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stdout + stderr);
  });
});
