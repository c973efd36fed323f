// Protects: rooms import inwards only, so that each can be read, tested and bundled without the rest.
import { expect } from 'chai';
import { describe, it } from '#test';
import { expectNone } from './none.ts';
import { registered } from './doors.ts';
import { isDoor, mayImport, roomOf, rooms } from './rooms.ts';
import {
  importsOf,
  packagesOf,
  sourceFiles,
  specifiersOf,
  textOf,
  valueImportsOf,
} from './source.ts';

const crossings = (file: string): string[] =>
  importsOf(file)
    .filter((target) => !mayImport(file, target))
    .map((target) => `${file} → ${target}`);

const pastDoors = (file: string): string[] =>
  importsOf(file)
    .filter((target) => roomOf(target) !== roomOf(file) && !isDoor(file, target))
    .map((target) => `${file} → ${target}`);

/** The resource that a file is about: `invoices` of `resources/invoices.schemas.ts`. */
const resourceOf = (file: string): string | undefined => {
  const [, name] = /^resources\/([\w-]+)(?:\.[\w-]+)?\.ts$/.exec(file) ?? [];
  return registered.some(([, one]) => one === name) ? name : undefined;
};

/** Imports of a resource from another one that are neither types nor schemas. */
const nosyResources = (file: string): string[] =>
  valueImportsOf(file)
    .filter((target) => resourceOf(file) && resourceOf(target))
    .filter((target) => resourceOf(file) !== resourceOf(target) && !target.endsWith('.schemas.ts'))
    .map((target) => `${file} → ${target}`);

/** The files of `state`, each of which may import those before it. */
const STOREYS = [
  'snapshot',
  'entry',
  'apply',
  'device',
  'known',
  'walk',
  'reads',
  'sources/relay',
  'sources/feed',
  'plan',
  'asked',
  'freshness',
  'results',
  'engine',
  'hub',
  'late-watch',
  'watch-one',
  'list-rows',
  'lists',
  'index',
];
const storeyOf = (file: string): number =>
  STOREYS.indexOf(file.slice('state/'.length, -'.ts'.length));

const isAllowedPackage = (file: string, specifier: string): boolean =>
  Object.entries(rooms[roomOf(file)]?.packages ?? {}).some(
    ([name, files]) =>
      (specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`)) &&
      files.test(file),
  );

/**
 * Lists the files to which a file leads. The schemas of a resource name its interfaces, which are
 * in the file that uses the schemas: only this import may lead back, and only while it is one of
 * types.
 */
const waysFrom = (file: string): readonly string[] => {
  const own = file.replace(/\.schemas\.ts$/, '.ts');
  return importsOf(file).filter(
    (target) => own === file || target !== own || valueImportsOf(file).includes(own),
  );
};

/** Files that can be reached from themselves, with the way round. */
const cycles = (): string[] => {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file) || way.includes(file)) return;
    for (const next of waysFrom(file)) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of sourceFiles) visit(file, []);
  return found;
};

describe('imports', () => {
  it('are all seen by this test', () => {
    expect(sourceFiles).to.include('core/http/send.ts');
    const unseen = sourceFiles.filter(
      (file) =>
        (textOf(file).match(/['"]\.{1,2}\/[^'"]*\.ts['"]/g) ?? []).length !==
        importsOf(file).length,
    );
    expectNone(unseen);
    expect(
      specifiersOf(
        "import a from 'a';\nimport {\n b,\n} from 'b';\nexport type * from 'c';\nimport 'd'; import * as e from 'e';\nf(import('f'));",
      ),
    ).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('lead to files that exist, in rooms that are known', () => {
    const targets = sourceFiles.flatMap((file) =>
      importsOf(file).map((target) => ({ file, target })),
    );
    expectNone(targets.filter(({ target }) => !sourceFiles.includes(target)));
    expectNone(sourceFiles.filter((file) => !rooms[roomOf(file)]));
  });

  it('cross from room to room only where the table says so', () => {
    expectNone(sourceFiles.flatMap(crossings));
  });

  it("enter core's rooms and the sandbox by their doors", () => {
    expectNone(sourceFiles.flatMap(pastDoors));
  });

  it('between resources are of types and schemas only', () => {
    expect(resourceOf('resources/events.feed.ts')).to.equal('events');
    expect(valueImportsOf('resources/payouts.ts')).to.include('resources/payouts.schemas.ts');
    expect(valueImportsOf('resources/payouts.schemas.ts')).not.to.include('resources/payouts.ts');
    expectNone(sourceFiles.flatMap(nosyResources));
  });

  it('inside state lead from what decides to what is held', () => {
    const stateFiles = sourceFiles.filter((file) => file.startsWith('state/'));
    const upwards = stateFiles.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('state/') && storeyOf(target) > storeyOf(file))
        .map((target) => `${file} → ${target}`),
    );
    expectNone(upwards);
    expectNone(stateFiles.filter((file) => storeyOf(file) < 0));
  });

  it('never go in a circle', () => {
    expectNone(cycles());
  });

  it('take each package only where it belongs', () => {
    const strays = sourceFiles.flatMap((file) =>
      packagesOf(file)
        .filter((name) => !isAllowedPackage(file, name))
        .map((name) => `${file} → ${name}`),
    );
    expectNone(strays);
  });
});
