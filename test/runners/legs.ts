// The list of what `npm test` and `npm run test:all` run. To add a runtime: one leg here, one runner in test/runners.
// A leg has names (one a line of the report) and runs to an outcome for each:
// { passed, failures, skipped } or { hint } when it cannot run on this machine.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBrowsers } from './browsers.mjs';
import { runApart, runBun, runDeno, runOldNode, runToEnd, runTogether } from './native.mjs';
import { runLibraries } from './libraries.mjs';
import { inEveryRuntime } from './portable.ts';
import { bundleReporting } from './one-file.mjs';
import { runWorkerd } from './workerd.mjs';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { build } from '../../scripts/build.ts';
import { ensurePackages } from '../../scripts/packages.mjs';
import type { Failure, Outcome } from '../api/strict.ts';

/** The result of a leg: an outcome, or what a person can do to have it run. */
export type LegOutcome = Partial<Outcome> & {
  readonly hint?: string;
  /** Set by the build: there is something to test. */
  readonly usable?: boolean;
};

type Outcomes = Readonly<Record<string, LegOutcome>>;

export interface Leg {
  /** One for each line of the report. */
  readonly names: readonly string[];
  /** The files that it can run; none for a leg such as `lint`. */
  readonly files?: readonly string[] | undefined;
  /** Runs with `npm run test:all`, or where a word asks for it. */
  readonly onlyInAll?: true;
  run(names: readonly string[]): Promise<Outcomes>;
}

interface Place {
  readonly root: string;
  /** For what this run writes. */
  readonly folder: string;
  filesOf(suite: string): readonly string[];
  /** The portable files, and those of them that run in every runtime. */
  readonly unit: readonly string[];
  readonly everywhere: readonly string[];
}

type Engine = 'chromium' | 'firefox' | 'webkit';

const single = (
  name: string,
  run: () => LegOutcome | Promise<LegOutcome>,
  files?: readonly string[],
): Leg => ({
  names: [name],
  files,
  run: async () => ({ [name]: await run() }),
});

const check = (ok: boolean, name: string, message: string): LegOutcome =>
  ok ? { passed: 1, failures: [] } : { passed: 0, failures: [{ name, message }] };

const buildLeg = (): Leg =>
  single('build', async () => {
    const { bundled, typed, output } = await build();
    return { ...check(bundled && typed, bundled ? 'types' : 'rollup', output), usable: bundled };
  });

const saysNothing = async (
  root: string,
  command: string,
  ...args: readonly string[]
): Promise<Failure[]> => {
  const { code, output } = await runToEnd(root, join(root, 'node_modules/.bin', command), args);
  return code === 0 ? [] : [{ name: [command, ...args].join(' '), message: output }];
};

// Tests and demo are checked against the built declarations: they are the first users of the public types.
// The command is checked there too: no other room may see Node's types.
const lintLeg = ({ root }: Place): Leg =>
  single('lint', async () => {
    const checks = [
      ['oxlint', '--format=unix'],
      ['biome', 'format'],
      ['tsc', '-p', 'test', '--singleThreaded'], // another leg has the other core
    ] as const;
    const failures: Failure[] = [];
    for (const [command, ...args] of checks)
      failures.push(...(await saysNothing(root, command, ...args)));
    return { passed: checks.length - failures.length, failures };
  });

/** Engines that run the same tests, in one run of their runner. */
const browsersLeg = (
  { root, folder, unit }: Place,
  engines: readonly Engine[],
  files: readonly string[],
): Leg => ({
  names: engines,
  files: unit,
  async run(names) {
    const installed = findBrowsers();
    const pick = <T>(wanted: (name: Engine) => unknown, valueOf: (name: Engine) => T) =>
      Object.fromEntries(
        engines
          .filter((name) => names.includes(name) && wanted(name))
          .map((name) => [name, valueOf(name)]),
      );
    const found = pick(
      (name) => installed[name],
      (name) => installed[name],
    );
    const hints = pick(
      (name) => !installed[name],
      (name) => ({ hint: browserHints[name] }),
    );
    if (Object.keys(found).length === 0) return hints;
    const file = join(folder, `${engines.join('-')}.js`);
    return { ...hints, ...(await runBrowsers({ root, files, file, found, plugins: [] })) };
  },
});

