// Installs the packages of a folder that has a lock, unless that was done before.
// It needs Node 18 or newer and no package, and stays JavaScript: `setup.mjs` runs it on the
// machine's own Node, which may be too old to read TypeScript.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Computed again after the installation: `npm install` may complete the lock for this platform.
const stampOf = (folder) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');

// Inside a script npm must run on the machine's own Node: the one in node_modules may be about to
// be replaced.
const { npm_node_execpath: machineNode, npm_execpath: npmItself } = process.env;
const npm = async (folder, ...args) => {
  const child =
    machineNode && npmItself
      ? spawn(machineNode, [npmItself, ...args], { cwd: folder, stdio: 'inherit' })
      : spawn('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = await once(child, 'close').catch(() => [-1]);
  return code === 0;
};

/** False where they could not be installed. */
export async function ensurePackages(folder) {
  const file = join(folder, 'node_modules/.ready');
  if (existsSync(file) && readFileSync(file, 'utf8') === stampOf(folder)) return true;
  console.log('installing packages …');
  // `ci` needs a lock that names every platform's optional packages; `install` adds those that are
  // missing.
  if (!(await npm(folder, 'ci', '--silent')) && !(await npm(folder, 'install'))) return false;
  writeFileSync(file, stampOf(folder));
  return true;
}
