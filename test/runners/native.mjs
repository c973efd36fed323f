// The runtimes that run tests by themselves. Those with a test runner of their own write a JUnit report; where the
// project's runner is used (test/api/collected.ts) the report is the outcome itself.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readReport } from './junit.mjs';

const LONGEST_RUN = 540_000;
const LONGEST_TEST = 90_000;

/** The command's code and all that it said. */
export const runToEnd = (root, command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      timeout: LONGEST_RUN,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ code: -1, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
  });

const outcomeIn = (report) => {
  if (!existsSync(report)) return undefined;
  const text = readFileSync(report, 'utf8');
  return report.endsWith('.json') ? JSON.parse(text) : readReport(text);
};

/** Runs the command and reads what it reported; a runner that broke off counts as one failure more. */
export async function runNative({ root, command, args, report }) {
  rmSync(report, { force: true });
  const { code, output } = await runToEnd(root, command, args);
  const reported = outcomeIn(report);
  const { passed, failures } = reported ?? { passed: 0, failures: [] };
  if (!reported || (code !== 0 && failures.length === 0))
    failures.push({
      name: `the runner ended with ${code}${reported ? '' : ' and without a report'}`,
      message: output.trim().split('\n').slice(-30).join('\n'),
    });
  return { passed, failures };
}

/** Node's own runner, all files in one process. */
export const runNodeTest = ({ root, files, report }) =>
  runNative({
    root,
    command: process.execPath,
    report,
    args: [
      '--test',
      '--test-reporter=junit',
      `--test-reporter-destination=${report}`,
      `--test-timeout=${LONGEST_TEST}`,
      '--test-isolation=none',
      ...files,
    ],
  });

// What tests make lives briefly: with more room for it less is collected.
const ALONE = ['--conditions=collected', '--max-semi-space-size=64'];

/** All files in one process of Node, which runs TypeScript by itself. */
export const runTogether = ({ root, files, report }) =>
  runNative({
    root,
    command: process.execPath,
    report,
    args: [...ALONE, 'test/runners/alone.mjs', report, ...files],
  });

export const sumOf = (outcomes) => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failures: outcomes.flatMap(({ failures }) => failures),
});

/** Each file in a process of its own, as many at once as `atOnce`. */
export async function runApart({ root, files, folder, atOnce = 1 }) {
  const outcomes = [];
  const queue = [...files];
  const lane = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const report = join(folder, `${file.replaceAll(/\W/g, '-')}.json`);
      const { passed, failures } = await runTogether({ root, files: [file], report });
      outcomes.push({
        passed,
        failures: failures.map(({ name, message }) => ({ name: `${file} › ${name}`, message })),
      });
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
      'test',
      '--quiet',
      '--no-check',
      '--no-prompt',
      '--no-remote',
      '--allow-net=127.0.0.1',
      `--junit-path=${report}`,
      file,
    ],
  });

export const runBun = ({ root, files, report }) =>
  runNative({
    root,
    command: join(root, 'node_modules/.bin/bun'),
    report,
    args: [
      'test',
      `--timeout=${LONGEST_TEST}`,
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...files.map((file) => `./${file}`),
    ],
  });