// One engine is enough here: what engines do differently, the tests in test/unit see.
const librariesLeg = ({ root, folder, filesOf }: Place): Leg => {
  const files = filesOf('libraries');
  const run = () => {
    const found = Object.entries(findBrowsers()).find(([, path]) => path);
    const task = { root, files, file: join(folder, 'libraries.js') };
    return found
      ? runLibraries({ ...task, found: Object.fromEntries([found]) })
      : { hint: browserHints.chromium };
  };
  return single('libraries', run, files);
};

const workerdLeg = ({ root, folder, everywhere }: Place): Leg =>
  single('workerd', () => runWorkerd({ root, files: everywhere, folder: join(folder, 'workerd') }));

const packagedLeg = (
  { root }: Pick<Place, 'root'>,
  name: string,
  run: () => Promise<LegOutcome>,
): Leg =>
  single(name, () =>
    existsSync(join(root, 'node_modules/.bin', name))
      ? run()
      : { hint: `the package ${name} has nothing for this platform` },
  );

const bundled = (
  { root, folder, everywhere }: Place,
  name: string,
  conditions: readonly string[],
) => bundleReporting({ root, folder, files: everywhere, name, conditions });

const denoLeg = (place: Place): Leg =>
  packagedLeg(place, 'deno', async () => runDeno(await bundled(place, 'deno', ['deno', 'node'])));

const bunLeg = ({ root, folder, everywhere }: Place): Leg =>
  packagedLeg({ root }, 'bun', () =>
    runBun({ root, files: everywhere, report: join(folder, 'bun.json') }),
  );

const ownNode = `node ${Number.parseInt(process.versions.node)}`;

const nodeLeg = ({ root, folder, unit }: Place): Leg =>
  single(ownNode, () => runTogether({ root, files: unit, report: join(folder, 'node.json') }));

// The package of the oldest supported Node would take the name of the newest one: it has a folder of its own,
// together with the oldest compilers.
const OLDEST = 'test/oldest';

const oldestNodeLeg = (place: Place): Leg =>
  single('node 22', async () => {
    const folder = join(place.root, OLDEST);
    if (!(await ensurePackages(folder)))
      return { hint: `Node 22 could not be installed: npm install --prefix ${OLDEST}` };
    return runOldNode({
      ...(await bundled(place, 'node-22', ['node'])),
      command: join(folder, 'node_modules/.bin/node'),
    });
  });

const suiteLeg = ({ root, folder, filesOf }: Place, suite: string): Leg => {
  const files = filesOf(suite);
  return single(suite, () => runApart({ root, files, folder }), files);
};

/** What files import that start processes, bundle or pack. */
const STARTS =
  /'node:child_process'|\/tarball\.ts'|\/bundle\.ts'|shop-processes\.ts'|\/(e2e|host|prove|runners)\//;

/**
 * Files that start others run each in a process of its own, two at once. All others share one: they compute, or read the
 * same files, which one process does faster.
 */
const mixedLeg = (
  { root, folder, filesOf }: Place,
  suite: string,
  all: readonly string[] = filesOf(suite),
  name: string = suite,
): Leg => {
  const starts = (file: string): boolean => STARTS.test(readFileSync(join(root, file), 'utf8'));
  const files = all.filter(starts);
  const shared = all.filter((file) => !starts(file));
  return single(name, () => runApart({ root, files, shared, folder, atOnce: 2 }), all);
};

/** A comment of a file in test/long that `npm test` plays. */
const IN_USUAL = /^\/\/ Part of `npm test`\.$/m;

/** Two legs of the long tests: those that `npm test` plays, and the others. */
const longLegs = (place: Place): readonly [Leg, Leg] => {
  const isUsual = (file: string): boolean =>
    IN_USUAL.test(readFileSync(join(place.root, file), 'utf8'));
  const all = place.filesOf('long');
  const usual = all.filter(isUsual);
  const others = all.filter((file) => !isUsual(file));
  return [mixedLeg(place, 'long', usual, 'proofs'), onlyInAll(mixedLeg(place, 'long', others))];
};

