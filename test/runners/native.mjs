// The runtimes that bring a test runner of their own: each writes a JUnit report.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readReport } from './junit.mjs';

const LONGEST_RUN = 540_000;
const LONGEST_TEST = 90_000;

const runToEnd = (root, command, args) =>
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

/** Runs the command and reads what it reported; a runner that broke off counts as one failure more. */
export async function runNative({ root, command, args, report }) {
  rmSync(report, { force: true });
  const { code, output } = await runToEnd(root, command, args);
  const { passed, failures } = existsSync(report)
    ? readReport(readFileSync(report, 'utf8'))
    : { passed: 0, failures: [] };
  if (code !== 0 && failures.length === 0)
    failures.push({
      name: `the runner ended with ${code}`,
      message: output.trim().split('\n').slice(-30).join('\n'),
    });
  return { passed, failures };
}

const nodeArguments = (report) => [
  '--test',
  '--test-reporter=junit',
  `--test-reporter-destination=${report}`,
];

/** Node that runs TypeScript by itself; `together` means one process for all files, else as many files at once as `atOnce`. */
export const runNode = ({ root, command, files, report, together, atOnce = 1 }) =>
  runNative({
    root,
    command,
    report,
    args: [
      ...nodeArguments(report),
      `--test-timeout=${LONGEST_TEST}`,
      together ? '--test-isolation=none' : `--test-concurrency=${atOnce}`,
      ...files,
    ],
  });

/** Node of any age: the files arrive as one file of JavaScript. (Node 20 takes a time limit for that of the file.) */
export const runOldNode = ({ root, command, file, report }) =>
  runNative({
    root,
    command,
    report,
    args: ['--enable-source-maps', ...nodeArguments(report), file],
  });

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
