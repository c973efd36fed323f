// Protects: what is published with the code agrees with it: the one file with its hash and its
// notices and its map, the package for JSR, the list of dependencies.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import {
  createJsr,
  createSbom,
  lackingFor,
  readChangesets,
  releaseChangelog,
  tryPublishing,
  unlockedIn,
} from '../../scripts/release.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const jsonOf = (file: string) => JSON.parse(textOf(file));
const manifest = jsonOf('package.json');
const ONE_FILE = 'dist/paystate.min.js';
const CHECKOUT_FILE = 'dist/paystate-checkout.min.js';

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

interface Sbom {
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly hashes?: readonly unknown[];
    readonly licenses?: readonly { readonly license: { readonly id?: string } }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

type Lock = Parameters<typeof unlockedIn>[0] & {
  readonly packages: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
  >;
};

describe('publishing', () => {
  it('leads CDNs to the one file, and has the hashes of both files for pages', () => {
    expect([
      manifest.unpkg,
      manifest.jsdelivr,
      manifest.exports['./paystate.min.js'],
    ]).to.deep.equal(Array(3).fill(`./${ONE_FILE}`));
    expect(manifest.exports['./paystate-checkout.min.js']).to.equal(`./${CHECKOUT_FILE}`);
    const hashes = [ONE_FILE, CHECKOUT_FILE].map((file) => {
      const hash = createHash('sha384').update(textOf(file)).digest('base64');
      return [file.replace('dist/', ''), `sha384-${hash}`];
    });
    expect(jsonOf('dist/integrity.json')).to.deep.equal(Object.fromEntries(hashes));
  });

  const packagesIn = (file: string): ReadonlySet<string> => {
    const { sources } = jsonOf(`${file}.map`) as SourceMap;
    return new Set(
      sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
    );
  };
  const packagesNamedIn = (file: string): ReadonlySet<string> => {
    const [, named = ''] = /\/\*! With (.*): see THIRD_PARTY_LICENSES \*\//.exec(textOf(file))!;
    return new Set(named.split(', '));
  };

  it('names the packages in the files for pages, and has the licence of each', () => {
    const packages = packagesIn(ONE_FILE);
    expect(packages.size).to.be.above(5);
    expect(packagesNamedIn(ONE_FILE)).to.deep.equal(packages);
    expect(packagesNamedIn(CHECKOUT_FILE)).to.deep.equal(packagesIn(CHECKOUT_FILE));
    expectNone([...packagesIn(CHECKOUT_FILE)].filter((name) => !packages.has(name)));
    const notices = textOf('dist/THIRD_PARTY_LICENSES')
      .split(/^-{80}$/m)
      .slice(1);
    expect(notices).to.have.length(packages.size);
    expectNone(
      notices.filter(
        (text) => !/copyright/i.test(text) || !/permission|licensed|license/i.test(text),
      ),
    );
    for (const name of packages)
      expect(
        notices.some((text) => text.trim().startsWith(`${name} `)),
        name,
      ).to.equal(true);
  });

  it('has maps for the files for pages alone, with every source in them', () => {
    const maps = globSync('dist/**/*.map', { cwd: root }).sort();
    expect(maps).to.deep.equal([`${CHECKOUT_FILE}.map`, `${ONE_FILE}.map`]);
    for (const file of maps) {
      const { sources, sourcesContent = [] } = jsonOf(file) as SourceMap;
      expectNone(sources.filter((_path, at) => !sourcesContent[at]));
      expect(textOf(file.replace('.map', ''))).not.to.include('sourceMappingURL');
    }
  });

  it('has for JSR what package.json has, and Deno would publish it without a network', () => {
    expect(jsonOf('jsr.json')).to.deep.equal(createJsr());
    const { status, stdout, stderr } = tryPublishing();
    expect(status, stdout + stderr).to.equal(0);
    expect(
      [/src\/index\.ts/, /src\/cli\//].map((file) => file.test(stdout + stderr)),
    ).to.deep.equal([true, false]);
  });

  it('lists every dependency with its licence and hash, and no other package', () => {
    const { metadata, components, dependencies } = JSON.parse(createSbom()) as Sbom;
    expect(metadata.component.name).to.equal(manifest.name);
    const names = components.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(manifest.dependencies));
    const { packages } = jsonOf('package-lock.json') as Lock;
    const needed = new Set(Object.keys(manifest.dependencies));
    for (const name of needed)
      for (const other of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}))
        needed.add(other);
    expect(names).to.have.members([...needed]);
    const own = dependencies.find(({ ref }) => ref === `${manifest.name}@${manifest.version}`);
    expect(own?.dependsOn).to.have.length(Object.keys(manifest.dependencies).length);
    expectNone(
      components.filter(
        ({ hashes, licenses }) => hashes?.length !== 1 || !licenses?.[0]?.license.id,
      ),
    );
  });

