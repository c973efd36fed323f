// Protects: what the README shows works as it stands. TypeScript and JavaScript run, each fence by itself,
// on the built package; shell lines and HTML are held against what the project really offers.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries, manifest } from './entries.ts';
import { type Fence, fencesOf } from './fences.ts';
import { expectNone } from './none.ts';
import { root, specifiersOf } from './source.ts';

const LONGEST_RUN = 30_000;
const STRICT = [
  '--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable',
  '--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', '',
];

// Inside the project, so that the package finds itself by its own name.
const folder = join(root, '.cache', `readme-${process.pid}`);
const readme = join(root, 'README.md');
const fences = existsSync(readme) ? fencesOf(readFileSync(readme, 'utf8')) : [];

const run = (file: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: root, timeout: LONGEST_RUN });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: string) => (output += text));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `${signal ?? code}: ${output.slice(-1_500)}`));
  });

const troubleOfProgram = async ({ code, line, language }: Fence): Promise<string | undefined> => {
  const file = join(folder, `line-${line}.${language === 'js' ? 'mjs' : 'ts'}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  const trouble = await run(file);
  return trouble && `README.md:${line} ${trouble}`;
};

const isScript = (name: string): boolean => name in manifest.scripts;

// Words that begin a shell line, with what must be true of the words after them.
const COMMANDS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  npm: ([verb = '', name = '']) =>
    verb === 'install' || verb === 'ci' || (verb === 'run' ? isScript(name) : isScript(verb.replace(/^t$/, 'test'))),
  npx: ([name = '']) => existsSync(join(root, 'node_modules/.bin', name)),
  deno: (words) => words.filter((word) => word.endsWith('.ts')).every((file) => existsSync(join(root, file))),
  node: (words) => words.filter((word) => /\.m?[jt]s$/.test(word)).every((file) => existsSync(join(root, file))),
  git: ([verb]) => verb === 'clone',
  cd: () => true,
};

const troubleOfShell = ({ code, line }: Fence): string[] =>
  code
    .split('\n')
    .map((text) => text.replace(/\s*#.*$/, '').replace(/^\$ /, '').trim())
    .filter(Boolean)
    .filter((text) => {
      const [command = '', ...words] = text.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word));
      return !COMMANDS[command]?.(words);
    })
    .map((text) => `README.md:${line} offers what does not exist: ${text}`);

const isKnownImport = (specifier: string): boolean =>
  entries.some((entry) => entry.specifier === specifier) || specifier.endsWith('paystate.min.js');

const troubleOfPage = ({ code, line }: Fence): string[] =>
  [...code.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, script = '']) => {
    transformSync(script, { loader: 'js', format: 'esm' });
    const imports = specifiersOf(script.replace(/^\s+/gm, ''));
    return imports.filter((specifier) => !isKnownImport(specifier)).map((name) => `README.md:${line} imports ${name}`);
  });

const inLanguages = (...languages: string[]): readonly Fence[] => fences.filter(({ language }) => languages.includes(language));

describe('README', () => {
  it('is written in languages that a test understands', () => {
    const known = ['ts', 'js', 'bash', 'sh', 'html', 'json', 'text'];
    expectNone(fences.filter(({ language }) => !known.includes(language)).map(({ line, language }) => `README.md:${line} is ${language || 'unnamed'}`));
    expect(inLanguages('ts', 'js').length, 'programs in the README').to.be.greaterThan(0);
  });

  it('shows programs that run', async () => {
    try {
      const troubles = [];
      for (const fence of inLanguages('ts', 'js')) troubles.push(await troubleOfProgram(fence));
      expectNone(troubles.filter(Boolean));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  // Node takes types away unread; whoever pastes a program into a project has them checked.
  it('shows programs whose types are right', () => {
    try {
      mkdirSync(folder, { recursive: true });
      const files = inLanguages('ts').map(({ code, line }) => {
        writeFileSync(join(folder, `line-${line}.ts`), code);
        return join(folder, `line-${line}.ts`);
      });
      const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...STRICT, ...files], { cwd: root, encoding: 'utf8' });
      expect(status, stdout).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('shows commands that exist', () => expectNone(inLanguages('bash', 'sh').flatMap(troubleOfShell)));

  it('shows pages whose scripts import what is published', () => expectNone(inLanguages('html').flatMap(troubleOfPage)));

  it('shows data that parses', () => {
    for (const { code } of inLanguages('json')) JSON.parse(code);
  });
});
