// The runtimes that are started as a command: each runs the tests with mocha and writes the outcome into a file.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Ends a runner that hangs; the browsers of `e2e` took 524 s on two slow cores. */
const LONGEST_RUN_MS = 900_000;

/** The command's code and all that it said. */
export const runToEnd = (root, command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      timeout: LONGEST_RUN_MS,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ code: -1, output: error.message }));
    child.on('close', (code) => resolve({ code, output, isLate: child.killed }));
  });

const NOTHING = { passed: 0, failures: [], skipped: [], titles: [] };

/** Runs the command and reads what it reported; a runner that broke off counts as one failure more. */
async function runNative({ root, command, args, report }) {
  rmSync(report, { force: true });
  const { code, output, isLate } = await runToEnd(root, command, args);
  const reported = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  const outcome = reported ?? NOTHING;
  if (reported && (code === 0) === (outcome.failures.length === 0)) return outcome;
  const failure = {
    name: isLate
      ? `the runner was ended after ${LONGEST_RUN_MS / 1_000} s`
      : `the runner ended with ${code}${reported ? '' : ' and without a report'}`,
    message: output.trim().split('\n').slice(-30).join('\n'),
  };
  return { ...outcome, failures: [...outcome.failures, failure] };
}

// Tests make much that lives briefly: with more room for it, less of it is collected.
const ROOM = '--max-semi-space-size=64';
const ALONE = 'test/runners/alone.mjs';

/** All files in one process of Node, which runs TypeScript by itself. */
export const runTogether = ({ root, files, report }) =>
  runNative({
    root,
    command: process.execPath,
    report,
    args: [ROOM, ALONE, report, ...files],
  });

const sumOf = (outcomes) => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failures: outcomes.flatMap(({ failures }) => failures),
  skipped: outcomes.flatMap(({ skipped }) => skipped),
  titles: outcomes.flatMap(({ titles }) => titles),
  seconds: Object.assign({}, ...outcomes.map(({ seconds }) => seconds)),
});

const namedBy = (file, outcome) => {
  const named = (one) => ({ ...one, name: `${file} › ${one.name}` });
  return {
    ...outcome,
    failures: outcome.failures.map(named),
    skipped: outcome.skipped.map(named),
    titles: outcome.titles.map((title) => `${file} › ${title}`),
  };
};

/**
 * Each file in a process of its own, as many at once as `atOnce`; those of `shared` in one.
 * @param {{ root: string, files: readonly string[], shared?: readonly string[], folder: string, atOnce?: number }} task
 */
export async function runApart({ root, files, shared = [], folder, atOnce = 1 }) {
  const outcomes = [];
  const queue = [...(shared.length > 0 ? [shared] : []), ...files.map((file) => [file])];
  const lane = async () => {
    for (let some = queue.shift(); some; some = queue.shift()) {
      const report = join(folder, `${some[0].replaceAll(/\W/g, '-')}.json`);
      const outcome = await runTogether({ root, files: some, report });
      outcomes.push(some === shared ? outcome : namedBy(some[0], outcome));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return sumOf(outcomes);
}

/** Node of any age: the files arrive as one file of JavaScript that reports by itself. */
export const runOldNode = ({ root, command, file, report }) =>
  runNative({ root, command, report, args: ['--enable-source-maps', file, report] });

/** One file of JavaScript: Deno takes longer to load the modules file by file than to run the tests. */
export const runDeno = ({ root, file, report }) =>
  runNative({
    root,
    command: join(root, 'node_modules/.bin/deno'),
    report,
    args: [
      'run',
      '--quiet',
      '--no-check',
      '--no-prompt',
      '--no-remote',
      '--allow-net=127.0.0.1',
      `--allow-write=${report}`,
      file,
      report,
    ],
  });

export const runBun = ({ root, files, report }) =>
  runNative({
    root,
    command: join(root, 'node_modules/.bin/bun'),
    report,
    args: [ALONE, report, ...files],
  });
