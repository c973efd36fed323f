// Runs Stryker over drawn mutants of one room: it puts them into the copy of the project, which is
// built once with all of them behind switches, and plays each with the tests that come by it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, rangeOf } from './draw.ts';
import type { Part } from './rooms.ts';

type Status =
  | 'Killed'
  | 'Timeout'
  | 'Survived'
  | 'NoCoverage'
  | 'Ignored'
  | 'RuntimeError'
  | 'CompileError';

export interface Played {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: Status;
  /** Lines and columns from one. */
  readonly location: Mutant['location'];
  readonly coveredBy?: readonly string[];
}

export interface Report {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly Played[] }>
  >;
}

export interface Task {
  /** The room's name. */
  readonly room: string;
  readonly part: Part;
  /** The copy of the project. */
  readonly folder: string;
  readonly drawn: readonly Mutant[];
  /** Paths of the tests. */
  readonly tests: readonly string[];
  readonly verbose: boolean;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const REPORT = 'mutation.json';
const ELSEWHERE = 'test/prove/mutate/elsewhere.ts';
const PATIENCE_MS = 15_000;

const configOf = ({ part, drawn, tests }: Task): object => ({
  mutate: [...new Set(drawn.map(rangeOf))],
  inPlace: true,
  plugins: [
    here('node_modules/@stryker-mutator/mocha-runner/dist/src/index.js'),
    here('undrawn.ts'),
  ],
  ignorers: ['undrawn'],
  testRunner: 'mocha',
  mochaOptions: {
    spec: part.isElsewhere ? [ELSEWHERE, ...tests] : tests,
    'no-config': true,
    'no-package': true,
  },
  buildCommand: `rollup -c ${part.isElsewhere ? 'pages' : 'files'}.mjs --silent`,
  coverageAnalysis: part.isUnknown ? 'off' : 'perTest',
  concurrency: 1,
  disableTypeChecks: false,
  tsconfigFile: 'none.json',
  timeoutMS: PATIENCE_MS,
  dryRunTimeoutMinutes: 15,
  reporters: ['json', 'clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, reportMutants: false },
  jsonReporter: { fileName: REPORT },
});

// Babel counts lines from one, and so does what the plugin compares.
const rangesOf = (drawn: readonly Mutant[]): string =>
  JSON.stringify(
    drawn.map(({ fileName, location: { start, end } }) => ({
      file: fileName,
      start: { ...start, line: start.line + 1 },
      end: { ...end, line: end.line + 1 },
    })),
  );

const environmentOf = ({ room, drawn }: Task): Readonly<Record<string, string>> => ({
  PAYSTATE_DRAWN: rangesOf(drawn),
  PAYSTATE_ROOM: room, // read by in-page.test.ts
  ENGINE: 'chromium', // read by test/e2e/element-page.ts
});

/**
 * Takes the plugin away that marks calls at the top of a file as free of effects: rollup would
 * drop Stryker's calls that count who comes by.
 */
function keepCounting(folder: string): void {
  const file = join(folder, 'rollup.config.mjs');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(', pureCalls()]', ']');
  if (changed === text) throw new Error('rollup.config.mjs names its plugin pureCalls() elsewhere');
  writeFileSync(file, changed);
}

/** The builds: of the separate files alone, and with what pages load, which takes as long again. */
function writeBuilds(folder: string): void {
  const first = "import all from './rollup.config.mjs';\nexport default ";
  writeFileSync(join(folder, 'files.mjs'), `${first}all[0];\n`);
  const pages = "all.filter(({ output }) => !output.dir?.endsWith('/node'));\n";
  writeFileSync(join(folder, 'pages.mjs'), first + pages);
}

/** Plays the mutants; gives Stryker's report. */
export async function playMutants(task: Task): Promise<Report> {
  const { folder, verbose } = task;
  keepCounting(folder);
  writeBuilds(folder);
  writeFileSync(join(folder, 'stryker.json'), JSON.stringify(configOf(task), undefined, 2));
  const command = here('node_modules/@stryker-mutator/core/bin/stryker.js');
  const child = spawn(process.execPath, [command, 'run', 'stryker.json'], {
    cwd: folder,
    env: { ...process.env, ...environmentOf(task) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said += text;
      if (verbose) process.stderr.write(text);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Stryker ended with ${code}\n${said.slice(-4_000)}`);
  return JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as Report;
}
