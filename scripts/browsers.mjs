// Finds the three browser engines on this machine, and installs the missing ones.
// Stays JavaScript, because `setup.mjs` runs it on the machine's own Node, which may be too old to
// read TypeScript.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const onPath = (names) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);

const firstExecutable = (paths) => paths.find((path) => path && isExecutable(path));

// MiniBrowser is in a library folder and never on PATH. Only the package system has its path.
const miniBrowser = () =>
  spawnSync('dpkg', ['-L', 'libwebkit2gtk-4.1-0'], { encoding: 'utf8' })
    .stdout?.split('\n')
    .find((path) => path.endsWith('/MiniBrowser') && isExecutable(path));

/** Returns the paths of the installed parts. An engine that lacks a part is undefined. */
export function findBrowsers() {
  const driver = onPath(['WebKitWebDriver']);
  const display = process.env.DISPLAY ? true : onPath(['Xvfb']);
  const mini = driver && display && miniBrowser();
  return {
    chromium:
      firstExecutable([process.env.CHROME_PATH]) ??
      onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) ??
      firstExecutable(['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']),
    firefox:
      firstExecutable([process.env.FIREFOX_PATH]) ??
      onPath(['firefox-esr', 'firefox']) ??
      firstExecutable(['/Applications/Firefox.app/Contents/MacOS/firefox']),
    webkit: mini ? { driver, miniBrowser: mini } : undefined,
  };
}

const isRoot = process.getuid?.() === 0;

/** Returns the command that installs system packages, as a person would type it. */
const commandFor = (packages) =>
  `${isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${packages.join(' ')}`;

const packagesOf = {
  chromium: () => ['chromium'],
  firefox: () => ['firefox-esr'],
  webkit: () => (process.env.DISPLAY ? ['webkit2gtk-driver'] : ['webkit2gtk-driver', 'xvfb']),
};

/** Returns advice on a missing system package, with another way to get the tests run. */
export const adviceFor = (packages, otherwise) =>
  [onPath(['apt-get']) ? `run \`${commandFor(packages)}\`` : undefined, otherwise]
    .filter(Boolean)
    .join(', or ');

/** Advice to a person for each missing engine. */
export const browserHints = {
  chromium: adviceFor(
    packagesOf.chromium(),
    'install Chrome or Chromium and set CHROME_PATH to its program',
  ),
  firefox: adviceFor(packagesOf.firefox(), 'install Firefox and set FIREFOX_PATH to its program'),
  webkit: onPath(['apt-get'])
    ? adviceFor(packagesOf.webkit())
    : 'only Debian and Ubuntu have a WebKit that the tests can drive (webkit2gtk-driver)',
};

/**
 * Machines of continuous integration let their user become root without a password. A person only
 * gets the command.
 */
const needsSudo = () => !isRoot && process.env.CI === 'true' && onPath(['sudo']);

const canInstall = () =>
  process.env.SKIP_BROWSER_INSTALL !== '1' && (isRoot || needsSudo()) && onPath(['apt-get']);

const APT = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', '-qq'];

const apt = (...args) => {
  const [command, ...rest] = needsSudo() ? ['sudo', '-n', 'env', ...APT] : ['env', ...APT];
  return spawnSync(command, [...rest, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
};

let isUpdated = false;

/**
 * Installs system packages if that's allowed. Call it once for each part, because an apt-get that
 * lacks one of several packages installs none.
 */
export function tryInstalling(name, packages) {
  if (!canInstall()) return;
  console.log(`installing ${name} …`);
  if (!isUpdated) apt('update');
  isUpdated = true;
  apt('install', '-y', '--no-install-recommends', ...packages);
}

/** Installs the missing engines if possible, and otherwise prints what to run. */
export function ensureBrowsers() {
  const missing = () =>
    Object.entries(findBrowsers()).flatMap(([name, found]) => (found ? [] : [name]));
  for (const name of missing()) tryInstalling(name, packagesOf[name]());
  for (const name of missing())
    console.log(`${name} is missing, so its tests will not run: ${browserHints[name]}`);
}
