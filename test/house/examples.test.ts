// Protects: every example of a doc comment is a program that compiles, runs, and gives the value that it says.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from '#test';
import { NAMES, openWorld, type World } from './example-world.ts';
import { doors, type Example, examples, isElsewhere, programOf } from './examples.ts';
import { expectNone } from './none.ts';
import { root, sourceFiles, textOf } from './source.ts';

const folder = join(root, '.cache', `examples-${process.pid}`);
const STRICT = [
  '--ignoreConfig',
  '--noEmit',
  '--singleThreaded', // another suite has the other core
  '--strict',
  '--skipLibCheck',
  '--noUncheckedIndexedAccess',
  '--exactOptionalPropertyTypes',
  '--target',
  'es2024',
  '--lib',
  'esnext,dom,dom.iterable,dom.asynciterable',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--allowImportingTsExtensions',
  '--types',
  '',
];
/**
 * Longest duration of an example, in its world's time: those that walk along something never end.
 */
const LONGEST = 60_000;

const nameOf = ({ file, line }: Example): string =>
  `${file.replaceAll('/', '-').replace(/\.ts$/, '')}-${line}.ts`;

/** The programs on disk, by their examples. */
async function write(): Promise<ReadonlyMap<Example, string>> {
  mkdirSync(folder, { recursive: true });
  const published = await doors();
  const files = new Map<Example, string>();
  for (const example of examples) {
    const program = programOf(example, published, NAMES);
    if (program === undefined) continue;
    const file = join(folder, nameOf(example));
    writeFileSync(file, program);
    files.set(example, file);
  }
  return files;
}

/** The value that a comment at the end of one line promises; `undefined` where it says something else. */
function promised({ code }: Example): unknown {
  const [, text = ''] =
    / \/\/ ('[^…']*'|-?\d+|true|false|\{.*\})$/.exec(code.includes('\n') ? '' : code) ?? [];
  return text === ''
    ? undefined
    : JSON.parse(text.replaceAll("'", '"').replace(/([{,]\s*)(\w+):/g, '$1"$2":'));
}

async function troubleOf(example: Example, file: string): Promise<string[]> {
  const { run } = (await import(pathToFileURL(file).href)) as {
    run(world: World): Promise<unknown>;
  };
  const world = await openWorld();
  const at = `src/${example.file}:${example.line}`;
  try {
    const value = await world.sandbox.run(run(world), { timeout: LONGEST });
    const text = promised(example);
    if (text !== undefined && value !== undefined)
      expect(JSON.parse(JSON.stringify(value).replaceAll('\u00a0', ' ')), at).to.deep.equal(text);
    return [];
  } catch (thrown) {
    const isWalking =
      example.code.startsWith('for await') &&
      /not settled|nothing is left|within/.test(String(thrown));
    return isWalking ? [] : [`${at}: ${thrown instanceof Error ? thrown.message : 'failed'}`];
  }
}

/** Published functions, verbs of resources and classes included, but for the classes of errors. */
async function functions(): Promise<readonly string[]> {
  const published = [...(await doors())].filter(
    ([specifier]) => specifier.startsWith('paystate') && !/schemas|endpoints/.test(specifier),
  );
  return published
    .flatMap(([, names]) => [...names])
    .filter(
      (name) =>
        /^[a-z]/.test(name) || ['AccountObject', 'InvoiceRoom', 'SandboxObject'].includes(name),
    );
}

/** They are run in tests of their own, each within its time. */
const PARTS = 6;

let written: ReturnType<typeof write>;
before(async () => void (await (written = write())));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the examples of the doc comments', () => {
  it('are there for every function that is published', async () => {
    const isFunction = (name: string) =>
      new RegExp(`^export (async )?(function\\*?|class) ${name}\\b`, 'm');
    const withExample = (name: string) =>
      new RegExp(
        `@example(?:(?!\\*/)[\\s\\S])*\\*/\\s*export (async )?(function\\*?|class) ${name}\\b`,
      );
    const texts = sourceFiles.map(textOf);
    const bare = (await functions()).filter(
      (name) =>
        texts.some((text) => isFunction(name).test(text)) &&
        !texts.some((text) => withExample(name).test(text)),
    );
    expectNone([...new Set(bare)]);
  });

  it('compile', async () => {
    const { status, stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [...STRICT, ...(await written).values()],
      { cwd: root, encoding: 'utf8' },
    );
    expect(status, stdout).to.equal(0);
    expect((await written).size, 'examples').to.be.greaterThan(150);
  });

  for (let part = 0; part < PARTS; part++)
    it(`run, and give what they say, part ${part + 1} of ${PARTS}`, async () => {
      const running = [...(await written)].filter(([example]) => !isElsewhere(example));
      expect(running.length, 'examples that run').to.be.greaterThan(140);
      const say = console.log;
      console.log = () => {};
      try {
        const troubles = [];
        for (const [n, [example, file]] of running.entries())
          if (n % PARTS === part) troubles.push(...(await troubleOf(example, file)));
        expectNone(troubles);
      } finally {
        console.log = say;
      }
    });
});