  it('locks the packages of every platform, each with its hash', () => {
    const lock = jsonOf('package-lock.json') as Lock;
    expect(unlockedIn(lock)).to.deep.equal([]);
    const place = 'node_modules/@esbuild/linux-arm64';
    const { [place]: entry, ...packages } = lock.packages;
    const { version } = entry!;
    const found = [{ place, name: '@esbuild/linux-arm64', version }];
    expect(unlockedIn({ packages })).to.deep.equal(found);
    expect(unlockedIn({ packages: { ...packages, [place]: { version: version! } } })).to.deep.equal(
      found,
    );
  });

  it('is refused with a sentence for each thing that only the owner knows', () => {
    const empty = lackingFor({}, 'To be filled in by the owner');
    expect(empty).to.have.length(3);
    expectNone(empty.filter((sentence) => !/(repository|bugs|SECURITY\.md).+\.$/.test(sentence)));
    expect(lackingFor({ repository: 'a', bugs: 'b' }, 'Write to us.')).to.deep.equal([]);
    const workflow = textOf('.github/workflows/release.yml');
    expect(workflow).to.match(/npm run test:all[\s\S]+npm run release -- check[\s\S]+npm publish/);
  });

  it('has a changeset for what is unreleased, and none without', () => {
    const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|$(?![\s\S]))/m.exec(
      textOf('CHANGELOG.md'),
    )!;
    const changesets = readChangesets();
    expect(changesets.length > 0).to.equal(/^- /m.test(unreleased));
    expectNone(changesets.filter(({ name }) => name !== manifest.name));
    expect(jsonOf('.changeset/config.json')).to.include({ changelog: false, access: 'public' });
  });

  it('gives what was unreleased its number and date, and leaves the words', () => {
    const text = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n';
    expect(releaseChangelog(text, '0.2.0', '2026-11-22')).to.equal(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n### Added\n\n- A thing.\n',
    );
    expect(() => releaseChangelog('# Changelog\n', '0.2.0', '2026-11-22')).to.throw(
      'nothing unreleased',
    );
  });

  it('is tested by the same command in each workflow and by hand', () => {
    for (const file of ['ci', 'release']) {
      const workflow = textOf(`.github/workflows/${file}.yml`);
      expect(workflow).to.match(/^permissions: \{\}$/m);
      expect(workflow).to.match(/- run: \.ci\/run\n +env:\n +CI: 'true'/);
      // what `npm test` plays a part of is played whole each night and before a release
      expect(workflow).to.match(/ run: npm run test:all\n +env:\n +CI: 'true'/);
    }
    expect(textOf('.ci/run')).to.match(/^npm test$/m);
  });

  it('runs no action that its owner could change: each is named by its commit', () => {
    const uses = globSync('.github/**/*.{yml,yaml}', { cwd: root }).flatMap((file) =>
      [...textOf(file).matchAll(/\buses: *(\S+)/g)].map(([, action]) => `${file} uses ${action}`),
    );
    expect(uses).to.have.length.above(3);
    expectNone(uses.filter((line) => !/@[\da-f]{40}$/.test(line)));
  });

  it('is done by a workflow that stores no token, and says what only the owner knows', () => {
    const workflow = textOf('.github/workflows/release.yml');
    expect(workflow)
      .to.match(/id-token: write/)
      .and.match(/^permissions: \{\}$/m);
    expect(workflow).not.to.match(/NODE_AUTH_TOKEN|NPM_TOKEN|secrets\./);
    expect(manifest.publishConfig).to.deep.equal({ access: 'public', provenance: true });
    for (const missing of ['repository', 'bugs', 'homepage', 'author']) {
      const isMarked = textOf('.github/RELEASING.md').includes(`\`${missing}\``);
      expect([missing, missing in manifest || isMarked]).to.deep.equal([missing, true]);
    }
  });
});
