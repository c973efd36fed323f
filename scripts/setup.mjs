// Makes a bare checkout ready: packages first, then browsers. Needs Node 18 or newer and no package.
// A Node new enough for every tool comes with the packages; npm puts it first on PATH for scripts.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowsers } from './browsers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.ready');

// Computed again after the installation: `npm install` may complete the lock for this platform.
const stamp = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');

const isReady = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp();

// Inside a script npm must run on the machine's own Node: the one in node_modules is about to be replaced.
const { npm_node_execpath: machineNode, npm_execpath: npmItself } = process.env;
const npm = (...args) =>
  (machineNode && npmItself
    ? spawnSync(machineNode, [npmItself, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  ).status === 0;

if (!isReady()) {
  console.log('installing packages …');
  // `ci` wants a lock that names every platform's optional packages; `install` fills in what is missing.
  if (!npm('ci', '--silent') && !npm('install')) {
    console.error(
      'The packages could not be installed. Check the network and npm, then run the command again.',
    );
    process.exit(1);
  }
  writeFileSync(stampFile, stamp());
}

if (!process.argv.includes('--no-browsers')) ensureBrowsers();
