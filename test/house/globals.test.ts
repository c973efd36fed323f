// Protects: time, randomness and ids come from the connection, so that a test can hold all of them;
// and nothing is used that one of the runtimes does not have.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { type Node, nodesOf, root, sourceFiles, textOf } from './source.ts';

const SOURCES_OF_CHANCE_AND_TIME = ['core/time.ts', 'core/platform.ts'];

const FORBIDDEN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'],
  performance: ['now'],
  AbortSignal: ['timeout'],
  Math: ['random'],
  crypto: ['randomUUID', 'getRandomValues'],
  Promise: ['withResolvers', 'try'],
  Array: ['fromAsync'],
  Uint8Array: ['fromBase64', 'fromHex'],
};
const FORBIDDEN_NAMES = [
  'setTimeout',
  'setInterval',
  'WebSocket',
  'EventSource',
  'process',
  'Buffer',
  'require',
];
const GLOBAL_OBJECTS = ['globalThis', 'self', 'window'];

const nameOf = (node: unknown): string | undefined => {
  const { type, name, value } = (node ?? {}) as { type?: string; name?: string; value?: unknown };
  if (type === 'Identifier') return name;
  return type === 'Literal' && typeof value === 'string' ? value : undefined;
};

// `globalThis.setTimeout` and `globalThis.Date` are the same things by a longer way.
const globalOf = (node: unknown): string | undefined => {
  const member = node as { type?: string; object?: unknown; property?: unknown } | undefined;
  const isByWay =
    member?.type === 'MemberExpression' && GLOBAL_OBJECTS.includes(nameOf(member.object) ?? '');
  return isByWay ? nameOf(member.property) : nameOf(node);
};

const isDateOfNow = ({ type, callee, arguments: given }: Node): boolean =>
  (type === 'CallExpression' && globalOf(callee) === 'Date') ||
  (type === 'NewExpression' &&
    globalOf(callee) === 'Date' &&
    (given as readonly unknown[]).length === 0);

const forbiddenIn = (node: Node): string | undefined => {
  if (isDateOfNow(node)) return 'new Date()';
  const called =
    node.type === 'CallExpression' || node.type === 'NewExpression'
      ? globalOf(node['callee'])
      : undefined;
  if (called && FORBIDDEN_NAMES.includes(called)) return called;
  if (node.type !== 'MemberExpression') return undefined;
  const owner = globalOf(node['object']);
  const member = nameOf(node['property']) ?? '';
  const members = owner && Object.hasOwn(FORBIDDEN_MEMBERS, owner) && FORBIDDEN_MEMBERS[owner];
  if (members && members.includes(member)) return `${owner}.${member}`;
  if (owner && FORBIDDEN_NAMES.includes(owner)) return owner;
  return GLOBAL_OBJECTS.includes(owner ?? '') && FORBIDDEN_NAMES.includes(member)
    ? member
    : undefined;
};

const forbidden = (code: string): string[] =>
  [...nodesOf(code)].flatMap((node) => forbiddenIn(node) ?? []);

const folder = join(root, '.cache', `globals-${process.pid}`);

/**
 * Returns TypeScript's errors about lines that are placed among the rooms, each in a file of its
 * own.
 */
const saidOf = (lines: readonly string[]): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  try {
    for (const [at, line] of lines.entries())
      writeFileSync(join(folder, `line-${at}.ts`), `export const line: unknown = ${line};`);
    const settings = {
      extends: '../../tsconfig.json',
      compilerOptions: { noEmit: true, rootDir: '../..' },
      include: ['../../src', '*.ts'],
      exclude: ['../../src/cli'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    const said = stdout.split('\n').filter(Boolean);
    expectNone(said.filter((text) => !/line-\d+\.ts/.test(text)));
    return lines.map((_, at) => said.filter((text) => text.includes(`line-${at}.ts`)).join('\n'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('globals', () => {
  it('are recognised in every way of writing them', () => {
    const ways: Readonly<Record<string, number>> = {
      'Date.now()': 1,
      'new Date()': 1,
      'new globalThis.Date()': 1,
      "globalThis['setTimeout'](f, 1)": 2,
      'const t = globalThis.setTimeout': 1,
      'crypto.randomUUID()': 1,
      'new WebSocket(url)': 1,
      'new Date(0)': 0,
      '// Date.now()\n"setTimeout(1)"': 0,
      'clock.now(); options.WebSocket; this.setTimeout(1)': 0,
      'const f = (x: ReturnType<typeof setTimeout>) => x': 0,
    };
    for (const [code, times] of Object.entries(ways))
      expect(forbidden(code), code).to.have.length(times);
  });

  it('of Node do not compile in any room, whatever the types of packages bring along', () => {
    const names = ['process', 'Buffer', '__dirname', 'setImmediate'];
    const [ofAll, ofNode, ...ofNames] = saidOf([
      '[globalThis.fetch, crypto, TextDecoder]',
      "import('node:fs')",
      ...names,
    ]);
    expect(ofAll).to.equal('');
    expect(ofNode).to.contain("'node:fs'");
    for (const [at, name] of names.entries()) expect(ofNames[at], name).to.contain(`'${name}'`);
  });

  it('of time and chance are used in two files only', () => {
    const found = sourceFiles
      .filter((file) => !SOURCES_OF_CHANCE_AND_TIME.includes(file) && !file.startsWith('cli/'))
      .flatMap((file) => forbidden(textOf(file)).map((name) => `${file}: ${name}`));
    expectNone(found);
  });
});
