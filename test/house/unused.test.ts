// Protects: what stands in src is used. An export without a reader and a grant without an import mislead the next reader.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { entries } from './entries.ts';
import { expectNone } from './none.ts';
import { mayImport, roomOf, rooms } from './rooms.ts';
import { importsOf, packagesOf, root, sourceFiles, textOf } from './source.ts';

const CLAUSE =
  /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s+from\s+'(\.[^']+)'/gm;
const DYNAMIC = /import\('(\.[^']+)'\)/g;
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

const ALL = '*';

/** Names that a clause takes from the file it names; `*` stands for all. */
const namesIn = (clause: string): readonly string[] =>
  clause.startsWith(ALL)
    ? [ALL]
    : clause
        .slice(1, -1)
        .split(',')
        .map(
          (part) =>
            part
              .trim()
              .replace(/^type\s+/, '')
              .split(/\s+as\s+/)[0]!,
        )
        .filter(Boolean);

const targetOf = (file: string, specifier: string): string =>
  normalize(join(dirname(file), specifier)).replaceAll('\\', '/');

/** By file: the names that other files of src take from it. */
const taken = new Map<string, Set<string>>();
for (const file of sourceFiles) {
  const text = textOf(file);
  const found = [
    ...[...text.matchAll(CLAUSE)].map(([, clause, from]) => [namesIn(clause!), from!] as const),
    ...[...text.matchAll(DYNAMIC)].map(([, from]) => [[ALL], from!] as const),
  ];
  for (const [names, from] of found) {
    const target = targetOf(file, from);
    const known = taken.get(target) ?? new Set();
    taken.set(target, new Set([...known, ...names]));
  }
}

for (const file of globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, clause, from] of text.matchAll(CLAUSE)) {
    const target = targetOf(`../${file}`, from!).replace(/^\.\.\/src\//, '');
    taken.set(target, new Set([...(taken.get(target) ?? []), ...namesIn(clause!)]));
  }
}

for (const file of globSync('scripts/**/*.mjs', { cwd: root }))
  for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(/dist\/([\w/-]+)\.js'/g))
    taken.set(`${path}.ts`, new Set([ALL]));

/** Files whose exports are the package's own: its entries and what starts the command. */
const entryFiles = new Set([
  ...entries.map(({ javascript }) => javascript.replace('dist/', '').replace(/js$/, 'ts')),
  'bundle.ts',
  'cli/main.ts',
]);

const unusedOf = (file: string): readonly string[] => {
  if (entryFiles.has(file)) return [];
  const names = taken.get(file) ?? new Set();
  if (names.has(ALL)) return [];
  return [...textOf(file).matchAll(DECLARED)]
    .map(([, name]) => name!)
    .filter((name) => !names.has(name))
    .map((name) => `${file} ${name}`);
};

const usedGrants = new Set(
  sourceFiles.flatMap((file) =>
    importsOf(file).flatMap((target) => {
      const other = roomOf(target);
      return [`${roomOf(file)} → ${other}`, `${roomOf(file)} → ${other.split('/')[0]}`];
    }),
  ),
);

describe('exports', () => {
  it('are found by this test', () => {
    expect(namesIn('{ a, type B, c as d }')).to.deep.equal(['a', 'B', 'c']);
    expect(mayImport('money/index.ts', 'core/errors/index.ts')).to.equal(true);
    expect([...taken.values()].flatMap((names) => [...names])).to.have.length.above(500);
  });

  it('of each file are read by another file of src, or are the package’s own', () => {
    expectNone(sourceFiles.flatMap(unusedOf));
  });
});

describe('the table of rooms', () => {
  it('grants no import that no file makes', () => {
    const unused = Object.entries(rooms).flatMap(([room, { imports }]) =>
      imports
        .filter(() => sourceFiles.some((file) => roomOf(file) === room))
        .filter((other) => !usedGrants.has(`${room} → ${other}`))
        .map((other) => `${room} → ${other}`),
    );
    expectNone(unused);
  });

  it('grants no package that no file imports', () => {
    const unused = Object.entries(rooms).flatMap(([room, { packages = {} }]) =>
      Object.keys(packages)
        .filter(() => sourceFiles.some((file) => roomOf(file) === room))
        .filter(
          (name) =>
            !sourceFiles.some(
              (file) =>
                roomOf(file) === room &&
                packagesOf(file).some((one) => one === name || one.startsWith(name)),
            ),
        )
        .map((name) => `${room} → ${name}`),
    );
    expectNone(unused);
  });
});
