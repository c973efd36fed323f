// Protects: what the README, the chapters and the other documents show works as it stands. TypeScript and JavaScript run on
// the built package: those that are for Node alone each by itself, the others one after the other in one process, as
// fences.test.ts has them in other runtimes, and each by itself with `npm run test:all` or where that process finds a fault. Shell
// lines and HTML are held against what the project really offers.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { expect } from 'chai';
import { describe, it, itWhole } from '#test';
import { commands } from '../../src/cli/commands.ts';
import { COMMON_OPTIONS } from '../../src/cli/help.ts';
import { baseLook } from '../../src/elements/look.ts';
import { chapterOf } from './chapters.ts';
import { documents, textOfDocument } from './documents.ts';
import { entries, manifest } from './entries.ts';
import { type PlacedFence as Fence, fencesOfDocuments as fences } from './fences.ts';
import { expectNone } from './none.ts';
import { callsService } from './played-service.ts';
import { falseClaims } from './printed.ts';
import { root, specifiersOf } from './source.ts';

const loaded = new Map(
  await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, await load()] as const),
  ),
);
const helpText = readFileSync(join(root, 'src/cli/help.ts'), 'utf8');

/** Tells whether the command has these options and takes this many words. */
const isPaystate = ([name = '', ...args]: readonly string[]): boolean => {
  const command = loaded.get(name);
  if (!command) return /^--(help|version)$/.test(name);
  try {
    const { positionals } = parseArgs({
      args,
      options: { ...command.options, ...COMMON_OPTIONS },
      allowPositionals: true,
    });
    return positionals.length <= (command.words ?? 0);
  } catch {
    return false;
  }
};

/** Node's own parts, which a program may have to itself. */
const FOR_NODE = /'node:|'msw\/node'|\bprocess\./;
const LONGEST_RUN = 60_000;
const AT_ONCE = 4;
/** Tests among which the programs are divided: each has the time of one test on a busy machine. */
const PARTS = 4;
const STRICT = [
  '--ignoreConfig',
  '--noEmit',
  '--singleThreaded', // another suite has the other core
  '--skipLibCheck', // user-types.test.ts checks the declarations themselves
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--target',
  'es2022',
  '--lib',
  'es2022,dom,dom.iterable',
  '--module',
  'nodenext',
  '--moduleResolution',
  'nodenext',
  '--types',
  '',
];

// Inside the project, so that the package finds itself by its own name.
const folder = join(root, '.cache', `readme-${process.pid}`);

/** Returns the file to which the program of a fence is written. */
const fileFor = ({ place, language }: Fence): string =>
  join(folder, `${place.replace(/[^\w-]+/g, '-')}.${language === 'js' ? 'mjs' : 'ts'}`);

const SERVICE = `data:text/javascript,
import { playedFetch } from ${JSON.stringify(pathToFileURL(join(root, 'test/house/played-service.ts')).href)};
globalThis.fetch = playedFetch();`;

/** Returns the options with a service for a program that has the address of an account. */
const serviceOf = ({ code }: Fence): readonly string[] =>
  callsService(code) ? ['--import', SERVICE] : [];

/** Runs a program; returns its errors and its output. */
const run = (file: string, options: readonly string[]) =>
  new Promise<{ readonly trouble?: string; readonly printed: string }>((resolve) => {
    const child = spawn(process.execPath, [...options, file], { cwd: root, timeout: LONGEST_RUN });
    let output = '';
    let printed = '';
    child.stdout.on('data', (text: string) => (printed += text));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: string) => (output += text));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve({ printed });
      resolve({ trouble: `${signal ?? code}: ${output.slice(-1_500)}`, printed });
    });
  });

const troubleOfProgram = async (fence: Fence): Promise<string | undefined> => {
  const file = fileFor(fence);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, fence.code);
  const { trouble, printed } = await run(file, serviceOf(fence));
  if (trouble) return `${fence.place} ${trouble}`;
  const [claim] = falseClaims(fence.code, printed);
  return claim && `${fence.place} says that it prints "${claim}", and prints: ${printed}`;
};

/** Programs that have Node's own parts, or its process, for themselves. */
const isForNodeAlone = ({ code }: Fence): boolean => FOR_NODE.test(code);
const [alone, together] = [true, false].map((wanted) =>
  fences.filter(
    (fence) => ['ts', 'js'].includes(fence.language) && isForNodeAlone(fence) === wanted,
  ),
) as [Fence[], Fence[]];

/** Runs each in a process of its own. */
async function troublesApart(some: readonly Fence[]): Promise<readonly string[]> {
  const troubles: (string | undefined)[] = [];
  const queue = [...some];
  const runNext = async (): Promise<void> => {
    for (let fence = queue.shift(); fence; fence = queue.shift())
      troubles.push(await troubleOfProgram(fence));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext)); // most of them wait most of the time
  return troubles.filter((trouble) => trouble !== undefined);
}

