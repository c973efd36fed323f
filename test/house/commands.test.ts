// Protects: the commands of the project are few, each says what it does, and texts name no command
// that does not exist.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { names } from '../../scripts/generate.ts';
import { steps } from '../../scripts/release.ts';
import { listOf, proofs, sentenceOf } from '../prove/command.ts';
import { manifest } from './entries.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const MOST_SCRIPTS = 14;
const LONGEST_SENTENCE = 140;

/** Commands of which the first word after `--` chooses what is done. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  prove: proofs.map(({ name }) => name),
  generate: [...names, 'all'],
  release: steps,
};

/** Texts about this project; the example and what a chapter makes have scripts of their own. */
const texts: readonly string[] = [
  '*.md',
  '.github/**/*.{md,yml}',
  '{src,test,demo,scripts}/**/*.{ts,tsx,md}',
]
  .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/^CHANGELOG\.md$|^src\/react\/README\.md$|\/\.cache\//.test(file));

/**
 * Commands in a text that do not exist, such as `npm run nothing`, or `npm run prove -- nothing`.
 */
const unknownIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)(?: -- ([a-z][\w-]*))?/g)]
    .filter(
      ([, script = '', choice]) =>
        !(script in manifest.scripts) ||
        (choice !== undefined && CHOICES[script]?.includes(choice) === false),
    )
    .map(([command]) => command);

const prove = (...given: readonly string[]) =>
  spawnSync(process.execPath, ['test/prove/command.ts', ...given], { cwd: root, encoding: 'utf8' });

describe('the commands', () => {
  it(`are at most ${MOST_SCRIPTS}, and none of them runs because another one does`, () => {
    const scripts = Object.keys(manifest.scripts);
    expect(scripts.length).to.be.at.most(MOST_SCRIPTS);
    expectNone(scripts.filter((name) => /^(pre|post)/.test(name)));
  });

  it('run files that exist', () => {
    const files = Object.values(manifest.scripts).flatMap(
      (script) => script.match(/[\w/-]+\.m?[jt]s\b/g) ?? [],
    );
    expect(files).to.include('scripts/setup.mjs');
    expectNone(files.filter((file) => !existsSync(join(root, file))));
  });

  it('exist, wherever a text names one', () => {
    const never = 'npm run never, npm run prove -- never 3, npm run release -- never';
    expect(unknownIn(never)).to.have.length(3);
    expect(unknownIn('npm run test:quick, npm run prove -- kills, npm run prove')).to.deep.equal(
      [],
    );
    expect(texts).to.include.members(['README.md', '.github/workflows/release.yml']);
    expectNone(
      texts
        .filter((file) => !/^test\/house\/(commands|readme)\.test\.ts$/.test(file))
        .flatMap((file) =>
          unknownIn(readFileSync(join(root, file), 'utf8')).map((command) => `${file}: ${command}`),
        ),
    );
  });
});

describe('what is generated, and the steps of a release', () => {
  for (const [command, choices] of [
    ['generate', names],
    ['release', steps],
  ] as const)
    it(`are listed by npm run ${command}, which takes no other name`, () => {
      const run = (...given: readonly string[]) =>
        spawnSync(process.execPath, [`scripts/${command}.ts`, ...given], {
          cwd: root,
          encoding: 'utf8',
        });
      const { status, stdout } = run();
      const listed = stdout.split('\n').map((line) => line.split(' ')[0]);
      expect([status, listed.filter(Boolean)]).to.deep.equal([0, choices]);
      const wrong = run(`${choices[0]}x`);
      expect([wrong.status, wrong.stdout]).to.deep.equal([2, stdout]);
      expect(wrong.stderr).to.include(`Did you mean ${choices[0]}?`);
    });
});

describe('the proofs', () => {
  it('are files of the folder, or commands in folders of it', () => {
    const files = globSync('test/prove/{*.ts,*/command.ts}', { cwd: root })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file !== 'test/prove/command.ts');
    expect(proofs.map(({ file }) => file)).to.have.members(files);
    expect(new Set(proofs.map(({ name }) => name)).size).to.equal(files.length);
  });

  it(`say in a sentence of at most ${LONGEST_SENTENCE} letters what they do, or what holds`, () => {
    const program = '// Plays it: a\n// and `b.c`. Else\n//   npm run x   y\n// z.\nplay();\n';
    expect(sentenceOf(program)).to.equal('Plays it: a and `b.c`');
    expectNone(
      proofs
        .filter(({ says }) => !/^[A-Z]\S* \S/.test(says) || says.length > LONGEST_SENTENCE)
        .map(({ name, says }) => `${name}: ${says}`),
    );
  });

  it('are listed without a name, and with a wrong one the nearest is named', () => {
    const all = prove();
    expect([all.status, all.stdout]).to.deep.equal([0, `${listOf(proofs)}\n`]);
    for (const { name, says } of proofs)
      expect(all.stdout)
        .to.match(new RegExp(`^${name} +\\S`, 'm'))
        .and.include(says);
    const wrong = prove('kils');
    expect([wrong.status, wrong.stdout]).to.deep.equal([2, all.stdout]);
    expect(wrong.stderr).to.include('Did you mean kills?');
  });

  it('get the words after their name, and end with the code of the proof', () => {
    expect(prove('rows').status).to.equal(0);
    expect(prove('rows', 'nothing-of-this-name').status).to.equal(1);
  });
});
