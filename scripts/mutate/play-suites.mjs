// Plays known faults that a file outside the portable tests has to notice: each is put into a copy of the whole project,
// which is built, and the file's leg of `npm test` is run there.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TRACKED = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

/** Copies what git knows of the project; packages are linked. */
function copyProject(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  const { stdout } = spawnSync('git', TRACKED, { cwd: root, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  mkdirSync(join(folder, 'worker-example/node_modules'), { recursive: true });
  symlinkSync('../..', join(folder, 'worker-example/node_modules/paystate'), 'junction');
}

/** The first failure that a test file shows in the copy; `undefined` where all of it passes. */
function firstFailureOf(folder, suite) {
  const leg = suite.split('/')[1];
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mjs', leg, suite], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  const [first = 'it broke off'] = stdout.split('\n').filter((line) => /^ {4}\S/.test(line));
  return `${suite}: ${first.trim()}`;
}

/** Plays the faults that name a suite; each gets `by`, what noticed it. */
export function playInSuites({ root, folder, faults, heard }) {
  if (faults.length === 0) return [];
  copyProject(root, folder);
  const broken = new Map();
  for (const suite of new Set(faults.map((fault) => fault.suite)))
    broken.set(suite, firstFailureOf(folder, suite));
  return faults.map((fault) => {
    const path = join(folder, fault.file);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      whole.replace(fault.from, () => fault.to),
    );
    const failing = broken.get(fault.suite);
    const by = failing ? undefined : firstFailureOf(folder, fault.suite);
    writeFileSync(path, whole);
    const played = { ...fault, by, failing };
    heard(played);
    return played;
  });
}