/** Runs all in one process, which has to end by itself as each of them would. */
async function troubleTogether(some: readonly Fence[]): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  for (const fence of some) writeFileSync(fileFor(fence), fence.code);
  const steps = some.map((fence) => {
    const url = JSON.stringify(pathToFileURL(fileFor(fence)).href);
    return `await runFence(${JSON.stringify(fence.code)}, () => import(${url}));`;
  });
  const runner = pathToFileURL(join(root, 'test/house/fence-run.ts')).href;
  const file = join(folder, 'all.ts');
  writeFileSync(file, [`import { runFence } from '${runner}';`, ...steps].join('\n'));
  return (await run(file, [])).trouble;
}

const isScript = (name: string): boolean => name in manifest.scripts;
/** Files of the project, and those that a document tells its reader to make: save this as `shop.mjs`. */
const areThere = (files: readonly string[]): boolean =>
  files.every((file) => existsSync(join(root, file)) || savedFiles.has(file));
const savedFiles: ReadonlySet<string> = new Set(
  documents.flatMap((document) =>
    [...textOfDocument(document).matchAll(/[Ss]ave \w+ as `([^`]+)`/g)].map(([, file]) => file!),
  ),
);
const testsIn = (words: readonly string[]): readonly string[] =>
  words.filter((word) => word.endsWith('.test.ts'));

// Words that begin a shell line, with what must be true of the words after them.
const COMMANDS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  npm: ([verb = '', name = '', ...rest]) =>
    areThere(testsIn(rest)) &&
    (['install', 'ci', 'init', 'create', 'pack'].includes(verb) ||
      (verb === 'run' ? isScript(name) : isScript(verb.replace(/^t$/, 'test')))),
  npx: ([name = '', ...words]) =>
    name === manifest.name
      ? isPaystate([...words])
      : existsSync(join(root, 'node_modules/.bin', name)),
  deno: (words) => areThere(words.filter((word) => word.endsWith('.ts'))),
  node: (words) => areThere(words.filter((word) => /\.m?[jt]s$/.test(word))),
  git: ([verb]) => verb === 'clone',
  curl: (words) => {
    const [, name = ''] = /\/_sandbox\/(\w+)(?: |$)/.exec(words.join(' ')) ?? [];
    return name !== '' && helpText.split(/\s/).includes(name);
  },
  cd: () => true,
  for: () => true,
  cp: (words) => {
    const from = words.find((word) => !word.startsWith('-')) ?? '';
    return existsSync(join(root, from.replace('node_modules/paystate/', '')));
  },
  docker: ([first, verb = '', ...words]) =>
    first === 'compose' &&
    isCompose(
      verb,
      words.filter((word) => !word.startsWith('-')),
    ),
};

/** The services of the compose file of the shop that is deployed. */
const services = readFileSync(join(root, 'demo/cookbook/deploy/compose.yaml'), 'utf8')
  .replace(/^[\s\S]*^services:\n/m, '')
  .replace(/^\S[\s\S]*$/m, '')
  .matchAll(/^ {2}(\w+):/gm)
  .map(([, name]) => name)
  .toArray();

/** `exec` is followed by one service and a command in it, the others by services alone. */
const isCompose = (verb: string, words: readonly string[]): boolean =>
  verb === 'exec'
    ? services.includes(words[0])
    : ['up', 'ps', 'stop'].includes(verb) && words.every((word) => services.includes(word));

/** Without what follows a change into a folder that the reader has made: that is a project of theirs. */
const inProject = (code: string): string =>
  code.replace(/^cd (\w+)\n[\s\S]*$/m, (all, name: string) =>
    existsSync(join(root, name)) ? all : '',
  );

/** Fences that test/e2e/first-steps.test.ts runs. */
const OTHER_LANGUAGES = /^## Other languages\n([^]*?)^## /m.exec(
  textOfDocument('src/cli/README.md'),
)![1]!;
const isRunElsewhere = ({ code }: Fence): boolean => OTHER_LANGUAGES.includes(code);

const troubleOfShell = ({ code, place }: Fence): string[] =>
  inProject(code)
    .split('\n')
    .map((text) =>
      text
        .replace(/\s*#.*$/, '')
        .replace(/^\$ /, '')
        .replace(/^(?:[A-Z_]+=\S* )+/, '')
        .trim(),
    )
    .filter(Boolean)
    .filter((text) => {
      const [command = '', ...words] = text.split(/\s+/);
      return !COMMANDS[command]?.(words);
    })
    .map((text) => `${place} offers what does not exist: ${text}`);

const isKnownImport = (specifier: string): boolean =>
  entries.some((entry) => entry.specifier === specifier) ||
  /\/paystate(-checkout)?\.min\.js$/.test(specifier);

const troubleOfPage = ({ code, place }: Fence): string[] =>
  [...code.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, script = '']) => {
    transformSync(script, { loader: 'js', format: 'esm' });
    const imports = specifiersOf(script.replace(/^\s+/gm, ''));
    return imports
      .filter((specifier) => !isKnownImport(specifier))
      .map((name) => `${place} imports ${name}`);
  });

/** The names of recipes for libraries that tests of libraries import. */
const recipes: ReadonlySet<string> = new Set(
  globSync('test/libraries/*.test.{ts,tsx}', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'\.\/\.cache\/(?:\w+\/)?(\w+)\./g)].map(
      ([, name]) => name!,
    ),
  ),
);

const isRecipe = (language: string): boolean => recipes.has(language.split(' ')[1] ?? '');

const inLanguages = (...languages: string[]): readonly Fence[] =>
  fences.filter(({ language }) => languages.includes(language));

describe('documents', () => {
  it('are written in languages that a test understands', () => {
    const known = ['ts', 'js', 'bash', 'sh', 'html', 'css', 'json', 'yaml', 'text'];
    expectNone(
      fences
        .filter((fence) => !isRunElsewhere(fence))
        .filter(({ language }) => !known.includes(language) && !isRecipe(language))
        .map(({ place, language }) => `${place} is ${language || 'unnamed'}`),
    );
    const withPrograms = new Set(
      inLanguages('ts', 'js').map(({ place }) => place.replace(/:\d+$/, '')),
    );
    expect([...withPrograms], 'documents with programs').to.include.members([
      'README.md',
      ...entries.map(chapterOf),
    ]);
  });

  it('are held to what their programs say that they print', () => {
    const code = [
      'console.log(a); // true: as often as before',
      'console.log(b); // PENDING, PAID',
      "console.log(c); // { amount: '1', currency: 'EUR' }",
      'console.log(d); // invoice:…:PAID',
      'say(e); // true',
    ].join('\n');
    const printed =
      "true\nPENDING\nPAID\n{\n  amount: '1',\n  currency: 'EUR'\n}\ninvoice:1:PAID\n";
    expect(falseClaims(code, printed)).to.deep.equal([]);
    expect(falseClaims(`${code}\nconsole.log(f); // true`, printed)).to.deep.equal(['true']);
    expect(falseClaims(code, printed.replace('true', 'false'))).to.have.length(1);
    expect(falseClaims(code, 'true PAID PENDING')).to.have.length(3);
  });

  it('show programs that run, those for Node alone each by itself', async () => {
    expect(alone).not.to.have.length(0);
    try {
      expectNone(await troublesApart(alone));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('show programs that run, all others in one process, which ends', async () => {
    expect(together.length).to.be.above(alone.length);
    try {
      const trouble = await troubleTogether(together);
      if (trouble) expectNone([...(await troublesApart(together)), `in one process: ${trouble}`]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (let part = 0; part < PARTS; part++)
    itWhole(`show programs that run each by itself, part ${part + 1} of ${PARTS}`, async () => {
      try {
        expectNone(await troublesApart(together.filter((_fence, n) => n % PARTS === part)));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

  // Node takes types away unread; whoever pastes a program into a project has them checked.
  it('show programs whose types are right', () => {
    try {
      mkdirSync(folder, { recursive: true });
      const files = inLanguages('ts').map((fence) => {
        writeFileSync(fileFor(fence), fence.code);
        return fileFor(fence);
      });
      const { status, stdout } = spawnSync(
        join(root, 'node_modules/.bin/tsc'),
        [...STRICT, ...files],
        { cwd: root, encoding: 'utf8' },
      );
      expect(status, stdout).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('show commands that exist', () => {
    const shown = inLanguages('bash', 'sh').filter((fence) => !isRunElsewhere(fence));
    expectNone(shown.flatMap(troubleOfShell));
    for (const fence of inLanguages('yaml')) {
      const steps = [...fence.code.matchAll(/^ *- run: (.+)$/gm)].map(([, step]) => step!);
      expect(steps, fence.place).not.to.have.length(0);
      expectNone(troubleOfShell({ ...fence, code: steps.join('\n') }));
    }
    const wrong =
      'npm run never\nnpm test -- node test/never.test.ts\nnode never.mjs\nnpx paystate sandbox --never\ncurl http://127.0.0.1:4020/_sandbox/nowhere\nnever\ndocker compose stop never';
    expect(troubleOfShell({ code: wrong, language: 'bash', line: 1, place: 'a:1' })).to.have.length(
      7,
    );
  });

  it('show programs in the manual alone: the inner documents have commands and drawings', () => {
    const inner = fences.filter(({ place }) => /^(\.github|src\/README|test\/README)/.test(place));
    expectNone(
      inner
        .filter(({ language }) => !['bash', 'text'].includes(language))
        .map(({ place }) => place),
    );
  });

  it('show pages whose scripts import what is published', () =>
    expectNone(inLanguages('html').flatMap(troubleOfPage)));

  it('show style sheets that set what the elements read', () => {
    const sheets = inLanguages('css');
    const read = baseLook() + readFileSync(join(root, 'src/elements/checkout-card.ts'), 'utf8');
    for (const { code, place } of sheets) {
      transformSync(code, { loader: 'css' });
      const names = [...code.matchAll(/^\s*(--paystate-[\w-]+):/gm)].map(([, name]) => name!);
      expect(names, place).not.to.have.length(0);
      expectNone(
        names
          .filter((name) => !read.includes(`var(${name}`))
          .map((name) => `${place} sets ${name}`),
      );
    }
  });

  it('show data that parses', () => {
    for (const { code } of inLanguages('json')) JSON.parse(code);
  });
});