const onlyInAll = (leg: Leg): Leg => ({ ...leg, onlyInAll: true });

const BROWSERS = /'\.\/(engines|demo-page|element-page)\.ts'/;
const RELAY = /'\.\/relay-harness\.ts'/;

/** One process: what its files have in common is started once. */
const sharedLeg = ({ root, folder }: Place, name: string, files: readonly string[]): Leg =>
  single(
    name,
    () => runTogether({ root, files, report: join(folder, `${name.replace(' ', '-')}.json`) }),
    files,
  );

/** Two legs of one suite: the files that import one of these, which share what that starts, and all others. */
const sharingLegs = (
  place: Place,
  suite: string,
  imported: RegExp,
  name: string,
): readonly [Leg, Leg] => {
  const isSharing = (file: string): boolean =>
    imported.test(readFileSync(join(place.root, file), 'utf8'));
  const files = place.filesOf(suite);
  const sharing = files.filter(isSharing);
  const others = files.filter((file) => !isSharing(file));
  return [sharedLeg(place, `${suite} ${name}`, sharing), sharedLeg(place, suite, others)];
};

/** A leg that is not run where Chromium is missing. */
const withChromium = (leg: Leg): Leg => ({
  ...leg,
  run: async (names) =>
    findBrowsers().chromium
      ? leg.run(names)
      : Object.fromEntries(names.map((name) => [name, { hint: browserHints.chromium }])),
});

// Packages that only tests are held against are nobody's dependencies: each folder has a lock of its own.
const installingLeg = (place: Place, suite: string, ...folders: readonly string[]): Leg => {
  const { names, files, run } = suiteLeg(place, suite);
  const failed = (folder: string): Outcomes => ({
    [suite]: { failures: [{ name: 'packages', message: `${folder} could not be installed` }] },
  });
  return {
    names,
    files,
    async run() {
      for (const folder of folders)
        if (!(await ensurePackages(join(place.root, folder)))) return failed(folder);
      return run(names);
    },
  };
};

/** Lists the legs: those that must pass before anything else, and the others. */
export function legs({
  root,
  folder,
  onlyFiles,
}: Pick<Place, 'root' | 'folder'> & { readonly onlyFiles: readonly string[] }): {
  readonly build: Leg;
  readonly others: readonly Leg[];
} {
  const isWanted = (file: string): boolean => onlyFiles.length === 0 || onlyFiles.includes(file);
  const filesOf = (suite: string): readonly string[] =>
    globSync(`test/${suite}/**/*.test.{ts,tsx}`, {
      cwd: root,
      exclude: ['**/node_modules/**'],
    })
      .sort()
      .filter(isWanted);
  const unit = filesOf('unit');
  // Files that are named run wherever they are asked for.
  const everywhere = onlyFiles.length > 0 ? unit : inEveryRuntime(root, unit);
  const place = { root, folder, filesOf, unit, everywhere };
  const [pages, commands] = sharingLegs(place, 'e2e', BROWSERS, 'pages');
  const [relays, objects] = sharingLegs(place, 'edge', RELAY, 'relay');
  const [proofs, long] = longLegs(place);
  const portable = (leg: Leg): Leg => ({ ...leg, files: unit });
  return {
    build: buildLeg(),
    // The long ones first: two run side by side, and the short ones fill the end.
    others: [
      withChromium(pages),
      long,
      mixedLeg(place, 'house'),
      portable(nodeLeg(place)),
      proofs,
      commands,
      objects,
      relays,
      onlyInAll(librariesLeg(place)),
      onlyInAll(browsersLeg(place, ['firefox', 'webkit'], everywhere)),
      browsersLeg(place, ['chromium'], everywhere),
      onlyInAll(installingLeg(place, 'differential', 'test/peers')),
      onlyInAll(installingLeg(place, 'platforms', OLDEST)),
      onlyInAll(installingLeg(place, 'next', 'test/next/14', 'test/next/16')),
      portable(workerdLeg(place)),
      onlyInAll(portable(oldestNodeLeg(place))),
      portable(bunLeg(place)),
      portable(denoLeg(place)),
      lintLeg(place),
      sharedLeg(place, 'vectors', place.filesOf('vectors')),
    ],
  };
}
