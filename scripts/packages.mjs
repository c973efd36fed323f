// Installs the packages of a folder that has a lock, unless they're installed already. Needs Node
// 18 and no package. Stays JavaScript, because `setup.mjs` runs it on the machine's own Node, which
// may be too old to read TypeScript.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Computed again after the installation, because `npm install` may complete the lock for this
// platform.
const stampOf = (folder) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');

// Inside a script npm must run on the machine's own Node, because the installation may replace the
// one in node_modules.
const { npm_node_execpath: machineNode, npm_execpath: npmItself } = process.env;
const npm = async (folder, ...args) => {
  const child =
    machineNode && npmItself
      ? spawn(machineNode, [npmItself, ...args], { cwd: folder, stdio: 'inherit' })
      : spawn('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = await once(child, 'close').catch(() => [-1]);
  return code === 0;
};

/** Resolves to false if they couldn't be installed. */
export async function ensurePackages(folder) {
  const file = join(folder, 'node_modules/.ready');
  if (existsSync(file) && readFileSync(file, 'utf8') === stampOf(folder)) return true;
  console.log('installing packages …');
  // `ci` needs a lock with every platform's optional packages. `install` adds the missing ones.
  if (!(await npm(folder, 'ci', '--silent')) && !(await npm(folder, 'install'))) return false;
  writeFileSync(file, stampOf(folder));
  return true;
}
